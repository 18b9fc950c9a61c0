#pragma once

#include "kalaba/core/cubic.hpp"
#include "kalaba/core/equal_step.hpp"
#include "kalaba/core/event_columns.hpp"
#include "kalaba/core/pause.hpp"
#include "kalaba/core/plain_step.hpp"
#include "kalaba/core/watch.hpp"

namespace kalaba {

/// Additional workspace of a member with equal steps whose events are detected.
template <class M, class X>
struct WatchedMember : EventSpace<M, X> {
  Member<M, X> before;                                   ///< the member at the beginning of the present step
  Member<M, X> looked;                                   ///< the member within the step
  Member<M, X> whole;                                    ///< the member at the end of a whole step
  State<X, Dim<M>::q, Dim<M>::w> dot_before, dot_after;  ///< rates at the ends of the step
  State<X, Dim<M>::q, Dim<M>::w> glanced;                ///< the cubic through its ends at a part of the step

  /// Copies the parts of a member that can change.
  template <class Team>
  KALABA_FN static void copy(const Team& team, const Member<M, X>& from, Member<M, X>& to) {
    constexpr int m = Dim<M>::constraints;
    team.template for_each<Dim<M>::parameters>([&](int i) KALABA_LAMBDA { to.p[i] = from.p[i]; });
    kalaba::copy(team, from, to);
    team.template for_each<m * m>([&](int i) KALABA_LAMBDA { to.rotation.data[i] = from.rotation.data[i]; });
    team.single([&]() KALABA_LAMBDA {
      if constexpr (Dim<M>::sensitivities > 0) to.columns = from.columns;
      to.status = from.status;
      to.failed_step = from.failed_step;
      to.rank = from.rank;
      to.rank_changes = from.rank_changes;
      to.passing = from.passing;
      to.singular_passages = from.singular_passages;
      to.svd_stages = from.svd_stages;
    });
  }
};

/// Time loop of a member with equal steps (RK4).
template <class M, class X, template <class, int, int> class Inverse>
struct MemberLoop : EqualStep<M, X, Inverse> {
  using Base = EqualStep<M, X, Inverse>;
  using PersistentState = Member<M, X>;
  using Space = WatchedMember<M, X>;
  using Base::m;
  using Base::n;
  using Base::nq;
  using Base::rate;
  using Base::tangents;
  using Base::time_in;
  using typename Base::Mask;
  using typename Base::Rate;

  static constexpr bool keeps_rotation = true;  ///< between calls

  /// Like `advance`, on the general path, with the member's numbers in place.
  template <class Team, class Pause = NoPause>
  KALABA_FN long advance_generally(const Team& team, Member<M, X>& member, const Method& method, const TimeGrid& time,
                                   long first, long steps, const Pause& pause = {}, const X& part = X(1)) {
    const auto p = prepared<M>(member.p);
    if constexpr (Base::differentiates) tangents.prepare(member.p);
    exchange_rotation(team, member, false);
    long made = steps;  // counted for members that do not move, too
    for (long step = 0; step < steps; ++step) {
      const Mask alive = member.status == X(0);
      if (!team.any(alive)) break;
      if (step > 0 && pause.wanted()) {
        made = step;
        break;
      }
      this->step_member(team, member, p, method, time, first + step, step, part, alive);
    }
    exchange_rotation(team, member, true);
    return made;
  }
  /// Advances the member from step `first` of the grid. Returns the number of steps made: `steps`, or fewer, but at
  /// least one, after a pause request. Members whose status is not ok do not move. The last step may be a part of one,
  /// from its beginning on. Compiled once, not at every call site. The numbers of a small model stay in registers: they
  /// are local variables of this function.
  template <class Team, class Pause = NoPause>
  KALABA_NOINLINE long advance(const Team& team, Member<M, X>& member, const Method& method, const TimeGrid& time,
                               long first, long steps, const Pause& pause = {}, const X& part = X(1)) {
    if constexpr (Team::size > 1) {
      return advance_generally(team, member, method, time, first, steps, pause, part);
    } else {
      Method known = method;
      if constexpr (requires { M::stabilized_by; }) known.stabilization.kind = M::stabilized_by;
      if constexpr (Base::small) {
        MemberLoop own;
        Member<M, X> moving = member;
        const long made = own.advance_alone(moving, known, time, first, steps, pause, part);
        member = moving;
        return made;
      } else {
        return advance_alone(member, known, time, first, steps, pause, part);
      }
    }
  }

