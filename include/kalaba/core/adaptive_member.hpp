#pragma once

#include "kalaba/core/member_workspace.hpp"

namespace kalaba {

/// A member that goes at its own time and step: beside what every member keeps, its last accepted step, which ends at
/// or behind the time it was asked for.
template <class M, class X>
struct AdaptiveMember : Member<M, X> {
  using Q = Vec<X, Dim<M>::q>;
  using W = Vec<X, Dim<M>::w>;

  X accepted;  ///< steps so far
  X rejected;
  X time;                                                  ///< at the end of the last step
  X time_rest;                                             ///< what rounding left of it
  X length;                                                ///< of the last step
  X next;                                                  ///< length to try next; 0 before the first step
  X error_root;                                            ///< of the last step, as StepControl remembers it
  Q q_before, q_dot_before, q_after, q_dot_after, q_bend;  ///< the last step and its continuous extension
  W w_before, w_dot_before, w_after, w_dot_after, w_bend;

  /// Calls visit(numbers, how many) for what is kept between calls; kept_numbers counts them.
  template <class Visit>
  KALABA_FN void each_kept(const Visit& visit) {
    visit(&accepted, 1);
    visit(&rejected, 1);
    visit(&time, 1);
    visit(&time_rest, 1);
    visit(&length, 1);
    visit(&next, 1);
    visit(&error_root, 1);
    visit(q_before.data, Dim<M>::q);
    visit(q_dot_before.data, Dim<M>::q);
    visit(q_after.data, Dim<M>::q);
    visit(q_dot_after.data, Dim<M>::q);
    visit(q_bend.data, Dim<M>::q);
    visit(w_before.data, Dim<M>::w);
    visit(w_dot_before.data, Dim<M>::w);
    visit(w_after.data, Dim<M>::w);
    visit(w_dot_after.data, Dim<M>::w);
    visit(w_bend.data, Dim<M>::w);
  }
};

}  // namespace kalaba
