#pragma once

#include "kalaba/core/equal_step.hpp"
#include "kalaba/core/event_columns.hpp"
#include "kalaba/core/plain_step.hpp"
#include "kalaba/core/watch.hpp"

namespace kalaba {

/// Beside a member of equal steps whose events are watched: copies of it.
template <class M, class X>
struct WatchedMember : EventSpace<M, X> {
  Member<M, X> before;  ///< the present step
  Member<M, X> looked;  ///< at, within the step
  Member<M, X> whole;   ///< what a whole step leads to

  /// What can change of a member.
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

/// The member's time loop of equal steps (RK4).
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

  /// As `advance`, by general steps, with the numbers where they are.
  template <class Team>
  KALABA_FN void advance_generally(const Team& team, Member<M, X>& member, const Method& method, const TimeGrid& time,
                                   long first, long steps, const X& part = X(1)) {
    const auto p = prepared<M>(member.p);
    if constexpr (Base::differentiates) tangents.prepare(member.p);
    exchange_rotation(team, member, false);
    for (long step = 0; step < steps; ++step) {
      const Mask alive = member.status == X(0);
      if (!team.any(alive)) break;
      this->step_member(team, member, p, method, time, first + step, step, part, alive);
    }
    exchange_rotation(team, member, true);
  }
  /// Steps the member from step `first` of the grid. Members whose status is not ok keep still. The last step may be a
  /// part of one, from its beginning on. Compiled once and not for every use. A small model's numbers stay in
  /// registers: they are this function's own, and nothing else sees them.
  template <class Team>
  KALABA_NOINLINE void advance(const Team& team, Member<M, X>& member, const Method& method, const TimeGrid& time,
                               long first, long steps, const X& part = X(1)) {
    if constexpr (Team::size > 1) {
      advance_generally(team, member, method, time, first, steps, part);
    } else {
      Method known = method;
      if constexpr (requires { M::stabilized_by; }) known.stabilization.kind = M::stabilized_by;
      if constexpr (Base::small) {
        MemberLoop own;
        Member<M, X> moving = member;
        own.advance_alone(moving, known, time, first, steps, part);
        member = moving;
      } else {
        advance_alone(member, known, time, first, steps, part);
      }
    }
  }

  /// Brings a member at step `step` of the grid to t, before the next: one shorter step, as good as the others.
  template <class Team>
  KALABA_FN void advance_to(const Team& team, Member<M, X>& member, const Method& method, const TimeGrid& time,
                            long step, double t) {
    const double begin = time.at(step);
    advance(team, member, method, {.start = begin, .end = t, .dt = t - begin}, 0, 1);
  }

  /// When a lane that failed in a call from step `first` on did so.
  KALABA_FN static double time_of(const Member<M, X>& member, const TimeGrid& time, long first, int lane) {
    return time.at(first + static_cast<long>(lane_of(member.failed_step, lane)));
  }

  /// A step of the lanes `open` alone, where a plain one does not serve.
  KALABA_NOINLINE void step_generally(Member<M, X>& member, const Method& method, const TimeGrid& time, long step,
                                      long index, const X& part, const Mask& open) {
    this->step_member(Solo{}, member, prepared<M>(member.p), method, time, step, index, part, open);
  }

  /// Steps the member with an eye on its events: to the bits of `advance`, until one stops it. The state at a part of a
  /// step is that of a shorter step, as saved times between steps have it.
  template <class Team, class Rows>
  KALABA_FN void advance_watching(const Team& team, Member<M, X>& member, const Method& method, const TimeGrid& time,
                                  long first, long steps, const Watch& watch, WatchedMember<M, X>& watched,
                                  const Rows& rows) {
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
      const long step = first + i;
      const X end(time.at(step + 1));
      if (i == 0) look_here(X(time.at(step)), earlier);
      watched.copy(team, member, watched.before);
      advance(team, member, method, time, step, 1);
      const Mask moved = both(alive, member.status == X(0));
      const X here(static_cast<int>(i));
      team.single(
          [&]() KALABA_LAMBDA { member.failed_step = select(both(alive, !moved), here, watched.before.failed_step); });
      look_here(end, later);
      const WatchedStep<Team, Rows> watched_step{*this, team, member, method, time, step, here, watch, watched, rows};
      watch_any_step(team, watch, p, moved, earlier, later, part_tolerance(end, X(time.dt)), watched_step);
      for (int event = 0; event < watch.count; ++event) earlier[event] = later[event];
    }
  }

  /// The same to t, between step `step` of the grid, where the member is, and the next.
  template <class Team, class Rows>
  KALABA_FN void advance_watching_to(const Team& team, Member<M, X>& member, const Method& method, const TimeGrid& time,
                                     long step, double t, const Watch& watch, WatchedMember<M, X>& watched,
                                     const Rows& rows) {
    Member<M, X>& whole = watched.whole;
    watched.copy(team, member, whole);
    advance_watching(team, whole, method, time, step, 1, watch, watched, rows);
    advance_to(team, member, method, time, step, t);
    const Mask ended = both(whole.status == X(static_cast<int>(Status::stopped)), watched.ends <= X(t));
    copy_where(team, ended, whole, member);
    team.single([&]() KALABA_LAMBDA { member.status = select(ended, whole.status, member.status); });
    if constexpr (Base::differentiates) copy_where(Solo{}, ended, whole.columns, member.columns);
  }

 private:
  /// `advance` by one worker, by plain steps where the model has them.
  KALABA_FN void advance_alone(Member<M, X>& member, const Method& method, const TimeGrid& time, long first, long steps,
                               const X& part) {
    if constexpr (Base::plain) {
      if (states_single_row<M>()) return advance_plainly(*this, member, method, time, first, steps, part);
    }
    if constexpr (!Base::plain || requires { M::states_single_row(); }) {
      advance_generally(Solo{}, member, method, time, first, steps, part);
    }
  }

  /// A step of the grid as watch_step sees it.
  template <class Team, class Rows>
  struct WatchedStep {
    MemberLoop& loop;
    const Team& team;
    Member<M, X>& member;
    const Method& method;
    const TimeGrid& time;
    long step;
    X index;  ///< of the step in the call
    const Watch& watch;
    WatchedMember<M, X>& watched;
    const Rows& rows;

    KALABA_FN StateView<X> look(const X& part) const {
      watched.copy(team, watched.before, watched.looked);
      Member<M, X>& looked = watched.looked;
      loop.advance(team, looked, method, time, step, 1, part);
      const X t = time_in(time, step, part);
      loop.observe_for(watch, team, looked, method, t, looked, watched);
      return {t, looked.q.data, looked.w.data, watched.observed.data};
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

  /// Moves the warm start between the member and the pseudo-inverse, where it has one.
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
