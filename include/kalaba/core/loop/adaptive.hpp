#pragma once

#include "kalaba/core/base/pause.hpp"
#include "kalaba/core/events/watch.hpp"
#include "kalaba/core/loop/adaptive_trial.hpp"
#include "kalaba/core/member/saltation.hpp"

namespace kalaba {

/// Returns true if a stored step has the rate at its end. A function, for NVRTC 12.0 to 12.5
/// (core/loop/member_work.hpp).
template <class PersistentState>
KALABA_FN constexpr bool keeps_rates() {
  return requires(PersistentState member) { member.dot_after; };
}

/// Time loop of a member with adaptive steps by an embedded Runge-Kutta method or by Taylor series
/// (core/loop/taylor_trial.hpp); each lane has its own step size. The steps do not depend on the saved times: states at
/// saved times are values of the continuous extension, projected onto the constraints if the method projects. The last
/// step ends at the end of the grid.
///
/// The end of a step is projected onto its constraints before its rate is computed; that rate is the first of the next
/// step. A step whose projection fails, or that fails at a stage, is rejected like a step whose error is too large.
template <class M, class X, template <class, int, int> class Inverse, class Tableau>
struct AdaptiveLoop : TrialOf<M, X, Inverse, Tableau>::type {
  using Base = typename TrialOf<M, X, Inverse, Tableau>::type;
  using Base::columns_of_step;
  using Base::integrator;
  using Base::m;
  using Base::n;
  using Base::nq;
  using Base::projection;
  using Base::rate;
  using Base::tangents;
  using typename Base::Mask;
  using typename Base::P;
  using typename Base::PersistentState;
  using Space = EventSpace<M, X>;
  using typename Base::RungeKutta;
  using typename Base::Trial;

  static constexpr bool keeps_rotation = false;  ///< no warm start between steps

  /// Advances the member from step `first` of the grid to step first + steps. Returns `steps`, or 0 if a pause was
  /// requested before all lanes arrived. Members whose status is not ok do not move.
  template <class Team, class Pause = NoPause>
  KALABA_FN long advance(const Team& team, PersistentState& member, const Method& method, const TimeGrid& time,
                         long first, long steps, const Pause& pause = {}) {
    return advance_to(team, member, method, time, first, time.at(first + steps), pause) ? steps : 0;
  }

  /// Advances a member that is at or after step `first` of the grid to `t`, which may lie between steps. Returns false
  /// if a pause was requested before: the state is then that before the call, and the last accepted step is stored as
  /// usual.
  template <class Team, class Pause = NoPause>
  KALABA_NOINLINE bool advance_to(const Team& team, PersistentState& member, const Method& method, const TimeGrid& time,
                                  long first, double t, const Pause& pause = {}) {
    const auto p = prepared<M>(member.p);
    const X target(t);
    if constexpr (Base::differentiates) tangents.prepare(member.p);
    begin(team, member, p, method, X(time.at(first)), X(Base::first_length(time)));
    team.single([&]() KALABA_LAMBDA { member.is_within = X(1); });  // until it has arrived
    const X end(time.at(time.steps()));
    go(team, member, p, method, time, target, end, X(0) < X(1), false, pause);
    if (team.any(both(member.status == X(0), member.remaining(target) > X(0)))) return false;
    arrive(team, member, p, method, target);
    return true;
  }

  /// Time at which a failed lane failed, s.
  KALABA_FN static double time_of(const PersistentState& member, const TimeGrid& /*time*/, long /*first*/, int lane) {
    return static_cast<double>(lane_of(member.time, lane));
  }

  /// `advance` with detection of the member's events: the same bits, until an event stops the member at `space.ends`.
  template <class Team, class Rows, class Pause = NoPause>
  KALABA_FN long advance_watching(const Team& team, PersistentState& member, const Method& method, const TimeGrid& time,
                                  long first, long steps, const Watch& watch, EventSpace<M, X>& space, const Rows& rows,
                                  const Pause& pause = {}) {
    const double t = time.at(first + steps);
    return advance_watching_to(team, member, method, time, first, t, watch, space, rows, pause) ? steps : 0;
  }

