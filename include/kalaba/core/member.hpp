#pragma once

#include "kalaba/core/member_workspace.hpp"
#include "kalaba/core/rk4.hpp"
#include "kalaba/core/watch.hpp"

namespace kalaba {

/// Beside a member whose events are watched: two copies of it, and when an event ends it.
template <class M, class X>
struct WatchedMember {
  Member<M, X> before;  ///< the present step
  Member<M, X> looked;  ///< at, within the step
  X ends;               ///< s; NaN where no event does

  /// What can change of a member.
  template <class Team>
  KALABA_FN static void copy(const Team& team, const Member<M, X>& from, Member<M, X>& to) {
    constexpr int m = Dim<M>::constraints;
    team.template each<Dim<M>::parameters>([&](int i) KALABA_LAMBDA { to.p[i] = from.p[i]; });
    team.template each<Dim<M>::q>([&](int i) KALABA_LAMBDA { to.q[i] = from.q[i]; });
    team.template each<Dim<M>::w>([&](int i) KALABA_LAMBDA { to.w[i] = from.w[i]; });
    team.template each<m * m>([&](int i) KALABA_LAMBDA { to.rotation.data[i] = from.rotation.data[i]; });
    team.once([&]() KALABA_LAMBDA {
      to.status = from.status;
      to.failed_step = from.failed_step;
      to.rank = from.rank;
      to.rank_changes = from.rank_changes;
    });
  }
};

/// The member's time loop of equal steps (RK4).
template <class M, class X, template <class, int, int> class Inverse>
struct MemberLoop : MemberWorkspace<M, X, Inverse> {
  using Base = MemberWorkspace<M, X, Inverse>;
  using Kept = Member<M, X>;
  using Rate = typename Base::Rate;
  using Mask = typename Base::Mask;
  using Base::m;
  using Base::n;
  using Base::nq;
  using Base::projection;
  using Base::rate;

  /// Steps (by index, so that nothing depends on how a run is cut) between fresh starts of the pseudo-inverse.
  static constexpr long restart_every = 16;
  static constexpr bool keeps_rotation = true;  ///< between calls

  Rk4<X, nq, n> integrator;

  /// Steps the member from step `first` of the grid. Members whose status is not ok keep still. The last step may be a
  /// part of one, from its beginning on.
  template <class Team>
  KALABA_FN void advance(const Team& team, Member<M, X>& member, const Method& method, const TimeGrid& time, long first,
                         long steps, const X& part = X(1)) {
    const auto p = prepared<M>(member.p);
    exchange_rotation(team, member, false);
    for (long step = 0; step < steps; ++step) {
      const Mask alive = member.status == X(0);
      if (!team.any(alive)) break;
      const X code = try_step(team, member, p, method, time, first + step, part, alive);
      const Mask moved = both(alive, code == X(0));
      team.template each<nq>([&](int i) KALABA_LAMBDA { member.q[i] = select(moved, integrator.q[i], member.q[i]); });
      team.template each<n>([&](int i) KALABA_LAMBDA { member.w[i] = select(moved, integrator.w[i], member.w[i]); });
      team.once([&]() KALABA_LAMBDA {
        member.failed_step = select(both(alive, !moved), X(static_cast<int>(step)), member.failed_step);
        member.status = select(alive, code, member.status);
      });
    }
    exchange_rotation(team, member, true);
  }
  /// The same, compiled once and not for every use.
  template <class Team>
  KALABA_BODY void advance_apart(const Team& team, Member<M, X>& member, const Method& method, const TimeGrid& time,
                                 long first, long steps, const X& part = X(1)) {
    advance(team, member, method, time, first, steps, part);
  }

  /// Steps the member with an eye on its events: to the bits of `advance`, until one stops it. The state at a part of a
  /// step is that of a shorter step, as saved times between steps have it.
  template <class Team, class Rows>
  KALABA_FN void advance_watching(const Team& team, Member<M, X>& member, const Method& method, const TimeGrid& time,
                                  long first, long steps, const Watch& watch, WatchedMember<M, X>& watched,
                                  const Rows& rows) {
    for (long i = 0; i < steps; ++i) {
      const Mask alive = member.status == X(0);
      if (!team.any(alive)) break;
      const long step = first + i;
      const X end(time.at(step + 1));
      X earlier[Watch::most_events];
      X later[Watch::most_events];
      const X* p = member.p.data;
      watch_values(watch, p, Seen<X>{X(time.at(step)), member.q.data, member.w.data}, earlier);
      watched.copy(team, member, watched.before);
      advance_apart(team, member, method, time, step, 1);
      const Mask moved = both(alive, member.status == X(0));
      const X here(static_cast<int>(i));
      team.once(
          [&]() KALABA_LAMBDA { member.failed_step = select(both(alive, !moved), here, watched.before.failed_step); });
      watch_values(watch, p, Seen<X>{end, member.q.data, member.w.data}, later);
      const WatchedStep<Team, Rows> made{*this, team, member, method, time, step, here, watch, watched, rows};
      watch_any_step(team, watch, p, moved, earlier, later, part_tolerance(end, X(time.dt)), made);
    }
  }

