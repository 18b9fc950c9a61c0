#pragma once

#include "kalaba/core/model/model.hpp"

namespace kalaba {

/// The motion of spherical_pendulum, stated in velocities.
struct SphericalPendulumLagrangian {
  static constexpr const char* name = "spherical_pendulum_lagrangian";
  static constexpr const char* summary = "bob on a rigid rod, Lagrangian form, z down";
  static constexpr const char* source = "Udwadia 2016, section 4.1, in velocities";
  static constexpr const char* equations =
      "m q'' = (0, 0, m g) + Qc\n"
      "phi = (|q|^2 - L^2) / 2 = 0, so that A = q^T and b = -|q'|^2";
  static constexpr Formulation formulation = Formulation::lagrange;
  static constexpr Quantity parameters[] = {
      {"m", "kg", 1.0, "mass of the bob"}, {"L", "m", 1.0, "length of the rod"}, {"g", "m/s^2", 9.81, "gravity"}};
  static constexpr Quantity coordinates[] = {{"x", "m"}, {"y", "m"}, {"z", "m", 0, "down"}};
  static constexpr Quantity rates[] = {{"x_dot", "m/s"}, {"y_dot", "m/s"}, {"z_dot", "m/s"}};
  static constexpr Quantity holonomic[] = {{"rod", "m^2", 0, "the bob stays at distance L"}};
  static constexpr bool conserves_energy = true;
  static constexpr TimeGrid time = {.end = 5, .dt = 1e-3, .save_every = 50};
  static constexpr Figure figures[] = {{5, "x", -0.31847147},     {5, "y", -0.41008286},     {5, "z", 0.85463909},
                                       {5, "x_dot", -0.31879919}, {5, "y_dot", -2.26005732}, {5, "z_dot", -1.20324383}};

  template <class P, class Q, class W>
  KALABA_FN static void start(const P& p, Q& q, W& w) {
    const auto& [m, L, g] = p.data;
    q[0] = L * sin(1.0);
    q[1] = 0.0;
    q[2] = L * cos(1.0);
    w[0] = 0.0;
    w[1] = 0.7;
    w[2] = 0.0;
  }

  template <class P, class X>
  KALABA_FN static auto metric(const P& p, const X&, const Vec<X, 3>&) {
    return Diagonal<X, 3>{{X(p[0]), X(p[0]), X(p[0])}};
  }

  template <class P, class X>
  KALABA_FN static Vec<X, 3> force(const P& p, const X&, const Vec<X, 3>&, const Vec<X, 3>&) {
    const auto& [m, L, g] = p.data;
    return {X(0.0), X(0.0), X(m * g)};
  }

  template <class P, class X>
  KALABA_FN static Vec<X, 1> phi(const P& p, const X&, const Vec<X, 3>& q) {
    const auto& [m, L, g] = p.data;
    return {(dot(q, q) - L * L) * 0.5};
  }

  template <class P, class X>
  KALABA_FN static X energy(const P& p, const X&, const Vec<X, 3>& q, const Vec<X, 3>& w) {
    const auto& [m, L, g] = p.data;
    return dot(w, w) * (0.5 * m) - q[2] * (m * g);
  }
};

}  // namespace kalaba