  /// Advances a member at step `step` of the grid to t, before the next: one shorter step of the same accuracy.
  template <class Team, class Pause = NoPause>
  KALABA_FN void advance_to(const Team& team, Member<M, X>& member, const Method& method, const TimeGrid& time,
                            long step, double t, const Pause& pause = {}) {
    const double begin = time.at(step);
    advance(team, member, method, {.start = begin, .end = t, .dt = t - begin}, 0, 1, pause);
  }

  /// Time at which a failed lane failed in a call that began at step `first`, s.
  KALABA_FN static double time_of(const Member<M, X>& member, const TimeGrid& time, long first, int lane) {
    return time.at(first + static_cast<long>(lane_of(member.failed_step, lane)));
  }

  /// Makes a step in the lanes `open` only, where the fast path failed.
  KALABA_NOINLINE void step_generally(Member<M, X>& member, const Method& method, const TimeGrid& time, long step,
                                      long index, const X& part, const Mask& open) {
    this->step_member(Solo{}, member, prepared<M>(member.p), method, time, step, index, part, open);
  }

  /// Advances the member with detection of its events: the same bits as `advance`, until an event stops the member. The
  /// state at a part of a step is that of a shorter step, as at saved times between steps.
  template <class Team, class Rows, class Pause = NoPause>
  KALABA_FN long advance_watching(const Team& team, Member<M, X>& member, const Method& method, const TimeGrid& time,
                                  long first, long steps, const Watch& watch, WatchedMember<M, X>& watched,
                                  const Rows& rows, const Pause& pause = {}) {
    const X* p = member.p.data;
    X earlier[Watch::most_events];
    X later[Watch::most_events];
    const auto look_here = [&](const X& t, X* values) KALABA_LAMBDA {
      this->observe_for(watch, team, member, method, t, member, watched);
      watch_values(watch, p, StateView<X>{t, member.q.data, member.w.data, watched.observed.data}, values);
    };
    for (long i = 0; i < steps; ++i) {
      const Mask alive = member.status == X(0);
      if (!team.any(alive)) break;
      if (i > 0 && pause.wanted()) return i;
      const long step = first + i;
      const X end(time.at(step + 1));
      if (i == 0) {
        look_here(X(time.at(step)), earlier);
        find_rates(team, member, method, X(time.at(step)), watched.dot_before);
      }
      watched.copy(team, member, watched.before);
      advance(team, member, method, time, step, 1, pause);
      const Mask moved = both(alive, member.status == X(0));
      const X here(static_cast<int>(i));
      team.single(
          [&]() KALABA_LAMBDA { member.failed_step = select(both(alive, !moved), here, watched.before.failed_step); });
      look_here(end, later);
      find_rates(team, member, method, end, watched.dot_after);
      const WatchedStep<Team, Rows, Pause> watched_step{*this, team,  member,  method, time, step,
                                                        here,  watch, watched, rows,   pause};
      watch_any_step(team, watch, p, moved, earlier, later, part_tolerance(end, X(time.dt)), watched_step);
      for (int event = 0; event < watch.count; ++event) earlier[event] = later[event];
      copy(team, watched.dot_after, watched.dot_before);
    }
    return steps;
  }

  /// Like advance_watching, to t, which lies between step `step` of the grid, where the member is, and the next.
  template <class Team, class Rows, class Pause = NoPause>
  KALABA_FN void advance_watching_to(const Team& team, Member<M, X>& member, const Method& method, const TimeGrid& time,
                                     long step, double t, const Watch& watch, WatchedMember<M, X>& watched,
                                     const Rows& rows, const Pause& pause = {}) {
    Member<M, X>& whole = watched.whole;
    watched.copy(team, member, whole);
    advance_watching(team, whole, method, time, step, 1, watch, watched, rows, pause);
    advance_to(team, member, method, time, step, t, pause);
    const Mask ended = both(whole.status == X(static_cast<int>(Status::stopped)), watched.ends <= X(t));
    copy_where(team, ended, whole, member);
    team.single([&]() KALABA_LAMBDA { member.status = select(ended, whole.status, member.status); });
    if constexpr (Base::differentiates) copy_where(Solo{}, ended, whole.columns, member.columns);
  }

