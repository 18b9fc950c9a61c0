#pragma once

#include "kalaba/core/dopri5.hpp"
#include "kalaba/core/member_workspace.hpp"

namespace kalaba {

/// A member that goes at its own time and step: beside what every member keeps, its last accepted step, which ends at
/// or behind the time it was asked for.
template <class M, class X>
struct AdaptiveMember : Member<M, X> {
  using Mask = MaskOf<X>;
  static constexpr int nq = Dim<M>::q;
  static constexpr int n = Dim<M>::w;
  using Q = Vec<X, nq>;
  using W = Vec<X, n>;

  X accepted;  ///< steps so far
  X rejected;
  X time;                                                  ///< at the end of the last step
  X time_rest;                                             ///< what rounding left of it
  X length;                                                ///< of the last step
  X next;                                                  ///< length to try next; 0 before the first step
  X error_root;                                            ///< of the last step, as StepControl remembers it
  Q q_before, q_dot_before, q_after, q_dot_after, q_bend;  ///< the last step and its continuous extension
  W w_before, w_dot_before, w_after, w_dot_after, w_bend;

  /// From the end of the last step to t.
  KALABA_FN X remaining(const X& t) const { return (t - time) - time_rest; }

  /// Makes the step that `made` holds, of length `step`, the last where it is accepted, and keeps its continuous
  /// extension. A `last` one of the run ends at `end`.
  template <class Team>
  KALABA_FN void keep(const Team& team, const Mask& accepted, const Dopri5<X, nq, n>& made, const X& step,
                      const Mask& last, const X& end) {
    using Method5 = Dopri5<X, nq, n>;
    constexpr int row = Method5::bend_row;
    constexpr int stages = Method5::stages;
    team.template each<nq>([&](int i) KALABA_LAMBDA {
      const X bend = Method5::template combined<row, stages>(made.q_dot, i);
      q_before[i] = select(accepted, q_after[i], q_before[i]);
      q_dot_before[i] = select(accepted, q_dot_after[i], q_dot_before[i]);
      q_after[i] = select(accepted, made.q[i], q_after[i]);
      q_dot_after[i] = select(accepted, made.q_dot(stages - 1, i), q_dot_after[i]);
      q_bend[i] = select(accepted, bend, q_bend[i]);
    });
    team.template each<n>([&](int i) KALABA_LAMBDA {
      const X bend = Method5::template combined<row, stages>(made.w_dot, i);
      w_before[i] = select(accepted, w_after[i], w_before[i]);
      w_dot_before[i] = select(accepted, w_dot_after[i], w_dot_before[i]);
      w_after[i] = select(accepted, made.w[i], w_after[i]);
      w_dot_after[i] = select(accepted, made.w_dot(stages - 1, i), w_dot_after[i]);
      w_bend[i] = select(accepted, bend, w_bend[i]);
    });
    team.once([&]() KALABA_LAMBDA {
      const X added = step + time_rest;  // Kahan's sum, so that single precision keeps time too
      const X sum = time + added;
      const X rest = added - (sum - time);
      time_rest = select(accepted, select(last, X(0), rest), time_rest);
      time = select(accepted, select(last, end, sum), time);
      length = select(accepted, step, length);
    });
  }

  /// Puts the `alive` lanes where the continuous extension of the last step is at t, or at its end where t lies behind
  /// it. Returns the lanes that are inside the step.
  template <class Team>
  KALABA_FN Mask go_to(const Team& team, const Mask& alive, const X& t) {
    const X behind = -remaining(t);
    const Mask inside = both(alive, behind > X(0));
    const X along = select(inside, X(1) - behind / select(inside, length, X(1)), X(1));
    const auto at = [&](const X& before, const X& dot_before, const X& after, const X& dot_after, const X& bend)
                        KALABA_LAMBDA {
                          const X left = X(1) - along;
                          const X change = after - before;
                          const X first = fma(length, dot_before, -change);
                          const X second = change - fma(length, dot_after, first);
                          const X curve = fma(left, fma(along, fma(left, length * bend, second), first), change);
                          return select(inside, fma(along, curve, before), after);
                        };
    team.template each<nq>([&](int i) KALABA_LAMBDA {
      const X there = at(q_before[i], q_dot_before[i], q_after[i], q_dot_after[i], q_bend[i]);
      this->q[i] = select(alive, there, this->q[i]);
    });
    team.template each<n>([&](int i) KALABA_LAMBDA {
      const X there = at(w_before[i], w_dot_before[i], w_after[i], w_dot_after[i], w_bend[i]);
      this->w[i] = select(alive, there, this->w[i]);
    });
    return inside;
  }

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
    visit(q_before.data, nq);
    visit(q_dot_before.data, nq);
    visit(q_after.data, nq);
    visit(q_dot_after.data, nq);
    visit(q_bend.data, nq);
    visit(w_before.data, n);
    visit(w_dot_before.data, n);
    visit(w_after.data, n);
    visit(w_dot_after.data, n);
    visit(w_bend.data, n);
  }
};

}  // namespace kalaba