  /// `advance_to` with detection of the member's events; event times may be later than t. A step that contains a change
  /// is kept whole until the change is made: at the first time that is not before it.
  template <class Team, class Rows, class Pause = NoPause>
  KALABA_FN bool advance_watching_to(const Team& team, PersistentState& member, const Method& method,
                                     const TimeGrid& time, long first, double t, const Watch& watch,
                                     EventSpace<M, X>& space, const Rows& rows, const Pause& pause = {}) {
    auto p = prepared<M>(member.p);
    const X target(t);
    if constexpr (Base::differentiates) tangents.prepare(member.p);
    begin(team, member, p, method, X(time.at(first)), X(Base::first_length(time)));
    team.single([&]() KALABA_LAMBDA { member.is_within = X(1); });  // until it has arrived
    X& ends = space.ends;
    const X end(time.at(time.steps()));
    X earlier[Watch::most_values];
    X later[Watch::most_values];
    Leaving<X> leaving;
    const auto here = [&]() KALABA_LAMBDA {
      this->observe_for(watch, team, member, method, member.time, member.after, space);
      return StateView<X>{member.time, member.after.q.data, member.after.w.data, space.observed.data};
    };
    // Finds how events leave zero here. `moved`: the lanes that have made a step to here.
    const auto leave_here = [&](X* values, const Mask& moved) KALABA_LAMBDA {
      if (!watch.changes()) return;
      const StateView<X> state = here();
      if (team.any(both(moved, X(0) < space.leaves))) {
        const X still = leaving.still(watch, member.p.data, state, space.leaves);
        team.single([&]() KALABA_LAMBDA { space.leaves = select(moved, still, space.leaves); });
      }
      const auto& dot = rate_after(team, member, p, method, moved);
      leaving.find(watch, member.p.data, state, dot.q.data, dot.w.data, space.leaves);
      leaving.correct(watch, state, values, false);
    };
    watch_values(watch, member.p.data, here(), earlier);
    leave_here(earlier, X(1) < X(0));
    for (;;) {
      const Mask reached = is_until(watch, space.cut, target);
      const Mask due = both(both(member.status == X(0), !is_finite(ends)), reached);
      if (watch.changes() && team.any(due)) {
        change(team, member, method, time.dt, watch, space, rows, due);
        p = prepared<M>(member.p);
        watch_values(watch, member.p.data, here(), later);
        leave_here(later, X(1) < X(0));
        for (int i = 0; i < watch.values(); ++i) earlier[i] = select(due, later[i], earlier[i]);
      }
      Mask open = both(member.status == X(0), !is_finite(ends));
      if (watch.changes()) open = both(open, !is_finite(space.cut));
      if (!team.any(both(open, member.remaining(target) > X(0)))) break;
      const X step_begin = member.time;
      const X limit = watch.has_clocks() ? next_tick(watch, member.time, end) : end;
      const Mask moved = go(team, member, p, method, time, target, limit, open, true, pause);
      if (pause.wanted() && !team.any(moved)) return false;
      if (watch.changes()) {
        team.single([&]() KALABA_LAMBDA {
          space.fired = select(moved, X(0), space.fired);
          space.ticked = select(moved, step_begin, space.ticked);
        });
      }
      const StateView<X> end_of_step = here();
      watch_values(watch, member.p.data, end_of_step, later);
      X lost(0);
      if (watch.has_contacts()) {
        lost = lost_contacts(watch, method, member.p.data, end_of_step, later, [&]() KALABA_LAMBDA {
          return ContactTerms<X>::template of<M>(watch, member.p, member.time, member.after.q, member.after.w);
        });
      }
      if (watch.changes()) leaving.correct_end(watch, member.time, later);
      const WatchedStep<Team, Rows> watched_step{*this, team,  member, p,       method,
                                                 watch, space, rows,   leaving, step_begin};
      watch_any_step(team, watch, member.p.data, moved, earlier, later, part_tolerance(member.time, member.length),
                     watched_step, watch.changes() ? &leaving : nullptr);
      const Mask is_whole = both(moved, !is_finite(space.cut));
      if (watch.has_clocks()) {
        const Mask ticks = both(is_whole, some_tick(watch, step_begin, member.time));
        team.single([&]() KALABA_LAMBDA { space.cut = select(ticks, member.time, space.cut); });
      }
      if (watch.has_contacts()) {
        const Mask late = both(both(moved, !is_finite(space.cut)), X(0) < lost);
        team.single([&]() KALABA_LAMBDA {
          space.cut = select(late, member.time, space.cut);
          space.fired = select(late, lost, space.fired);
        });
      }
      leave_here(later, is_whole);
      for (int i = 0; i < watch.values(); ++i) earlier[i] = later[i];
    }
    const Mask ended = both(member.status == X(0), ends <= target);
    X t_seen = select(ended, ends, target);
    if (watch.changes()) {  // a change at the target, up to rounding, comes before
      t_seen = select(is_same_time(watch, member.time, t_seen), max_of(member.time, t_seen), t_seen);
    }
    arrive(team, member, p, method, t_seen);
    this->judge_gaps(team, watch, member, method, t_seen, t_seen < member.time, space);
    team.single([&]() KALABA_LAMBDA {
      const Mask stopped = both(ended, member.status == X(0));
      if constexpr (Base::differentiates) member.stop_columns(stopped);
      member.status = select(stopped, X(static_cast<int>(Status::stopped)), member.status);
    });
    return true;
  }

