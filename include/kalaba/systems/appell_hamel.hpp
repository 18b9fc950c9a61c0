#pragma once

#include "kalaba/core/model/model.hpp"

namespace kalaba {

/// The Appell-Hamel constraint: a falling particle's horizontal speed is a times its vertical one.
struct AppellHamel {
  static constexpr const char* name = "appell_hamel";
  static constexpr const char* summary = "falling particle, its horizontal speed in proportion to its vertical one";
  static constexpr const char* source = "Appell 1911, Hamel 1949; closed form";
  static constexpr const char* equations =
      "psi = (x'^2 + y'^2 - a^2 z'^2) / 2 = 0\n"
      "z'' = -g / (1 + a^2), the horizontal direction stays";
  static constexpr const char* note = "The constraint is singular at z' = 0: a particle thrown upwards stops there.";
  static constexpr Formulation formulation = Formulation::lagrange;
  static constexpr Quantity parameters[] = {{"m", "kg", 1.0, "mass"},
                                            {"a", "1", 0.8, "horizontal speed over vertical speed"},
                                            {"g", "m/s^2", 9.81, "gravity"}};
  static constexpr Quantity coordinates[] = {{"x", "m"}, {"y", "m"}, {"z", "m", 0, "up"}};
  static constexpr Quantity rates[] = {{"x_dot", "m/s"}, {"y_dot", "m/s"}, {"z_dot", "m/s"}};
  static constexpr Quantity nonholonomic[] = {{"cone", "m^2/s^2", 0, "the velocity stays on its cone"}};
  static constexpr TimeGrid time = {.end = 2, .dt = 1e-3, .save_every = 25};
  static constexpr Invariant invariants[] = {{"heading", "rad", Invariance::constant, "horizontal direction"},
                                             {"cone_error", "m/s", Invariance::zero, "sqrt(x'^2 + y'^2) - a |z'|"}};

  template <class P, class Q, class W>
  KALABA_FN static void start(const P& p, Q& q, W& w) {
    const auto& [m, a, g] = p.data;
    for (int i = 0; i < 3; ++i) q[i] = 0.0;
    w[0] = a * 0.6;
    w[1] = a * 0.8;
    w[2] = -1.0;
  }

  template <class P, class X>
  KALABA_FN static auto metric(const P& p, const X&, const Vec<X, 3>&) {
    const X m(p[0]);
    return Diagonal<X, 3>{{m, m, m}};
  }

  template <class P, class X>
  KALABA_FN static Vec<X, 3> force(const P& p, const X&, const Vec<X, 3>&, const Vec<X, 3>&) {
    const auto& [m, a, g] = p.data;
    return {X(0.0), X(0.0), X(-m * g)};
  }

  template <class P, class X>
  KALABA_FN static Vec<X, 1> psi(const P& p, const X&, const Vec<X, 3>&, const Vec<X, 3>& w) {
    const auto& [m, a, g] = p.data;
    return {(w[0] * w[0] + w[1] * w[1] - w[2] * w[2] * (a * a)) * 0.5};
  }

  /// Excludes both sides of 0 by more than the change of z' in a step of 1 ms: z' cannot cross 0 undetected.
  template <class P, class X>
  KALABA_FN static auto valid(const P&, const X&, const Vec<X, 3>&, const Vec<X, 3>& w) {
    return abs(w[2]) > X(0.01);
  }

  template <class P, class X>
  KALABA_FN static X energy(const P& p, const X&, const Vec<X, 3>& q, const Vec<X, 3>& w) {
    const auto& [m, a, g] = p.data;
    return dot(w, w) * (0.5 * m) + q[2] * (m * g);
  }

  template <class P, class X>
  KALABA_FN static Vec<X, 2> invariant(const P& p, const X&, const Vec<X, 3>&, const Vec<X, 3>& w) {
    return {atan2(w[1], w[0]), sqrt(w[0] * w[0] + w[1] * w[1]) - abs(w[2]) * p[1]};
  }

  template <class P, class X, class Q, class W>
  KALABA_FN static void closed_form(const P& p, const X& t, Q& q, W& w) {
    const auto& [m, a, g] = p.data;
    const auto gain = g / (1.0 + a * a);
    const auto fall = (1.0 + 0.5 * gain * t) * t;
    const auto speed = 1.0 + gain * t;
    q[0] = fall * a * 0.6;
    q[1] = fall * a * 0.8;
    q[2] = -fall;
    w[0] = speed * a * 0.6;
    w[1] = speed * a * 0.8;
    w[2] = -speed;
  }
};

}  // namespace kalaba
