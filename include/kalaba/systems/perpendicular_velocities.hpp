#pragma once

#include "kalaba/systems/two_pucks.hpp"

namespace kalaba {

/// Two pucks whose velocities stay perpendicular, a nonlinear nonholonomic constraint [RH section 4].
struct PerpendicularVelocities : TwoPucks {
  static constexpr const char* name = "perpendicular_velocities";
  static constexpr const char* summary = "two pucks, their velocities perpendicular";
  static constexpr const char* source = "Roithmayr, Hodges, section 4 (eq. 25-32, figure 1)";
  static constexpr const char* equations =
      "psi = v1 . v2 = 0, so that A = [v2, v1] and b = 0\n"
      "C1 = lambda v2,  C2 = lambda v1\n"
      "lambda = -[m1 f2 . v1 + m2 f1 . v2] / [m1 |v1|^2 + m2 |v2|^2]";
  static constexpr Quantity parameters[] = {
      {"m1", "kg", 1.0, "mass of the first puck"},   {"m2", "kg", 2.0, "mass of the second puck"},
      {"f1x", "N", 1.0, "force on the first puck"},  {"f1y", "N", 0.0},
      {"f2x", "N", 1.0, "force on the second puck"}, {"f2y", "N", 0.0}};
  static constexpr Quantity nonholonomic[] = {{"perpendicular", "m^2/s^2", 0, "v1 and v2 stay perpendicular"}};
  static constexpr TimeGrid time = {.end = 5, .dt = 1e-3, .save_every = 50};
  static constexpr Invariant invariants[] = {{"cos_theta", "1", Invariance::zero, "cosine between the velocities"}};
  static constexpr Figure figures[] = {{5, "x1", 9.55660135},     {5, "y1", 5.32081258},     {5, "x2", 5.53731713},
                                       {5, "y2", -3.20678394},    {5, "x1_dot", 3.34732942}, {5, "y1_dot", 2.48165035},
                                       {5, "x2_dot", 1.30308208}, {5, "y2_dot", -1.75763882}};

  template <class P, class Q, class W>
  KALABA_FN static void start(const P&, Q& q, W& w) {
    q[0] = 1.0;
    q[1] = -2.0;
    q[2] = 1.0;
    q[3] = 2.0;
    w[0] = 0.3;
    w[1] = 0.4;
    w[2] = 0.4;
    w[3] = -0.3;
  }

  template <class P, class X>
  KALABA_FN static Vec<X, 1> psi(const P&, const X&, const Vec<X, 4>&, const Vec<X, 4>& w) {
    return {w[0] * w[2] + w[1] * w[3]};
  }

  template <class P, class X>
  KALABA_FN static Vec<X, 1> invariant(const P&, const X&, const Vec<X, 4>&, const Vec<X, 4>& w) {
    return {(w[0] * w[2] + w[1] * w[3]) / sqrt(first_squared(w) * second_squared(w))};
  }
};

}  // namespace kalaba
