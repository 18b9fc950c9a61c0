#pragma once

#include "kalaba/core/adaptive_member.hpp"
#include "kalaba/core/dopri5.hpp"
#include "kalaba/core/step_control.hpp"
#include "kalaba/core/watch.hpp"

namespace kalaba {

/// The member's time loop of steps as long as the tolerances allow, each lane at its own (Dormand-Prince 5(4)). The
/// steps do not depend on the times asked for: those are served by the continuous extension of order 4, and then put on
/// the constraints if asked. The last step ends at the end of the grid.
///
/// The end of a step is put on its constraints before its rate is taken, which is the first of the next step; a step
/// that cannot be settled, or fails at a stage, is rejected as one whose error is too large.
template <class M, class X, template <class, int, int> class Inverse>
struct AdaptiveLoop : MemberWorkspace<M, X, Inverse> {
  using Base = MemberWorkspace<M, X, Inverse>;
  using Kept = AdaptiveMember<M, X>;
  using Mask = typename Base::Mask;
  using P = Prepared<M, X>;
  using Base::m;
  using Base::n;
  using Base::nq;
  using Base::projection;
  using Base::rate;
  using Method5 = Dopri5<X, nq, n>;

  static constexpr bool keeps_rotation = false;  ///< every step starts afresh

  Method5 integrator;
  Vec<X, nq + n> scaled_error;

  /// Brings the member from step `first` of the grid to step first + steps. Members whose status is not ok keep still.
  template <class Team>
  KALABA_FN void advance(const Team& team, Kept& member, const Method& method, const TimeGrid& time, long first,
                         long steps) {
    advance_to(team, member, method, time, first, time.at(first + steps));
  }

  /// Brings a member at or behind step `first` of the grid to `t`, which may lie between steps.
  template <class Team>
  KALABA_BODY void advance_to(const Team& team, Kept& member, const Method& method, const TimeGrid& time, long first,
                              double t) {
    const auto p = prepared<M>(member.p);
    begin(team, member, p, method, X(time.at(first)), X(time.dt));
    go(team, member, p, method, time, X(t), X(0) < X(1), false);
    arrive(team, member, p, method, X(t));
  }

  /// The same with an eye on its events, whose times may lie behind t: to the bits of `advance_to`, until one stops the
  /// member at `ends` (NaN where none does).
  template <class Team, class Rows>
  KALABA_FN void advance_watching(const Team& team, Kept& member, const Method& method, const TimeGrid& time,
                                  long first, double t, const Watch& watch, X& ends, const Rows& rows) {
    const auto p = prepared<M>(member.p);
    const X target(t);
    begin(team, member, p, method, X(time.at(first)), X(time.dt));
    for (;;) {
      const Mask open = both(member.status == X(0), !is_finite(ends));
      if (!team.any(both(open, member.remaining(target) > X(0)))) break;
      X earlier[Watch::most_events];
      X later[Watch::most_events];
      watch_values(watch, member.p.data, Seen<X>{member.time, member.q_after.data, member.w_after.data}, earlier);
      const Mask moved = go(team, member, p, method, time, target, open, true);
      watch_values(watch, member.p.data, Seen<X>{member.time, member.q_after.data, member.w_after.data}, later);
      const WatchedStep<Team, Rows> made{*this, team, member, p, method, watch, ends, rows};
      watch_any_step(team, watch, member.p.data, moved, earlier, later, part_tolerance(member.time, member.length),
                     made);
    }
    const Mask ended = both(member.status == X(0), ends <= target);
    arrive(team, member, p, method, select(ended, ends, target));
    team.once([&]() KALABA_LAMBDA {
      const Mask stopped = both(ended, member.status == X(0));
      member.status = select(stopped, X(static_cast<int>(Status::stopped)), member.status);
    });
  }

 private:
  struct Trial {
    X length;
    Mask last;  ///< ends at the end of the grid
    X code;
    X error;
  };

  /// The last step as watch_step sees it.
  template <class Team, class Rows>
  struct WatchedStep {
    AdaptiveLoop& loop;
    const Team& team;
    Kept& member;
    const P& p;
    const Method& method;
    const Watch& watch;
    X& ends;
    const Rows& rows;

