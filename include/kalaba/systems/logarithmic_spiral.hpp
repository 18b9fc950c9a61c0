#pragma once

#include "kalaba/systems/projectile_polar.hpp"

namespace kalaba {

/// The polar particle driven inwards along a logarithmic spiral at unit angular speed [ZCZD section 8.1].
struct LogarithmicSpiral : ProjectilePolar {
  static constexpr const char* name = "logarithmic_spiral";
  static constexpr const char* summary = "particle driven inwards along r = exp(growth theta), both coordinates held";
  static constexpr const char* source = "Zhao, Chen, Zhao, Dong 2018, section 8.1 (eq. 51-59)";
  static constexpr const char* equations =
      "M = diag(m, m r^2), gravity as for projectile_polar\n"
      "phi1 = r - exp(growth theta) = 0\n"
      "phi2 = theta + t - 30 = 0\n"
      "A = [[1, -growth exp(growth theta)], [0, 1]], b = (growth^2 exp(growth theta) theta'^2, 0)\n"
      "eps1 = |(phi1, phi2)|, eps2 = |(phi1', phi2')|";
  static constexpr const char* note =
      "Eq. 51 and 52 misprint r' as r in theta''. Eq. 9 takes M = diag(m, m), which is not the inertia in polar\n"
      "coordinates; with both coordinates held the motion is the same, and the force here is the physical one.";
  static constexpr Quantity parameters[] = {
      {"m", "kg", 1.0, "mass"}, {"g", "m/s^2", 9.81, "gravity"}, {"growth", "1/rad", 0.1, "growth of the spiral"}};
  static constexpr Quantity holonomic[] = {{"spiral", "m", 0, "the particle stays on the spiral"},
                                           {"angle", "rad", 0, "the angle falls at 1 rad/s"}};
  static constexpr bool conserves_energy = false;  // the angle is driven
  static constexpr TimeGrid time = {.end = 30, .dt = 1e-3, .save_every = 300};
  static constexpr Invariant invariants[] = {{"eps1", "", Invariance::zero, "error of position (eq. 58)"},
                                             {"eps2", "", Invariance::zero, "error of velocity (eq. 59)"}};
  static constexpr Figure figures[] = {
      {30, "r", 1.0}, {30, "theta", 0.0}, {30, "r_dot", -0.1}, {30, "theta_dot", -1.0}};

  template <class P, class Q, class W>
  KALABA_FN static void start(const P& p, Q& q, W& w) {
    closed_form(p, 0.0, q, w);
  }

  template <class P, class X>
  KALABA_FN static Vec<X, 2> phi(const P& p, const X& t, const Vec<X, 2>& q) {
    return {q[0] - exp(q[1] * p[2]), q[1] + t - 30.0};
  }

  template <class P, class X>
  KALABA_FN static Vec<X, 2> invariant(const P& p, const X& t, const Vec<X, 2>& q, const Vec<X, 2>& w) {
    const X radius = exp(q[1] * p[2]);
    const X off_spiral = q[0] - radius;
    const X off_angle = q[1] + t - 30.0;
    const X spiral_rate = w[0] - radius * w[1] * p[2];
    const X angle_rate = w[1] + 1.0;
    return {sqrt(off_spiral * off_spiral + off_angle * off_angle),
            sqrt(spiral_rate * spiral_rate + angle_rate * angle_rate)};
  }

  template <class P, class Q, class W>
  KALABA_FN static void closed_form(const P& p, double t, Q& q, W& w) {
    const auto& growth = p[2];
    q[1] = 30.0 - t;
    q[0] = exp(growth * q[1]);
    w[0] = -growth * q[0];
    w[1] = -1.0;
  }
};

}  // namespace kalaba
