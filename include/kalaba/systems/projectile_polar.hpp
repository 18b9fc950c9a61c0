#pragma once

#include "kalaba/core/model/model.hpp"

namespace kalaba {

/// A particle under gravity in polar coordinates, without a constraint [ZCZD example 1].
struct ProjectilePolar {
  static constexpr const char* name = "projectile_polar";
  static constexpr const char* summary = "projectile in polar coordinates, no constraint";
  static constexpr const char* source = "Zhao, Chen, Zhao, Dong 2018, example 1 (eq. 7-9)";
  static constexpr const char* equations =
      "M = diag(m, m r^2)\n"
      "r'' = r theta'^2 - g sin theta\n"
      "theta'' = (-2 r' theta' - g cos theta) / r\n"
      "The Cartesian path is a parabola.";
  static constexpr Formulation formulation = Formulation::lagrange;
  static constexpr Quantity parameters[] = {{"m", "kg", 1.0, "mass"}, {"g", "m/s^2", 9.81, "gravity"}};
  static constexpr Quantity coordinates[] = {{"r", "m", 0, "distance from the origin"},
                                             {"theta", "rad", 0, "angle above the horizontal"}};
  static constexpr Quantity rates[] = {{"r_dot", "m/s"}, {"theta_dot", "rad/s"}};
  static constexpr bool conserves_energy = true;
  static constexpr TimeGrid time = {.end = 0.5, .dt = 1e-3, .save_every = 10};
  static constexpr Invariant invariants[] = {{"v_x", "m/s", Invariance::constant, "horizontal velocity"},
                                             {"apex_x", "m", Invariance::constant, "apex of the parabola"},
                                             {"apex_y", "m", Invariance::constant, "apex of the parabola"}};

  template <class P, class Q, class W>
  KALABA_FN static void start(const P&, Q& q, W& w) {
    q[0] = 2.0;
    q[1] = 0.3;
    w[0] = 3.0;
    w[1] = 2.0;
  }

  template <class P, class X>
  KALABA_FN static auto metric(const P& p, const X&, const Vec<X, 2>& q) {
    return Diagonal<X, 2>{{X(p[0]), q[0] * q[0] * p[0]}};
  }

  template <class P, class X>
  KALABA_FN static Vec<X, 2> force(const P& p, const X&, const Vec<X, 2>& q, const Vec<X, 2>& w) {
    const X radial = q[0] * w[1] * w[1] - sin(q[1]) * p[1];
    const X transverse = w[0] * w[1] * -2.0 - cos(q[1]) * p[1];
    return {radial * p[0], q[0] * transverse * p[0]};
  }

  template <class P, class X>
  KALABA_FN static X energy(const P& p, const X&, const Vec<X, 2>& q, const Vec<X, 2>& w) {
    const X transverse = q[0] * w[1];
    const X kinetic = (w[0] * w[0] + transverse * transverse) * (0.5 * p[0]);
    return kinetic + q[0] * sin(q[1]) * (p[0] * p[1]);
  }

  template <class P, class X>
  KALABA_FN static Vec<X, 3> invariant(const P& p, const X&, const Vec<X, 2>& q, const Vec<X, 2>& w) {
    const X c = cos(q[1]);
    const X s = sin(q[1]);
    const X vx = w[0] * c - q[0] * w[1] * s;
    const X vy = w[0] * s + q[0] * w[1] * c;
    const X to_apex = vy / p[1];
    const X climb = vy * to_apex * 0.5;
    return {vx, q[0] * c + vx * to_apex, q[0] * s + climb};
  }

  template <class P, class Q, class W>
  KALABA_FN static void closed_form(const P& p, double t, Q& q, W& w) {
    const auto& g = p[1];
    start(p, q, w);
    const auto c0 = cos(q[1]);
    const auto s0 = sin(q[1]);
    const auto vx = w[0] * c0 - q[0] * w[1] * s0;
    const auto vy = w[0] * s0 + q[0] * w[1] * c0 - g * t;
    const auto x = q[0] * c0 + vx * t;
    const auto y = q[0] * s0 + (vy + 0.5 * g * t) * t;
    q[0] = sqrt(x * x + y * y);
    q[1] = atan2(y, x);
    w[0] = (x * vx + y * vy) / q[0];
    w[1] = (x * vy - y * vx) / (q[0] * q[0]);
  }
};

}  // namespace kalaba