    /// Leaves the state where a saved time would have it.
    KALABA_FN Seen<X> look(const X& part) const {
      const X status = member.status;
      const X t = fma(part - X(1), member.length, member.time);
      loop.arrive(team, member, p, method, t);
      team.once([&]() KALABA_LAMBDA { member.status = status; });
      return {t, member.q.data, member.w.data};
    }
    KALABA_FN void record(int event, const Mask& counts, const Seen<X>& seen) const {
      record_event(team, {nq, n}, event, counts, seen, rows);
      if (watch.events[event].action == EventAction::record) return;
      team.once([&]() KALABA_LAMBDA { ends = select(counts, seen.t, ends); });
    }
  };

  /// Makes steps until the `open` lanes are at or behind the target, or one of each `alone`. Returns which have moved.
  template <class Team>
  KALABA_BODY Mask go(const Team& team, Kept& member, const P& p, const Method& method, const TimeGrid& time,
                      const X& target, const Mask& open, bool alone) {
    const X end(time.at(time.steps()));
    X obstacle(0);             // what the last step was rejected for, beside its error
    Mask again = X(1) < X(0);  // it was rejected
    Mask moved = again;
    for (;;) {
      Mask going = both(both(open, member.status == X(0)), member.remaining(target) > X(0));
      if (alone) going = both(going, !moved);
      if (!team.any(going)) break;
      Trial trial = plan(member, method, end);
      const X least = StepControl::smallest(method, member.time, time.end - time.start);
      const Mask tiny = both(going, both(!trial.last, trial.length < least));
      const Mask tried = both(going, !tiny);
      fail(team, member, tiny, select(obstacle == X(0), X(static_cast<int>(Status::step_too_small)), obstacle));
      trial.length = select(tried, trial.length, X(0));  // the others stand still
      try_step(team, member, p, method, tried, trial);
      const Mask accepted = both(tried, both(trial.code == X(0), trial.error <= X(1)));
      const Mask rejected = both(tried, !accepted);
      this->count_rank_change(team, member, accepted);
      const X root = StepControl::root(trial.error);
      const X growth = StepControl::growth(root, member.error_root);
      const X factor = select(accepted, select(again, min_of(growth, X(1)), growth), StepControl::retreat(root));
      member.keep(team, accepted, integrator, trial.length, trial.last, end);
      const X kept_root = StepControl::root(max_of(trial.error, X(StepControl::least_error)));
      team.once([&]() KALABA_LAMBDA {
        member.error_root = select(accepted, kept_root, member.error_root);
        member.accepted = member.accepted + select(accepted, X(1), X(0));
        member.rejected = member.rejected + select(rejected, X(1), X(0));
        member.next = select(tried, trial.length * factor, member.next);
      });
      obstacle = select(rejected, trial.code, X(0));
      again = rejected;
      moved = either(moved, accepted);
    }
    return moved;
  }

  /// Takes the rate at the start of members that have not made a step yet.
  template <class Team>
  KALABA_BODY void begin(const Team& team, Kept& member, const P& p, const Method& method, const X& t, const X& dt) {
    const Mask fresh = both(member.status == X(0), member.next == X(0));
    if (!team.any(fresh)) return;
    const X code = rate.evaluate(team, method, p, t, member.q, member.w, false, true);
    this->count_rank_change(team, member, fresh);
    team.template each<nq>([&](int i) KALABA_LAMBDA {
      member.q_after[i] = select(fresh, member.q[i], member.q_after[i]);
      member.q_dot_after[i] = select(fresh, rate.q_dot[i], member.q_dot_after[i]);
    });
    team.template each<n>([&](int i) KALABA_LAMBDA {
      member.w_after[i] = select(fresh, member.w[i], member.w_after[i]);
      member.w_dot_after[i] = select(fresh, rate.w_dot[i], member.w_dot_after[i]);
    });
    team.once([&]() KALABA_LAMBDA {
      member.time = select(fresh, t, member.time);
      member.next = select(fresh, dt, member.next);
      member.error_root = select(fresh, StepControl::root(X(StepControl::least_error)), member.error_root);
      member.status = select(fresh, code, member.status);
    });
  }

