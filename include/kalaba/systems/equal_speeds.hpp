#pragma once

#include "kalaba/systems/two_pucks.hpp"

namespace kalaba {

/// Two pucks of equal speed, a nonlinear nonholonomic constraint [RH section 5].
struct EqualSpeeds : TwoPucks {
  static constexpr const char* name = "equal_speeds";
  static constexpr const char* summary = "two pucks of equal speed";
  static constexpr const char* source = "Roithmayr, Hodges, section 5 (eq. 53-55)";
  static constexpr const char* equations =
      "psi = (|v2|^2 - |v1|^2) / 2 = 0\n"
      "C2 = lambda v2,  C1 = -lambda v1";
  static constexpr Quantity nonholonomic[] = {{"equal", "m^2/s^2", 0, "the pucks stay equally fast"}};
  static constexpr TimeGrid time = {.end = 2, .dt = 1e-3, .save_every = 25};
  static constexpr Invariant invariants[] = {{"speed_difference", "m/s", Invariance::zero, "|v2| - |v1|"}};
  static constexpr Figure figures[] = {{2, "x1", 2.12838541},      {2, "y1", 0.92821747},     {2, "x2", -0.48746899},
                                       {2, "y2", 2.80082022},      {2, "x1_dot", 1.78382698}, {2, "y1_dot", 0.5540912},
                                       {2, "x2_dot", -1.08750233}, {2, "y2_dot", 1.51868181}};

  template <class P, class Q, class W>
  KALABA_FN static void start(const P&, Q& q, W& w) {
    q[0] = 0.0;
    q[1] = 0.0;
    q[2] = 1.0;
    q[3] = 1.0;
    w[0] = 0.3;
    w[1] = 0.4;
    w[2] = -0.4;
    w[3] = 0.3;
  }

  template <class P, class X>
  KALABA_FN static Vec<X, 1> psi(const P&, const X&, const Vec<X, 4>&, const Vec<X, 4>& w) {
    return {(second_squared(w) - first_squared(w)) * 0.5};
  }

  template <class P, class X>
  KALABA_FN static Vec<X, 1> invariant(const P&, const X&, const Vec<X, 4>&, const Vec<X, 4>& w) {
    return {sqrt(second_squared(w)) - sqrt(first_squared(w))};
  }
};

}  // namespace kalaba