 private:
  /// The last accepted step, in the form that watch_step requires.
  template <class Team, class Rows>
  struct WatchedStep {
    AdaptiveLoop& loop;
    const Team& team;
    PersistentState& member;
    const P& p;
    const Method& method;
    const Watch& watch;
    EventSpace<M, X>& space;
    const Rows& rows;
    const Leaving<X>& leaving;
    const X& begin;  ///< s: time at its beginning

    KALABA_FN static constexpr int parts() { return Tableau::parts; }
    /// Leaves the state that a saved time would have: on the constraints.
    KALABA_FN StateView<X> look(const X& part) const {
      const X status = member.status;
      const X t = time_in(part);
      loop.arrive(team, member, p, method, t);
      team.single([&]() KALABA_LAMBDA { member.status = status; });
      return seen(t);
    }
    /// Leaves the value of the continuous extension, which violates the constraints by its interpolation error.
    KALABA_FN StateView<X> glance(const X& part) const {
      const X t = time_in(part);
      member.go_to(team, member.status == X(0), t);
      return seen(t);
    }
    KALABA_FN StateView<X> glance_gaps(const X& part) const {
      const X t = time_in(part);
      member.go_to(team, member.status == X(0), t);
      loop.observe_for(watch, team, member, method, t, member, space, true);
      return {t, member.q.data, member.w.data, space.observed.data};
    }
    KALABA_FN X length() const { return member.length; }
    KALABA_FN X zero_gap(int contact, const X& part) const {
      const X t = time_in(part);
      member.go_to(team, member.status == X(0), t);
      const auto terms = ContactTerms<X>::template of<M>(watch, member.p, t, member.q, member.w);
      return ContactTolerance<X>::gap(contact, terms, method, t);
    }
    /// Ends the step at this state. The next one is at most as long.
    KALABA_FN void shorten(const Mask& counts, const StateView<X>& state) const {
      leave_behind(counts, state);
      const X length = member.length - (member.time - state.t);
      team.single([&]() KALABA_LAMBDA {
        space.cut = select(counts, state.t, space.cut);
        member.next = select(counts, min_of(member.next, length), member.next);
      });
    }
    /// Ends the search in a step to this state: events whose value has left zero leave it no more.
    KALABA_FN void leave_behind(const Mask& counts, const StateView<X>& state) const {
      if (!team.any(both(counts, X(0) < space.leaves))) return;
      const X still = leaving.still(watch, member.p.data, state, space.leaves);
      team.single([&]() KALABA_LAMBDA { space.leaves = select(counts, still, space.leaves); });
    }
    KALABA_FN void join(int event, const Mask& counts) const { space.join(team, event, counts); }
    KALABA_FN void wait(int event, const Mask& counts) const { space.wait(team, watch, event, counts); }
    KALABA_FN X time_in(const X& part) const { return max_of(begin, fma(part - X(1), member.length, member.time)); }
    KALABA_FN StateView<X> seen(const X& t) const {
      loop.observe_for(watch, team, member, method, t, member, space);
      return {t, member.q.data, member.w.data, space.observed.data};
    }
    KALABA_FN void record(int event, const Mask& counts, const StateView<X>& state) const {
      const bool stops = watch.events[event].action != EventAction::record;
      if constexpr (Base::differentiates) {
        EventColumns<M, X> columns;
        columns.find(loop, watch, event, method, member, state.t);
        columns.note(event, counts, rows);
        if (stops) columns.stop(counts, member.stopped_columns, member.of_stop);
      }
      record_event(team, {nq, n, Dim<M>::sensitivities}, event, recorded(watch, event, member.p.data, counts), state,
                   rows);
      const bool changes = !stops && watch.events[event].change.any();
      if (changes) leave_behind(counts, state);
      const X flag =
          select(leaving.is_stuck(event, state.t, member.length), X(Flags<X>::stuck), Flags<X>::value(event));
      team.single([&]() KALABA_LAMBDA {
        if (stops) space.ends = select(counts, state.t, space.ends);
        if (changes) {
          space.cut = select(counts, state.t, space.cut);
          space.fired = space.fired + select(counts, flag, X(0));
        }
      });
    }
  };

