#pragma once

#include "kalaba/core/base/real.hpp"

namespace kalaba {

/// Detection of steps that stability limits, and not the tolerance, after Hairer and Wanner's codes DOPRI5 and DOP853
/// (Solving Ordinary Differential Equations II, section IV.2). Two stages at the end of a step, whose states differ by
/// (dq, dw) and whose rates by (dq', dw'), give an estimate of the largest eigenvalue in size of the Jacobian,
///
///   |lambda|^2 = |dq'| |dw'| / (|dq| |dw|),
///
/// which does not depend on the units of q, w and t. A step is stiff if the length times |lambda| is at the boundary of
/// the method's stability domain. A member is stiff after `enough` such steps, without `few` other steps in sequence
/// between two of them. Until the first one, only every `apart`-th step is examined.
struct Stiffness {
  static constexpr int apart = 64;
  static constexpr int enough = 15;
  static constexpr int few = 6;

  static constexpr double never = 1e30;

  /// Stores the result of step number `step`, which was examined: the number of stiff steps, and the number of the next
  /// step that is examined, or in between two stiff steps of the first one after the last of them.
  template <class X>
  KALABA_FN static void note(const MaskOf<X>& examined, const MaskOf<X>& stiff, const X& step, X& stiff_steps,
                             X& look_at) {
    const X more = stiff_steps + X(1);
    const MaskOf<X> waits = both(X(0) < stiff_steps, step - look_at < X(few - 1));
    const MaskOf<X> ends = both(examined, !either(stiff, waits));
    stiff_steps = select(stiff, more, select(ends, X(0), stiff_steps));
    const X next = select(more < X(enough), step + X(1), X(never));
    look_at = select(stiff, next, select(ends, step + X(apart), look_at));
  }
  /// Returns the lanes in which `length` times |lambda| exceeds `bound`, from the squares of the norms.
  template <class X>
  KALABA_FN static MaskOf<X> is_stiff(double bound, const X& length, const X& q_dot2, const X& w_dot2, const X& q2,
                                      const X& w2) {
    return X(bound * bound) * (sqrt(q2) * sqrt(w2)) < length * sqrt(q_dot2) * (length * sqrt(w_dot2));
  }
};

}  // namespace kalaba
