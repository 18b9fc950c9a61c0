#pragma once

#include "kalaba/core/model/model.hpp"

namespace kalaba {

/// Appell's particle: its velocity keeps a constant angle with the vertical as it climbs [RH section 6].
struct AppellParticle {
  static constexpr const char* name = "appell_particle";
  static constexpr const char* summary = "particle under gravity, its velocity at a constant angle with the vertical";
  static constexpr const char* source = "Roithmayr, Hodges, section 6 (eq. 56-67)";
  static constexpr const char* equations =
      "z'^2 = a^2 (x'^2 + y'^2), stated as psi = (z' - a^2 (x'^2 + y'^2) / z') / 2 = 0\n"
      "C = lambda [n3 - (a^2 / z') (x' n1 + y' n2)],  lambda = m g / (1 + a^2)\n"
      "x'' = -g a x' / ((1 + a^2) sqrt(x'^2 + y'^2)), y'' alike";
  static constexpr const char* note =
      "The constraint is singular where the particle comes to rest, at t = z'(0) (1 + a^2) / (a^2 g): the paper's "
      "equations end there.";
  static constexpr Formulation formulation = Formulation::lagrange;
  static constexpr Quantity parameters[] = {{"m", "kg", 1.3, "mass"},
                                            {"a", "1", 0.75, "cotangent of the angle with the vertical"},
                                            {"g", "m/s^2", 9.81, "gravity"}};
  static constexpr Quantity coordinates[] = {{"x", "m"}, {"y", "m"}, {"z", "m", 0, "up"}};
  static constexpr Quantity rates[] = {{"x_dot", "m/s"}, {"y_dot", "m/s"}, {"z_dot", "m/s", 0, "positive"}};
  static constexpr Quantity nonholonomic[] = {{"cone", "m/s", 0, "the velocity stays on its cone"}};
  static constexpr TimeGrid time = {.end = 0.6, .dt = 1e-3, .save_every = 10};
  static constexpr Invariant invariants[] = {{"heading", "rad", Invariance::constant, "horizontal direction"},
                                             {"cone_error", "m/s", Invariance::zero, "z' - a sqrt(x'^2 + y'^2)"}};
  static constexpr Figure figures[] = {{0.6, "x", 1.2914496},    {0.6, "y", 1.7219328},    {0.6, "z", 1.614312},
                                       {0.6, "x_dot", 1.304832}, {0.6, "y_dot", 1.739776}, {0.6, "z_dot", 1.63104}};

  template <class P, class Q, class W>
  KALABA_FN static void start(const P& p, Q& q, W& w) {
    for (int i = 0; i < 3; ++i) q[i] = 0.0;
    w[0] = 3.0;
    w[1] = 4.0;
    w[2] = p[1] * 5.0;
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

  /// Divided by 2 z', so that the multiplier is that of the paper.
  template <class P, class X>
  KALABA_FN static Vec<X, 1> psi(const P& p, const X&, const Vec<X, 3>&, const Vec<X, 3>& w) {
    const auto& [m, a, g] = p.data;
    return {(w[2] - (w[0] * w[0] + w[1] * w[1]) * (a * a) / w[2]) * 0.5};
  }

  /// 0.01 m/s is more than the loss of z' in a step of 1 ms: z' cannot cross it undetected.
  template <class P, class X>
  KALABA_FN static auto valid(const P&, const X&, const Vec<X, 3>&, const Vec<X, 3>& w) {
    return w[2] > X(0.01);
  }

  template <class P, class X>
  KALABA_FN static X energy(const P& p, const X&, const Vec<X, 3>& q, const Vec<X, 3>& w) {
    const auto& [m, a, g] = p.data;
    return dot(w, w) * (0.5 * m) + q[2] * (m * g);
  }

  template <class P, class X>
  KALABA_FN static Vec<X, 2> invariant(const P& p, const X&, const Vec<X, 3>&, const Vec<X, 3>& w) {
    return {atan2(w[1], w[0]), w[2] - sqrt(w[0] * w[0] + w[1] * w[1]) * p[1]};
  }

  /// The horizontal speed decreases by g a / (1 + a^2) per second, in a fixed direction, until it is zero.
  template <class P, class X, class Q, class W>
  KALABA_FN static void closed_form(const P& p, const X& t, Q& q, W& w) {
    const auto& [m, a, g] = p.data;
    const auto loss = g * a / (1.0 + a * a);
    const auto speed = 5.0 - loss * t;
    const auto way = (5.0 - 0.5 * loss * t) * t;
    q[0] = way * 0.6;
    q[1] = way * 0.8;
    q[2] = way * a;
    w[0] = speed * 0.6;
    w[1] = speed * 0.8;
    w[2] = speed * a;
  }
};

}  // namespace kalaba