  /// Rate at the end of the last step; `moved`: the lanes that have just made it.
  template <class Team>
  KALABA_FN const State<X, nq, n>& rate_after(const Team& team, PersistentState& member, const P& p,
                                              const Method& method, const Mask& moved) {
    if constexpr (keeps_rates<PersistentState>()) {
      member.find_end_rates(team, moved, member.length);
      return member.dot_after;
    } else {
      const auto rule = RankRule<X>::at_step(method, member.rank);
      rate.evaluate(team, method, rule, p, member.time, member.after.q, member.after.w, false, false);
      return rate.dot;
    }
  }

  /// Makes the changes at `space.cut` in the lanes `due`. The motion goes on from there, with the step size before.
  template <class Team, class Rows>
  KALABA_NOINLINE void change(const Team& team, PersistentState& member, const Method& method, double dt,
                              const Watch& watch, EventSpace<M, X>& space, const Rows& rows, const Mask& due) {
    const X t = select(due, space.cut, member.time);
    arrive(team, member, prepared<M>(member.p), method, t);
    team.single([&]() KALABA_LAMBDA { member.is_within = X(1); });  // other lanes have not arrived at their target yet
    const Mask made = both(due, member.status == X(0));
    X code(0);
    space.keep_ends(team, made, member.beginning().w, member.after.w, member.length);
    this->join_contacts(team, watch, member, method, t, made, space, rows);
    const X ticked = space.ticked;
    this->keep_zeros(team, watch, member, method, t, made, space, [&]() KALABA_LAMBDA {
      Saltation<M, X> saltation;
      saltation.begin(*this, watch, member, method, t, made, space.fired);
      code = this->make_changes(team, watch, member, method, t, dt, made, space, saltation.of_time);
      saltation.end(*this, member, method, t, made);
      const Mask open = both(made, code == X(0));
      const X found = this->make_ticks(team, watch, member, method, t, &ticked, t, open, space);
      code = select(code == X(0), found, code);
    });
    const auto p = prepared<M>(member.p);
    const auto rule = RankRule<X>::at_step(method, member.rank);
    const X found = rate.evaluate(team, method, rule, p, t, member.q, member.w, false, true);
    this->count_rank_change(team, member, made, this->rank_found());
    copy_where(team, made, member, member.after);
    if constexpr (keeps_rates<PersistentState>()) copy_where(team, made, rate.dot, member.dot_after);
    if constexpr (Base::differentiates) {
      tangents.prepare(member.p);
      this->find_rates(method, t, member, member.columns);
      member.of_columns.begin(team, made, member.columns, columns_of_step.rates);
    }
    team.single([&]() KALABA_LAMBDA {
      member.time = select(due, t, member.time);
      member.time_rest = select(due, X(0), member.time_rest);
      member.cuts = select(due, X(0), member.cuts);  // `max_changes` bounds the changes
      member.status = select(made, select(code == X(0), found, code), member.status);
      space.cut = select(due, X(0) / X(0), space.cut);
    });
  }

