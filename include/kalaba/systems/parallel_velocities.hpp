#pragma once

#include "kalaba/systems/two_pucks.hpp"

namespace kalaba {

/// Two pucks whose velocities stay parallel, a nonlinear nonholonomic constraint [RH section 5].
struct ParallelVelocities : TwoPucks {
  static constexpr const char* name = "parallel_velocities";
  static constexpr const char* summary = "two pucks, their velocities parallel";
  static constexpr const char* source = "Roithmayr, Hodges, section 5 (eq. 50-52)";
  static constexpr const char* equations =
      "psi = v2 . (n3 x v1) = 0, n3 the normal of the table\n"
      "C2 = lambda n3 x v1,  C1 = -lambda n3 x v2";
  static constexpr Quantity nonholonomic[] = {{"parallel", "m^2/s^2", 0, "v1 and v2 stay parallel"}};
  static constexpr TimeGrid time = {.end = 2, .dt = 1e-3, .save_every = 25};
  static constexpr Invariant invariants[] = {{"sin_theta", "1", Invariance::zero, "sine between the velocities"}};
  static constexpr Figure figures[] = {{2, "x1", 1.14901224},     {2, "y1", 2.07474062},     {2, "x2", 2.27468092},
                                       {2, "y2", 3.26100192},     {2, "x1_dot", 0.84734636}, {2, "y1_dot", 1.63092761},
                                       {2, "x2_dot", 0.74677563}, {2, "y2_dot", 1.43735438}};

  template <class P, class Q, class W>
  KALABA_FN static void start(const P&, Q& q, W& w) {
    q[0] = 0.0;
    q[1] = 0.0;
    q[2] = 1.0;
    q[3] = 1.0;
    w[0] = 0.3;
    w[1] = 0.4;
    w[2] = 0.6;
    w[3] = 0.8;
  }

  template <class P, class X>
  KALABA_FN static Vec<X, 1> psi(const P&, const X&, const Vec<X, 4>&, const Vec<X, 4>& w) {
    return {w[0] * w[3] - w[1] * w[2]};
  }

  template <class P, class X>
  KALABA_FN static Vec<X, 1> invariant(const P&, const X&, const Vec<X, 4>&, const Vec<X, 4>& w) {
    return {(w[0] * w[3] - w[1] * w[2]) / sqrt(first_squared(w) * second_squared(w))};
  }
};

}  // namespace kalaba