 private:
  /// `advance` by one worker, on the fast path if the model has one.
  template <class Pause>
  KALABA_FN long advance_alone(Member<M, X>& member, const Method& method, const TimeGrid& time, long first, long steps,
                               const Pause& pause, const X& part) {
    if constexpr (Base::plain) {
      if (states_single_row<M>()) return advance_plainly(*this, member, method, time, first, steps, pause, part);
    }
    if constexpr (!Base::plain || requires { M::states_single_row(); }) {
      return advance_generally(Solo{}, member, method, time, first, steps, pause, part);
    }
    return steps;
  }

  /// Computes the rates of a member at t.
  template <class Team>
  KALABA_FN void find_rates(const Team& team, const Member<M, X>& member, const Method& method, const X& t,
                            State<X, nq, n>& dot) {
    const auto rule = RankRule<X>::at_step(method, member.rank);
    rate.evaluate(team, method, rule, prepared<M>(member.p), t, member.q, member.w, false, false);
    kalaba::copy(team, rate.dot, dot);
  }

  /// A step of the grid, in the form that watch_step requires.
  template <class Team, class Rows, class Pause>
  struct WatchedStep {
    MemberLoop& loop;
    const Team& team;
    Member<M, X>& member;
    const Method& method;
    const TimeGrid& time;
    long step;
    X index;  ///< index of the step in the call
    const Watch& watch;
    WatchedMember<M, X>& watched;
    const Rows& rows;
    const Pause& pause;

    KALABA_FN static constexpr int parts() { return 4; }
    KALABA_FN StateView<X> look(const X& part) const {
      watched.copy(team, watched.before, watched.looked);
      Member<M, X>& looked = watched.looked;
      loop.advance(team, looked, method, time, step, 1, pause, part);
      const X t = time_in(time, step, part);
      loop.observe_for(watch, team, looked, method, t, looked, watched);
      return {t, looked.q.data, looked.w.data, watched.observed.data};
    }
    KALABA_FN StateView<X> glance(const X& part) const {
      const PlaceInStep<X> place = {part < X(1), part, X(1) - part, X(time.dt)};
      for_numbers<nq, n>(team, [&](auto of, int i) KALABA_LAMBDA {
        of(watched.glanced)[i] = cubic_at(place, of(watched.before)[i], of(member)[i], of(watched.dot_before)[i],
                                          of(watched.dot_after)[i], X(0));
      });
      const X t = time_in(time, step, part);
      loop.observe_for(watch, team, member, method, t, watched.glanced, watched);
      return {t, watched.glanced.q.data, watched.glanced.w.data, watched.observed.data};
    }
    KALABA_FN void record(int event, const Mask& counts, const StateView<X>& state) const {
      const bool stops = watch.events[event].action != EventAction::record;
      if constexpr (Base::differentiates) {
        EventColumns<M, X> columns;
        columns.find(loop, watch, event, method, watched.looked, state.t);
        columns.note(event, counts, rows);
        if (stops) columns.stop(counts, member.columns);
      }
      record_event(team, {nq, n, Dim<M>::sensitivities}, event, counts, state, rows);
      if (!stops) return;
      team.template for_each<nq>([&](int i) KALABA_LAMBDA { member.q[i] = select(counts, state.q[i], member.q[i]); });
      team.template for_each<n>([&](int i) KALABA_LAMBDA { member.w[i] = select(counts, state.w[i], member.w[i]); });
      team.single([&]() KALABA_LAMBDA {
        member.failed_step = select(counts, index, member.failed_step);
        member.status = select(counts, X(static_cast<int>(Status::stopped)), member.status);
        watched.ends = select(counts, state.t, watched.ends);
      });
    }
  };

  /// Copies the warm start between the member and the pseudo-inverse, if that has one.
  template <class Team>
  KALABA_FN void exchange_rotation(const Team& team, Member<M, X>& member, bool out) {
    if constexpr (requires(typename Rate::Inverse & inverse) { inverse.rotation.data; }) {
      team.template for_each<m * m>([&](int i) KALABA_LAMBDA {
        if (out) {
          member.rotation.data[i] = rate.inverse.rotation.data[i];
        } else {
          rate.inverse.rotation.data[i] = member.rotation.data[i];
        }
      });
    }
  }
};

}  // namespace kalaba