  /// Makes steps until the `open` lanes are at or after the target, or one accepted step in each lane if `alone`. No
  /// step goes beyond `end`. Returns the lanes that moved. After a pause request, lanes whose last trial was rejected
  /// continue until one is accepted, so the later steps depend on the member's own numbers only.
  template <class Team, class Pause>
  KALABA_NOINLINE Mask go(const Team& team, PersistentState& member, const P& p, const Method& method,
                          const TimeGrid& time, const X& target, const X& end, const Mask& open, bool alone,
                          const Pause& pause) {
    const X whole(time.at(time.steps()));
    X rejection_status(0);                 // status code for which the last step was rejected, besides its error
    Mask previous_rejected = X(1) < X(0);  // the last step was rejected
    Mask unserved = previous_rejected;     // lanes in which the fast path failed
    Mask moved = previous_rejected;
    this->forget_rate();
    for (;;) {
      Mask active = both(both(open, member.status == X(0)), member.remaining(target) > X(0));
      if (alone) active = both(active, !moved);
      if (pause.wanted()) active = both(active, either(previous_rejected, unserved));
      if (method.max_steps > 0) {
        const Mask spent = both(active, X(method.max_steps) <= member.accepted + member.rejected);
        fail(team, member, spent, X(static_cast<int>(Status::too_many_steps)));
        active = both(active, !spent);
      }
      if (!team.any(active)) break;
      Trial trial = plan(member, method, end);
      const X least = StepControl::smallest(method, member.time, time.end - time.start);
      trial.least = least;
      const Mask tiny = both(active, both(!trial.last, trial.length < least));
      Mask tried = both(active, !tiny);
      fail(team, member, tiny,
           select(rejection_status == X(0), X(static_cast<int>(Status::step_too_small)), rejection_status));
      const Mask fast = both(both(tried, this->template may_be_fast<Team>(member)), !unserved);
      const bool some_fast = team.any(fast);
      if (some_fast) tried = fast;                       // the other lanes wait
      trial.length = select(tried, trial.length, X(0));  // and do not move
      const Mask near_singular = this->near_singular(member, method, tried);
      const Mask others = both(tried, !near_singular);
      trial.code = X(0);
      trial.cut = X(1) < X(0);
      trial.cuts = X(0);
      trial.error = X(0);
      trial.rank = member.rank;
      if (some_fast) {
        if constexpr (Base::has_fast_path) tried = this->try_fast(member, p, method, fast, trial);
        unserved = either(unserved, both(fast, !tried));
      } else {
        if (!Base::can_pass || team.any(others)) this->try_step(team, member, p, method, others, trial);
        unserved = both(unserved, !tried);
      }
      if constexpr (Base::can_pass) {
        if (team.any(near_singular)) this->try_past(team, member, p, method, near_singular, trial);
      }
      const Mask accepted = both(tried, both(trial.code == X(0), trial.error <= X(1)));
      const Mask rejected = both(tried, !accepted);
      const X root = StepControl::root(trial.error);
      X factor = factor_after<Tableau>(root, member.error_root, accepted, previous_rejected);
      if constexpr (Base::can_pass) {
        if (any(near_singular)) {
          const X passing = factor_after<typename Base::Passer>(root, member.error_root, accepted, previous_rejected);
          factor = select(near_singular, passing, factor);
        }
      }
      const X start = member.time;
      this->note_stiffness(team, member, both(accepted, !near_singular), trial.length);
      member.keep(team, accepted, integrator, trial.length, trial.last, end);
      if constexpr (Base::differentiates) member.of_columns.keep_step(team, accepted, columns_of_step.integrator);
      const Mask looked_into = alone ? accepted : both(accepted, member.remaining(target) < X(0));
      if (team.any(looked_into)) extend(team, member, p, method, start, looked_into, near_singular);
      const X rank_changes = member.rank_changes;
      this->count_rank_change(team, member, accepted, trial.rank);
      if constexpr (Base::differentiates) {  // no derivative where the rank of A changes or may change
        member.forget_columns(either(both(accepted, near_singular), rank_changes < member.rank_changes));
        if constexpr (m > 0) forget_singular_ends(team, member, p, method, accepted);
      }
      const X kept_root = StepControl::root(max_of(trial.error, X(StepControl::least_error)));
      team.single([&]() KALABA_LAMBDA {
        member.error_root = select(accepted, kept_root, member.error_root);
        member.cuts = select(accepted, trial.cuts, member.cuts);
        member.accepted = member.accepted + select(accepted, X(1), X(0));
        member.rejected = member.rejected + select(rejected, X(1), X(0));
        const X next = trial.length * factor;
        // A step that was shortened to end at a tick or where a formula changes says little about the next one.
        const Mask shortened = both(accepted, either(both(trial.last, end < whole), trial.cut));
        member.next = select(tried, select(shortened, max_of(next, member.next), next), member.next);
      });
      rejection_status = select(tried, select(rejected, trial.code, X(0)), rejection_status);
      previous_rejected = either(rejected, both(previous_rejected, !tried));
      moved = either(moved, accepted);
    }
    return moved;
  }

