#pragma once

#include "adaptive/models.hpp"

namespace kalaba::events {

/// Projectile from the height h: z = h + v t - g t^2 / 2, x = u t; exact for RK4 and dopri5.
struct Projectile {
  static constexpr const char* name = "projectile";
  static constexpr const char* summary = "a free fall";
  static constexpr const char* source = "test";
  static constexpr const char* equations = "z'' = -g";
  static constexpr Formulation formulation = Formulation::lagrange;
  static constexpr Quantity parameters[] = {
      {"g", "m/s^2", 9.81}, {"h", "m", 1.0}, {"u", "m/s", 3.0}, {"v", "m/s", 2.0}};
  static constexpr Quantity coordinates[] = {{"x", "m"}, {"z", "m"}};
  static constexpr Quantity rates[] = {{"x_dot", "m/s"}, {"z_dot", "m/s"}};
  static constexpr TimeGrid time = {.end = 2, .dt = 1.0 / 64, .save_every = 16};

  template <class P, class Q, class W>
  KALABA_FN static void start(const P& p, Q& q, W& w) {
    q[0] = 0.0;
    q[1] = p[1];
    w[0] = p[2];
    w[1] = p[3];
  }
  template <class P, class X>
  KALABA_FN static auto metric(const P&, const X&, const Vec<X, 2>&) {
    return Diagonal<X, 2>{{X(1.0), X(1.0)}};
  }
  template <class P, class X>
  KALABA_FN static Vec<X, 2> force(const P& p, const X&, const Vec<X, 2>&, const Vec<X, 2>&) {
    return {X(0.0), X(0.0) - p[0]};
  }
};

/// Slides on the outside of a ring from its top and is held on it: without adhesion it would leave at the height R 2/3
/// + v^2 / (3 g).
struct Slider {
  static constexpr const char* name = "slider";
  static constexpr const char* summary = "a slide off a ring";
  static constexpr const char* source = "test";
  static constexpr const char* equations = "x^2 + y^2 = R^2";
  static constexpr Formulation formulation = Formulation::lagrange;
  static constexpr Quantity parameters[] = {{"g", "m/s^2", 9.81}, {"R", "m", 1.5}, {"v", "m/s", 1.0}};
  static constexpr Quantity coordinates[] = {{"x", "m"}, {"y", "m"}};
  static constexpr Quantity rates[] = {{"x_dot", "m/s"}, {"y_dot", "m/s"}};
  static constexpr Quantity holonomic[] = {{"ring", "m^2"}};
  static constexpr Invariant invariants[] = {{"half_spin", "m^2/s", Invariance::free},
                                             {"spin", "m^2/s", Invariance::free}};
  static constexpr TimeGrid time = {.end = 1.25, .dt = 1.0 / 512, .save_every = 64};

  template <class P, class Q, class W>
  KALABA_FN static void start(const P& p, Q& q, W& w) {
    q[0] = 0.0;
    q[1] = p[1];
    w[0] = p[2];
    w[1] = 0.0;
  }
  template <class P, class X>
  KALABA_FN static auto metric(const P&, const X&, const Vec<X, 2>&) {
    return Diagonal<X, 2>{{X(1.0), X(1.0)}};
  }
  template <class P, class X>
  KALABA_FN static Vec<X, 2> force(const P& p, const X&, const Vec<X, 2>&, const Vec<X, 2>&) {
    return {X(0.0), X(0.0) - p[0]};
  }
  template <class P, class X>
  KALABA_FN static Vec<X, 1> phi(const P& p, const X&, const Vec<X, 2>& q) {
    return {(q[0] * q[0] + q[1] * q[1] - p[1] * p[1]) * 0.5};
  }
  template <class P, class X>
  KALABA_FN static X energy(const P& p, const X&, const Vec<X, 2>& q, const Vec<X, 2>& w) {
    return (w[0] * w[0] + w[1] * w[1]) * 0.5 + p[0] * q[1];
  }
  template <class P, class X>
  KALABA_FN static Vec<X, 2> invariant(const P&, const X&, const Vec<X, 2>& q, const Vec<X, 2>& w) {
    const X spin = q[0] * w[1] - q[1] * w[0];
    return {spin * 0.5, spin};
  }
};

}  // namespace kalaba::events
