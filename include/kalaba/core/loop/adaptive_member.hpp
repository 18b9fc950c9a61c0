#pragma once

#include "kalaba/core/loop/adaptive_columns.hpp"
#include "kalaba/core/member/member_workspace.hpp"
#include "kalaba/core/methods/kept_step.hpp"

namespace kalaba {

/// A member with its own time and step size: besides the common members, its last accepted step, which ends at or after
/// the time requested.
template <class M, class X, class Tableau>
struct AdaptiveMember : MemberWithColumns<M, X, Tableau>, KeptStep<X, Dim<M>::q, Dim<M>::w, Tableau> {
  using WithColumns = MemberWithColumns<M, X, Tableau>;
  using Kept = KeptStep<X, Dim<M>::q, Dim<M>::w, Tableau>;
  using Mask = MaskOf<X>;
  using RungeKutta = typename Kept::Step;
  static constexpr int persistent = WithColumns::persistent + 11 + Kept::numbers;  ///< in `for_each_persistent`

  X accepted;  ///< accepted steps so far
  X rejected;
  X stiff_steps;  ///< steps that stability limited, as core/methods/stiffness.hpp counts them
  X look_at;      ///< number of the first step that is examined for stiffness
  X time;         ///< at the end of the last step
  X time_rest;    ///< rounding remainder of `time` (compensated sum)
  X length;       ///< of the last step
  X next;         ///< length to try next; 0 before the first step
  X error_root;   ///< of the last step, in the form that StepControl stores
  X cuts;         ///< number of the last steps, in sequence, that conditions of formulas cut very short
  X is_within;    ///< 1 if the state requested lies within the last step, so that its inner numbers are needed

  /// Time from the end of the last step to t, s.
  KALABA_FN X remaining(const X& t) const { return (t - time) - time_rest; }

  /// `time` after a further step, unless that is the last one.
  KALABA_FN X time_after(const X& step_length) const { return time + (step_length + time_rest); }

  /// Makes `step`, of length `step_length`, the last one in the accepted lanes. The `last` step of the run ends at
  /// `end`.
  template <class Team>
  KALABA_FN void keep(const Team& team, const Mask& accepted, const RungeKutta& step, const X& step_length,
                      const Mask& last, const X& end) {
    this->keep_step(team, accepted, step);
    team.single([&]() KALABA_LAMBDA {
      const X added = step_length + time_rest;  // Kahan summation, so that the time is accurate in single precision too
      const X sum = time_after(step_length);
      const X rest = added - (sum - time);
      time_rest = select(accepted, select(last, X(0), rest), time_rest);
      time = select(accepted, select(last, end, sum), time);
      length = select(accepted, step_length, length);
    });
  }

  /// Sets the state of the `alive` lanes to the continuous extension of the last step at t, or to the end of the step
  /// if t is later. Returns the lanes in which t lies inside the step.
  template <class Team>
  KALABA_FN Mask go_to(const Team& team, const Mask& alive, const X& t) {
    const PlaceInStep<X> place = place_in_step(alive, t);
    this->put_at(team, alive, place, *this);
    if constexpr (WithColumns::any) this->of_columns.put_at(team, alive, place, this->columns);
    return place.inside;
  }
  /// Position of t in the last step of the `alive` lanes.
  KALABA_FN PlaceInStep<X> place_in_step(const Mask& alive, const X& t) const {
    const X behind = -remaining(t);
    const Mask inside = both(alive, behind > X(0));
    const X along = select(inside, max_of(X(1) - behind / select(inside, length, X(1)), X(0)), X(1));
    return {inside, along, X(1) - along, length};
  }

  /// Calls visit(numbers, count) for the persistent state: first the members that do not depend on the integrator, last
  /// those within the last step, if a lane needs them.
  template <class Visit>
  KALABA_FN void for_each_persistent(const Visit& visit) {
    Member<M, X>::for_each_persistent(visit);
    visit(&accepted, 1);
    visit(&rejected, 1);
    visit(&stiff_steps, 1);
    visit(&look_at, 1);
    visit(&time, 1);
    visit(&time_rest, 1);
    visit(&length, 1);
    visit(&next, 1);
    visit(&error_root, 1);
    visit(&cuts, 1);
    visit(&is_within, 1);
    this->for_each_number(visit);
    if constexpr (WithColumns::any) {
      this->of_columns.for_each_number(visit);
      visit(this->stopped_columns.q.data, this->stopped_columns.q.size);
      visit(this->stopped_columns.w.data, this->stopped_columns.w.size);
    }
    if (!any(X(0) < is_within)) return;
    this->for_each_within(visit);
    if constexpr (WithColumns::any) this->of_columns.for_each_within(visit);
  }
};

}  // namespace kalaba