  /// Sets the columns to NaN that have no derivative at the end of an accepted step, where the rank of A is low.
  template <class Team>
  KALABA_FN void forget_singular_ends(const Team& team, PersistentState& member, const P& p, const Method& method,
                                      const Mask& accepted) {
    if (!team.any(both(accepted, member.rank < X(m)))) return;
    rate.at.evaluate(team, p, member.time, member.after.q, member.after.w);
    this->forget_rate();
    Columns<M, X>& columns = columns_of_step.at;
    copy(Solo{}, member.of_columns.after, columns);
    this->forget_singular(team, method, member.time, member.after, accepted, columns, member);
    copy_where(Solo{}, accepted, columns, member.of_columns.after);
  }

  /// Stores the continuous extension of the accepted step from `start` in the lanes given.
  template <class Team>
  KALABA_NOINLINE void extend(const Team& team, PersistentState& member, const P& p, const Method& method,
                              const X& start, const Mask& wanted, const Mask& cubic) {
    X code(0);
    if constexpr (Tableau::dense_stages > 0) {
      const auto rule = RankRule<X>::within_step(method, member.rank);
      const auto evaluate = [&](int stage, const X& t) KALABA_LAMBDA {
        // The last warm start may belong to a neighbouring lane.
        const bool warm = stage > RungeKutta::stages;
        const X found = rate.evaluate(team, method, rule, p, t, integrator.at.q, integrator.at.w, warm, false);
        code = select(code == X(0), found, code);
        if constexpr (Base::differentiates) {
          columns_of_step.move_within(stage, member.length, member.of_columns);
          this->follow_stage(method, stage, t);
        }
      };
      integrator.extend(team, start, member.length, member.before, rate.dot, evaluate);
    }
    member.extend(team, wanted, integrator, cubic);
    if constexpr (Base::can_pass) {
      if (team.any(both(wanted, cubic))) bend(team, member, both(wanted, cubic));
    }
    if constexpr (Base::differentiates) member.of_columns.extend(team, wanted, columns_of_step.integrator, cubic);
    if constexpr (Tableau::dense_stages > 0) fail(team, member, both(both(wanted, !cubic), !(code == X(0))), code);
  }

  /// Makes the continuous extension of steps in parts, the cubic through their ends, pass through the middle too. If
  /// the middle is near an end it remains the cubic.
  template <class Team>
  KALABA_NOINLINE void bend(const Team& team, PersistentState& member, const Mask& where) {
    const X left = X(1) - this->middle_at;
    const PlaceInStep<X> place = {X(0) < X(1), this->middle_at, left, member.length};
    const X weight = this->middle_at * left * (this->middle_at * left);
    const Mask apart = both(where, X(0.02) < weight);
    auto& bulge = this->whole;
    member.put_at(team, apart, place, bulge);
    for_numbers<nq, n>(team, [&](auto of, int i) KALABA_LAMBDA {
      of(bulge)[i] = select(apart, (of(this->middle)[i] - of(bulge)[i]) / weight, X(0));
    });
    member.bend(team, apart, member.length, bulge);
  }

