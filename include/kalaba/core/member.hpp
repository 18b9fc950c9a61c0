#pragma once

#include "kalaba/core/column_step.hpp"
#include "kalaba/core/event_columns.hpp"
#include "kalaba/core/member_workspace.hpp"
#include "kalaba/core/watch.hpp"

namespace kalaba {

/// Beside a member of equal steps whose events are watched: two copies of it.
template <class M, class X>
struct WatchedMember : EventSpace<M, X> {
  Member<M, X> before;  ///< the present step
  Member<M, X> looked;  ///< at, within the step

  /// What can change of a member.
  template <class Team>
  KALABA_FN static void copy(const Team& team, const Member<M, X>& from, Member<M, X>& to) {
    constexpr int m = Dim<M>::constraints;
    team.template for_each<Dim<M>::parameters>([&](int i) KALABA_LAMBDA { to.p[i] = from.p[i]; });
    team.template for_each<Dim<M>::q>([&](int i) KALABA_LAMBDA { to.q[i] = from.q[i]; });
    team.template for_each<Dim<M>::w>([&](int i) KALABA_LAMBDA { to.w[i] = from.w[i]; });
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
struct MemberLoop : MemberWorkspace<M, X, Inverse> {
  using Base = MemberWorkspace<M, X, Inverse>;
  using PersistentState = Member<M, X>;
  using Rate = typename Base::Rate;
  using Mask = typename Base::Mask;
  using Base::m;
  using Base::n;
  using Base::nq;
  using Base::projection;
  using Base::rate;
  using Base::tangents;

  /// Steps (by index, so that nothing depends on how a run is cut) between fresh starts of the pseudo-inverse.
  static constexpr long restart_every = 16;
  static constexpr bool keeps_rotation = true;  ///< between calls
  /// Steps of this length to a singular position from where on stages are put on the constraints.
  static constexpr double steps_near = 32;

  Rk4<X, nq, n> integrator;
  ColumnStep<M, X> columns_of_step;
  KeptRotation<X, Base::can_pass ? m : 0> rotation_of_step;

  /// Steps the member from step `first` of the grid. Members whose status is not ok keep still. The last step may be a
  /// part of one, from its beginning on.
  template <class Team>
  KALABA_FN void advance(const Team& team, Member<M, X>& member, const Method& method, const TimeGrid& time, long first,
                         long steps, const X& part = X(1)) {
    const auto p = prepared<M>(member.p);
    if constexpr (Base::differentiates) tangents.prepare(member.p);
    exchange_rotation(team, member, false);
    for (long step = 0; step < steps; ++step) {
      const Mask alive = member.status == X(0);
      if (!team.any(alive)) break;
      step_member(team, member, p, method, time, first + step, step, part, alive);
    }
    exchange_rotation(team, member, true);
  }
  /// The same, compiled once and not for every use. A small model's numbers stay in registers: they are this function's
  /// own, and nothing else sees them.
  template <class Team>
  KALABA_NOINLINE void advance_noinline(const Team& team, Member<M, X>& member, const Method& method,
                                        const TimeGrid& time, long first, long steps, const X& part = X(1)) {
    if constexpr (Base::small && Team::size == 1) {
      MemberLoop own;
      Member<M, X> moving = member;
      Method known = method;
      if constexpr (requires { M::stabilized_by; }) known.stabilization.kind = M::stabilized_by;
      own.advance(team, moving, known, time, first, steps, part);
      member = moving;
    } else {
      advance(team, member, method, time, first, steps, part);
    }
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
      this->observe_for(watch, team, member, method, t, member.q, member.w, watched);
      watch_values(watch, p, StateView<X>{t, member.q.data, member.w.data, watched.observed.data}, values);
    };
    for (long i = 0; i < steps; ++i) {
      const Mask alive = member.status == X(0);
      if (!team.any(alive)) break;
      const long step = first + i;
      const X end(time.at(step + 1));
      if (i == 0) look_here(X(time.at(step)), earlier);
      watched.copy(team, member, watched.before);
      advance_noinline(team, member, method, time, step, 1);
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

  /// Takes the member to t, between step `step` of the grid, where it is, and the next, where an event may have stopped
  /// it.
  template <class Team, class Rows>
  KALABA_FN void advance_between(const Team& team, Member<M, X>& member, const Method& method, const TimeGrid& time,
                                 long step, double t, const Watch& watch, WatchedMember<M, X>& watched,
                                 Member<M, X>& whole, const Rows& rows) {
    watched.copy(team, member, whole);
    advance_watching(team, whole, method, time, step, 1, watch, watched, rows);
    const double begin = time.at(step);
    advance_noinline(team, member, method, {.start = begin, .end = t, .dt = t - begin}, 0, 1);
    const Mask ended = both(whole.status == X(static_cast<int>(Status::stopped)), watched.ends <= X(t));
    team.template for_each<nq>([&](int i) KALABA_LAMBDA { member.q[i] = select(ended, whole.q[i], member.q[i]); });
    team.template for_each<n>([&](int i) KALABA_LAMBDA { member.w[i] = select(ended, whole.w[i], member.w[i]); });
    team.single([&]() KALABA_LAMBDA { member.status = select(ended, whole.status, member.status); });
    if constexpr (Base::differentiates) {
      Columns<M, X>& columns = member.columns;
      for (int i = 0; i < columns.q.size; ++i) columns.q[i] = select(ended, whole.columns.q[i], columns.q[i]);
      for (int i = 0; i < columns.w.size; ++i) columns.w[i] = select(ended, whole.columns.w[i], columns.w[i]);
    }
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

    KALABA_FN StateView<X> look(const X& part) const {
      watched.copy(team, watched.before, watched.looked);
      Member<M, X>& looked = watched.looked;
      loop.advance_noinline(team, looked, method, time, step, 1, part);
      const X t = time_in(time, step, part);
      loop.observe_for(watch, team, looked, method, t, looked.q, looked.w, watched);
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

  /// Step `step` of the grid, number `index` of the call, or a part of it from its beginning on.
  template <class Team>
  KALABA_FN void step_member(const Team& team, Member<M, X>& member, const Prepared<M, X>& p, const Method& method,
                             const TimeGrid& time, long step, long index, const X& part, const Mask& alive) {
    const X rank_changes = member.rank_changes;
    if constexpr (Base::can_pass) {
      const Mask careful = this->careful(member, method, alive);
      const Mask others = both(alive, !careful);
      const bool some = team.any(careful);
      if (team.any(others)) {
        const X code = try_step(team, member, p, method, time, step, part, others);
        accept(team, member, integrator, code, others, index);
        accept_columns(member, code, others);
        if (some) rotation_of_step.keep(rate.inverse);
      }
      if (some) step_past(team, member, p, method, time, step, index, part, careful);
      if (some && team.any(others)) rotation_of_step.restore(rate.inverse, others);
      forget_columns(member, careful);
    } else {
      const X code = try_step(team, member, p, method, time, step, part, alive);
      accept(team, member, integrator, code, alive, index);
      accept_columns(member, code, alive);
    }
    forget_columns(member, rank_changes < member.rank_changes);
  }

  /// Takes over what a step led to where it was `made`.
  template <class Team, class Made>
  KALABA_FN void accept(const Team& team, Member<M, X>& member, const Made& step, const X& code, const Mask& made,
                        long index) {
    const Mask moved = both(made, code == X(0));
    team.template for_each<nq>([&](int i) KALABA_LAMBDA { member.q[i] = select(moved, step.q[i], member.q[i]); });
    team.template for_each<n>([&](int i) KALABA_LAMBDA { member.w[i] = select(moved, step.w[i], member.w[i]); });
    team.single([&]() KALABA_LAMBDA {
      member.failed_step = select(both(made, !moved), X(static_cast<int>(index)), member.failed_step);
      member.status = select(made, code, member.status);
    });
  }

  /// The columns of a step that was `made`.
  KALABA_FN void accept_columns(Member<M, X>& member, const X& code, const Mask& made) {
    if constexpr (Base::differentiates) columns_of_step.accept(both(made, code == X(0)), member.columns);
  }
  /// Where the rank of A changes, or may, there is no derivative.
  KALABA_FN void forget_columns(Member<M, X>& member, const Mask& where) {
    if constexpr (Base::differentiates) columns_of_step.forget(where, member.columns);
  }

  /// One step into the integrator's workspace; returns a status code.
  template <class Team>
  KALABA_FN X try_step(const Team& team, Member<M, X>& member, const Prepared<M, X>& p, const Method& method,
                       const TimeGrid& time, long step, const X& part, const Mask& alive) {
    X code(0);
    Passage<X> passage{};
    const auto evaluate = [&](int stage, const X& t, const Vec<X, nq>& q, const Vec<X, n>& w) KALABA_LAMBDA {
      const bool warm = stage > 0 || step % restart_every != 0;
      const auto rule =
          stage == 0 ? RankRule<X>::at_step(method, member.rank) : RankRule<X>::within_step(method, member.rank);
      const X found = rate.template evaluate<true>(team, method, rule, p, t, q, w, warm, stage == 0);
      code = select(code == X(0), found, code);
      this->count_svd_stage(team, member, alive);
      if (stage == 0) this->count_rank_change(team, member, alive, this->rank_found());
      if constexpr (Base::can_pass) {
        if (stage == 0) {
          passage.begin(rate.inverse.least_value(Passage<X>::look_value));
        } else if (KALABA_FOR_GPU) {  // where the branch would take registers
          passage.note(rate.inverse.least_value(Passage<X>::look_value));
        } else if (passage.in_sight()) {
          passage.note_in_sight(rate.inverse.least_value(Passage<X>::look_value));
        }
      }
      if constexpr (Base::differentiates) {
        tangents.evaluate(rate, method, t, q, w, columns_of_step.at_stage(), columns_of_step.rates);
        columns_of_step.add(stage, part * X(time.dt), member.columns);
      }
    };
    if constexpr (Base::differentiates) columns_of_step.begin(member.columns);
    integrator.step(team, X(time.at(step)), part * X(time.dt), member.q, member.w, rate.q_dot, rate.w_dot, evaluate);
    const bool counts = KALABA_FOR_GPU || passage.in_sight() || any(X(0) < member.passing);
    if (counts) this->count_passage(team, member, alive, steps_near, passage);
    return this->project_and_check(team, method, RankRule<X>(method.rank_tolerance), p, time_in(time, step, part),
                                   integrator.q, integrator.w, alive, code, columns_of_step.end);
  }

  /// A step near a singular position, of the lanes `careful`. Where it goes through one between its stages, it is made
  /// in two parts that meet near there.
  template <class Team>
  KALABA_NOINLINE void step_past(const Team& team, Member<M, X>& member, const Prepared<M, X>& p, const Method& method,
                                 const TimeGrid& time, long step, long index, const X& part, const Mask& careful) {
    Passage<X> passage{};
    const auto go = [&](const X& from, const X& to, const Mask& lanes) KALABA_LAMBDA {
      const X t = fma(from, X(time.dt), X(time.at(step)));
      return this->pass(team, member, method, p, t, (to - from) * X(time.dt), time_in(time, step, to), member.q,
                        member.w, lanes, passage);
    };
    X code = go(X(0), part, careful);
    const X middle = passage.split() * part;
    const Mask split = both(both(careful, code == X(0)), X(0) < middle);
    this->count_passage(team, member, careful, steps_near, passage);
    accept(team, member, this->passer, code, both(careful, !split), index);
    Mask open = split;
    for (int piece = 0; piece < 2 && team.any(open); ++piece) {
      code = go(piece == 0 ? X(0) : middle, piece == 0 ? middle : part, open);
      accept(team, member, this->passer, code, open, index);
      open = both(split, member.status == X(0));
    }
  }

  KALABA_FN static X time_in(const TimeGrid& time, long step, const X& part) {
    const X end(time.at(step + 1));
    return select(part == X(1), end, fma(part - X(1), X(time.dt), end));
  }

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
