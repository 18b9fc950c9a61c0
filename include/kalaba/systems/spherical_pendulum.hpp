#pragma once

#include "kalaba/core/model/model.hpp"

namespace kalaba {

/// A bob on a rigid rod, z down, in canonical momenta [U16 section 4.1].
struct SphericalPendulum {
  static constexpr const char* name = "spherical_pendulum";
  static constexpr const char* summary = "bob on a rigid rod, Hamiltonian form, z down";
  static constexpr const char* source = "Udwadia 2016, section 4.1";
  static constexpr const char* equations =
      "H = |p|^2 / 2m - m g z\n"
      "phi = m (|q|^2 - L^2) / 2 = 0, so that A_p = q^T and b_p = -|p|^2 / m\n"
      "p' = (0, 0, m g) - (m / L^2) (|p|^2 / m^2 + g z) q";
  static constexpr Formulation formulation = Formulation::hamilton;
  static constexpr Quantity parameters[] = {
      {"m", "kg", 1.0, "mass of the bob"}, {"L", "m", 1.0, "length of the rod"}, {"g", "m/s^2", 9.81, "gravity"}};
  static constexpr Quantity coordinates[] = {{"x", "m"}, {"y", "m"}, {"z", "m", 0, "down"}};
  static constexpr Quantity rates[] = {{"p_x", "kg m/s"}, {"p_y", "kg m/s"}, {"p_z", "kg m/s"}};
  static constexpr Quantity holonomic[] = {{"rod", "kg m^2", 0, "the bob stays at distance L"}};
  static constexpr bool conserves_energy = true;
  static constexpr TimeGrid time = {.end = 5, .dt = 1e-3, .save_every = 50};
  static constexpr Figure figures[] = {{5, "x", -0.31847147},   {5, "y", -0.41008286},   {5, "z", 0.85463909},
                                       {5, "p_x", -0.31879919}, {5, "p_y", -2.26005732}, {5, "p_z", -1.20324383}};

  template <class P, class Q, class W>
  KALABA_FN static void start(const P& p, Q& q, W& w) {
    const auto& [m, L, g] = p.data;
    q[0] = L * sin(1.0);
    q[1] = 0.0;
    q[2] = L * cos(1.0);
    w[0] = 0.0;
    w[1] = m * 0.7;
    w[2] = 0.0;
  }

  template <class P, class X>
  KALABA_FN static auto metric(const P& p, const X&, const Vec<X, 3>&) {
    const auto& [m, L, g] = p.data;
    const auto inverse_mass = 1.0 / m;
    return Diagonal<X, 3>{{inverse_mass, inverse_mass, inverse_mass}};
  }

  template <class P, class X>
  KALABA_FN static Vec<X, 3> force(const P& p, const X&, const Vec<X, 3>&, const Vec<X, 3>&) {
    const auto& [m, L, g] = p.data;
    return {X(0.0), X(0.0), X(m * g)};
  }

  template <class P, class X>
  KALABA_FN static Vec<X, 3> velocity(const P& p, const X&, const Vec<X, 3>&, const Vec<X, 3>& w) {
    const auto inverse_mass = 1.0 / p[0];
    return {w[0] * inverse_mass, w[1] * inverse_mass, w[2] * inverse_mass};
  }

  template <class P, class X>
  KALABA_FN static Vec<X, 1> phi(const P& p, const X&, const Vec<X, 3>& q) {
    const auto& [m, L, g] = p.data;
    return {(dot(q, q) - L * L) * (m * 0.5)};
  }

  template <class P, class X>
  KALABA_FN static X energy(const P& p, const X&, const Vec<X, 3>& q, const Vec<X, 3>& w) {
    const auto& [m, L, g] = p.data;
    return dot(w, w) * (0.5 / m) - q[2] * (m * g);
  }
};

}  // namespace kalaba