  /// Computes the rate at the start of members that have not yet made a step.
  template <class Team>
  KALABA_NOINLINE void begin(const Team& team, PersistentState& member, const P& p, const Method& method, const X& t,
                             const X& dt) {
    const Mask fresh = both(member.status == X(0), member.next == X(0));
    if (!team.any(fresh)) return;
    const auto rule = RankRule<X>::at_step(method, member.rank);
    const X code = rate.evaluate(team, method, rule, p, t, member.q, member.w, false, true);
    this->count_rank_change(team, member, fresh, this->rank_found());
    member.begin(team, fresh, member, rate.dot);
    if constexpr (Base::differentiates) {
      Columns<M, X>& rates = columns_of_step.rates;
      this->find_rates(method, t, member, member.columns);
      member.of_columns.begin(team, fresh, member.columns, rates);
    }
    team.single([&]() KALABA_LAMBDA {
      member.time = select(fresh, t, member.time);
      member.next = select(fresh, dt, member.next);
      member.error_root = select(fresh, StepControl::root(X(StepControl::least_error)), member.error_root);
      member.status = select(fresh, code, member.status);
    });
  }

  /// Length of the next step. A step that almost reaches the end is lengthened to end there.
  KALABA_FN static Trial plan(const PersistentState& member, const Method& method, const X& end) {
    Trial trial;
    trial.length = member.next;
    if (method.largest_step > 0) trial.length = min_of(trial.length, X(method.largest_step));
    const X rest = member.remaining(end);
    trial.last = rest <= X(1.01) * trial.length;
    trial.length = select(trial.last, rest, trial.length);
    trial.end = end;
    return trial;
  }

  /// Factor from the length of a step to that of the next one. `root`: of its error, in the form that StepControl
  /// stores.
  template <class Of>
  KALABA_FN static X factor_after(const X& root, const X& root_before, const Mask& accepted,
                                  const Mask& previous_rejected) {
    const X growth = StepControl::growth<Of>(root, root_before);
    return select(accepted, select(previous_rejected, min_of(growth, X(1)), growth),
                  StepControl::shrink_after_rejection<Of>(root));
  }

  /// Sets the status of `failed` members, which keep the state at the end of their last step.
  template <class Team>
  KALABA_FN void fail(const Team& team, PersistentState& member, const Mask& failed, const X& code) {
    if (!team.any(failed)) return;
    copy_where(team, failed, member.after, member);
    if constexpr (Base::differentiates) copy_where(team, failed, member.of_columns.after, member.columns);
    team.single([&]() KALABA_LAMBDA { member.status = select(failed, code, member.status); });
  }

  /// Computes the state at t, within the last step.
  template <class Team>
  KALABA_NOINLINE void arrive(const Team& team, PersistentState& member, const P& p, const Method& method, const X& t) {
    const Mask inside = member.go_to(team, member.status == X(0), t);
    team.single([&]() KALABA_LAMBDA { member.is_within = select(inside, X(1), X(0)); });
    if (!team.any(inside)) return;
    const X code = project_between(team, member, p, method, t, inside);
    team.single([&]() KALABA_LAMBDA { member.status = select(inside, code, member.status); });
  }

  /// Projects a state between steps onto its constraints.
  template <class Team>
  KALABA_FN X project_between(const Team& team, PersistentState& member, const P& p, const Method& method, const X& t,
                              const Mask& inside) {
    X code(0);
    if constexpr (m > 0 && !Base::Rate::servo) {
      if (method.stabilization.kind == Stabilization::Kind::projection) {
        const Mask converged =
            this->project_along(team, method, RankRule<X>(method.rank_tolerance), p, t, member, inside,
                                Base::step_iterations, false, member.columns, {member.length});
        code = with_status(code, both(inside, !converged), Status::not_converged);
      }
    }
    return code;
  }
};

}  // namespace kalaba