  /// The length of the next step. One that would all but reach the end goes there.
  KALABA_FN static Trial plan(const Kept& member, const Method& method, const X& end) {
    Trial trial;
    trial.length = member.next;
    if (method.largest_step > 0) trial.length = min_of(trial.length, X(method.largest_step));
    const X rest = member.remaining(end);
    trial.last = rest <= X(1.01) * trial.length;
    trial.length = select(trial.last, rest, trial.length);
    return trial;
  }

  /// A step of trial.length into the integrator's workspace. Leaves a status code, and an error above 1 where it is not
  /// 0 or the error is not finite.
  template <class Team>
  KALABA_FN void try_step(const Team& team, Kept& member, const P& p, const Method& method, const Mask& tried,
                          Trial& trial) {
    const bool projects = method.stabilization.kind == Stabilization::Kind::projection;
    X code(0);
    const auto evaluate = [&](int stage, const X& t) KALABA_LAMBDA {
      const bool ends = stage + 1 == Method5::stages;
      if (ends) code = this->settle(team, method, p, t, integrator.q, integrator.w, tried, code);
      // A projection leaves a pseudo-inverse that has seen as many matrices as the slowest neighbour needed.
      const bool warm = stage > 1 && !(ends && projects);
      const X found = rate.evaluate(team, method, p, t, integrator.q, integrator.w, warm, ends);
      code = select(code == X(0), found, code);
    };
    integrator.step(team, member.time, trial.length, member.q_after, member.w_after, member.q_dot_after,
                    member.w_dot_after, rate.q_dot, rate.w_dot, evaluate);
    const X error = error_of(team, member, method, trial.length);
    trial.code = code;
    trial.error = select(both(code == X(0), error < X(StepControl::hopeless)), error, X(StepControl::hopeless));
  }

  /// The root mean square of the errors in units of their tolerances.
  template <class Team>
  KALABA_FN X error_of(const Team& team, const Kept& member, const Method& method, const X& length) {
    constexpr int row = Method5::error_row;
    constexpr int stages = Method5::stages;
    team.template each<nq>([&](int i) KALABA_LAMBDA {
      scaled_error[i] = Method5::template combined<row, stages>(integrator.q_dot, i) /
                        StepControl::scale(method, member.q_after[i], integrator.q[i]);
    });
    team.template each<n>([&](int i) KALABA_LAMBDA {
      scaled_error[nq + i] = Method5::template combined<row, stages>(integrator.w_dot, i) /
                             StepControl::scale(method, member.w_after[i], integrator.w[i]);
    });
    X sum(0);
    KALABA_UNROLL
    for (int i = 0; i < nq + n; ++i) sum = fma(scaled_error[i], scaled_error[i], sum);
    return abs(length) * sqrt(sum * X(1.0 / (nq + n)));
  }

  /// Members that cannot go on keep the end of their last step.
  template <class Team>
  KALABA_FN void fail(const Team& team, Kept& member, const Mask& failed, const X& code) {
    if (!team.any(failed)) return;
    team.template each<nq>([&](int i) KALABA_LAMBDA { member.q[i] = select(failed, member.q_after[i], member.q[i]); });
    team.template each<n>([&](int i) KALABA_LAMBDA { member.w[i] = select(failed, member.w_after[i], member.w[i]); });
    team.once([&]() KALABA_LAMBDA { member.status = select(failed, code, member.status); });
  }

  /// The state at t, within the last step.
  template <class Team>
  KALABA_BODY void arrive(const Team& team, Kept& member, const P& p, const Method& method, const X& t) {
    const Mask inside = member.go_to(team, member.status == X(0), t);
    if (!team.any(inside)) return;
    const X code = settle_between(team, member, p, method, t, inside);
    team.once([&]() KALABA_LAMBDA { member.status = select(inside, code, member.status); });
  }

  /// Puts a state between steps on its constraints.
  template <class Team>
  KALABA_FN X settle_between(const Team& team, Kept& member, const P& p, const Method& method, const X& t,
                             const Mask& inside) {
    X code(0);
    if constexpr (m > 0 && !Base::Rate::servo) {
      if (method.stabilization.kind == Stabilization::Kind::projection) {
        const Mask converged =
            projection.apply(team, rate, method, p, t, member.q, member.w, inside, Base::step_iterations, false);
        code = with_status(code, both(inside, !converged), Status::not_converged);
      }
    }
    return code;
  }
};

}  // namespace kalaba