  /// Takes the member to t, between step `step` of the grid, where it is, and the next, where an event may have stopped
  /// it.
  template <class Team, class Rows>
  KALABA_FN void advance_between(const Team& team, Member<M, X>& member, const Method& method, const TimeGrid& time,
                                 long step, double t, const Watch& watch, WatchedMember<M, X>& watched,
                                 Member<M, X>& whole, const Rows& rows) {
    watched.copy(team, member, whole);
    advance_watching(team, whole, method, time, step, 1, watch, watched, rows);
    const double begin = time.at(step);
    advance_apart(team, member, method, {.start = begin, .end = t, .dt = t - begin}, 0, 1);
    const Mask ended = both(whole.status == X(static_cast<int>(Status::stopped)), watched.ends <= X(t));
    team.template each<nq>([&](int i) KALABA_LAMBDA { member.q[i] = select(ended, whole.q[i], member.q[i]); });
    team.template each<n>([&](int i) KALABA_LAMBDA { member.w[i] = select(ended, whole.w[i], member.w[i]); });
    team.once([&]() KALABA_LAMBDA { member.status = select(ended, whole.status, member.status); });
  }

 private:
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

    KALABA_FN Seen<X> look(const X& part) const {
      watched.copy(team, watched.before, watched.looked);
      loop.advance_apart(team, watched.looked, method, time, step, 1, part);
      return {time_in(time, step, part), watched.looked.q.data, watched.looked.w.data};
    }
    KALABA_FN void record(int event, const Mask& counts, const Seen<X>& seen) const {
      record_event(team, {nq, n}, event, counts, seen, rows);
      if (watch.events[event].action == EventAction::record) return;
      team.template each<nq>([&](int i) KALABA_LAMBDA { member.q[i] = select(counts, seen.q[i], member.q[i]); });
      team.template each<n>([&](int i) KALABA_LAMBDA { member.w[i] = select(counts, seen.w[i], member.w[i]); });
      team.once([&]() KALABA_LAMBDA {
        member.failed_step = select(counts, index, member.failed_step);
        member.status = select(counts, X(static_cast<int>(Status::stopped)), member.status);
        watched.ends = select(counts, seen.t, watched.ends);
      });
    }
  };

  /// One step into the integrator's workspace; returns a status code.
  template <class Team>
  KALABA_FN X try_step(const Team& team, Member<M, X>& member, const Prepared<M, X>& p, const Method& method,
                       const TimeGrid& time, long step, const X& part, const Mask& alive) {
    X code(0);
    const auto evaluate = [&](int stage, const X& t, const Vec<X, nq>& q, const Vec<X, n>& w) KALABA_LAMBDA {
      const bool warm = stage > 0 || step % restart_every != 0;
      const X found = rate.template evaluate<true>(team, method, p, t, q, w, warm, stage == 0);
      code = select(code == X(0), found, code);
      if (stage == 0) this->count_rank_change(team, member, alive);
    };
    integrator.step(team, X(time.at(step)), part * X(time.dt), member.q, member.w, rate.q_dot, rate.w_dot, evaluate);
    return this->settle(team, method, p, time_in(time, step, part), integrator.q, integrator.w, alive, code);
  }

  KALABA_FN static X time_in(const TimeGrid& time, long step, const X& part) {
    const X end(time.at(step + 1));
    return select(part == X(1), end, fma(part - X(1), X(time.dt), end));
  }

  /// Moves the warm start between the member and the pseudo-inverse, where it has one.
  template <class Team>
  KALABA_FN void exchange_rotation(const Team& team, Member<M, X>& member, bool out) {
    if constexpr (requires(typename Rate::Inverse & inverse) { inverse.rotation.data; }) {
      team.template each<m * m>([&](int i) KALABA_LAMBDA {
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
