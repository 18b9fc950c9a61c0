#pragma once

#include "kalaba/core/model/model.hpp"

namespace kalaba {

/// A sleigh on a knife edge, in quasi-velocities (forward, lateral, omega) [BC18 eq. 4, 40].
struct ChaplyginSleigh {
  static constexpr const char* name = "chaplygin_sleigh";
  static constexpr const char* summary = "sleigh on a knife edge, quasi-velocity (Kane) form";
  static constexpr const char* source = "Bajodah, Chen 2018 (Kane's form); Chaplygin's sleigh";
  static constexpr const char* equations =
      "Theta = [[m, 0, 0], [0, m, m a], [0, m a, I + m a^2]]\n"
      "F - L = (m (omega lateral + a omega^2), -m omega forward, -m a omega forward)\n"
      "psi = lateral = 0";
  static constexpr Formulation formulation = Formulation::kane;
  static constexpr Quantity parameters[] = {{"m", "kg", 2.0, "mass"},
                                            {"I", "kg m^2", 0.7, "moment of inertia about the mass centre"},
                                            {"a", "m", 0.3, "mass centre ahead of the contact"}};
  static constexpr Quantity coordinates[] = {{"x", "m"}, {"y", "m"}, {"heading", "rad"}};
  static constexpr Quantity rates[] = {{"forward", "m/s"}, {"lateral", "m/s"}, {"omega", "rad/s"}};
  static constexpr Quantity nonholonomic[] = {{"edge", "m/s", 0, "no slip across the knife edge"}};
  static constexpr bool conserves_energy = true;
  static constexpr TimeGrid time = {.end = 4, .dt = 1e-3, .save_every = 50};
  static constexpr Figure figures[] = {{4, "x", 2.48045395},       {4, "y", 3.48413720}, {4, "heading", 1.22852369},
                                       {4, "forward", 1.13178591}, {4, "lateral", 0},    {4, "omega", 0.0387489229}};

  template <class P, class Q, class W>
  KALABA_FN static void start(const P&, Q& q, W& w) {
    q[0] = 0.0;
    q[1] = 0.0;
    q[2] = 0.2;
    w[0] = 1.0;
    w[1] = 0.0;
    w[2] = 0.8;
  }

  template <class P, class X>
  KALABA_FN static auto metric(const P& p, const X&, const Vec<X, 3>&) {
    const auto& [m, I, a] = p.data;
    const X zero(0.0);
    const X coupling(m * a);
    return Symmetric<X, 3>{{X(m), zero, zero, zero, X(m), coupling, zero, coupling, X(I + m * a * a)}};
  }

  template <class P, class X>
  KALABA_FN static Vec<X, 3> force(const P& p, const X&, const Vec<X, 3>&, const Vec<X, 3>& u) {
    const auto& [m, I, a] = p.data;
    return {(u[2] * u[1] + u[2] * u[2] * a) * m, u[2] * u[0] * (-m), u[2] * u[0] * (-m * a)};
  }

  template <class P, class X>
  KALABA_FN static Vec<X, 3> velocity(const P&, const X&, const Vec<X, 3>& q, const Vec<X, 3>& u) {
    const X c = cos(q[2]);
    const X s = sin(q[2]);
    return {u[0] * c - u[1] * s, u[0] * s + u[1] * c, u[2]};
  }

  template <class P, class X>
  KALABA_FN static Vec<X, 1> psi(const P&, const X&, const Vec<X, 3>&, const Vec<X, 3>& u) {
    return {u[1]};
  }

  template <class P, class X>
  KALABA_FN static X energy(const P& p, const X&, const Vec<X, 3>&, const Vec<X, 3>& u) {
    const auto& [m, I, a] = p.data;
    const X sideways = u[1] + u[2] * a;
    return (u[0] * u[0] + sideways * sideways) * (0.5 * m) + u[2] * u[2] * (0.5 * I);
  }
};

}  // namespace kalaba
