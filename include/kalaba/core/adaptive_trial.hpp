#pragma once

#include "kalaba/core/adaptive_member.hpp"
#include "kalaba/core/plain_rate.hpp"
#include "kalaba/core/step_control.hpp"

namespace kalaba {

/// Trial of one step of an embedded Runge-Kutta method: computes the step in the integrator's workspace, and its error.
/// The end of a step is projected onto its constraints before its rate is computed; that rate is the first of the next
/// step.
template <class M, class X, template <class, int, int> class Inverse, class Tableau>
struct AdaptiveTrial : MemberWorkspace<M, X, Inverse> {
  using Base = MemberWorkspace<M, X, Inverse>;
  using PersistentState = AdaptiveMember<M, X, Tableau>;
  using Mask = typename Base::Mask;
  using P = Prepared<M, X>;
  using Base::n;
  using Base::nq;
  using Base::rate;
  using Base::tangents;
  using typename Base::S;
  using RungeKutta = typename PersistentState::RungeKutta;

  /// Stages are projected onto the constraints if a singular position is at most this many steps away.
  static constexpr double steps_near = 4;

  /// Length of the first trial.
  KALABA_FN static double first_length(const TimeGrid& time) { return time.dt; }

  RungeKutta integrator;
  AdaptiveColumnStep<M, X, Tableau> columns_of_step;
  S scaled_error;
  State<X, Base::can_pass ? nq : 0, Base::can_pass ? n : 0> whole,
      middle;  ///< near a singular position, a step is computed twice

  struct Trial {
    X length;
    Mask last;  ///< ends at the end of the grid
    X code;
    X error;
    X rank;   ///< of A at the end of the step
    X least;  ///< least length of a step that does not end at the end of the grid
  };

  /// Computes a step of trial.length in the integrator's workspace. Leaves a status code in the trial, and an error
  /// above 1 if the code is not 0 or the error is not finite.
  template <class Team>
  KALABA_FN void try_step(const Team& team, PersistentState& member, const P& p, const Method& method,
                          const Mask& tried, Trial& trial) {
    X code(0);
    Passage<X> passage{};
    const auto end_rule = RankRule<X>(method.rank_tolerance);
    Mask torn = X(1) < X(0);
    const EndedStep<X, n> ended = {trial.length, member.rank, &member.after.w, &torn};
    const auto evaluate = [&](int stage, const X& t) KALABA_LAMBDA {
      const bool ends = stage + 1 == RungeKutta::stages;
      if constexpr (Base::differentiates) columns_of_step.move_on(stage, trial.length, member.of_columns);
      if (ends)
        code = this->project_and_check(team, method, end_rule, p, t, integrator.at, tried, code, columns_of_step.at,
                                       ended);
      const bool warm = stage > 1;
      auto rule = ends ? RankRule<X>::at_step(method, member.rank) : RankRule<X>::within_step(method, member.rank);
      rule.compares_rows = Base::can_pass && (stage == 1 || passage.in_sight());
      const auto& own = for_lanes<decltype(rate.inverse)>(rule, tried);
      const X found = rate.evaluate(team, method, own, p, t, integrator.at.q, integrator.at.w, warm, ends);
      code = select(code == X(0), found, code);
      if (Base::m == 1 && !ends) {  // a single row that has no gradient at the beginning of the step does not act
        const Mask free = member.rank < X(1);
        team.template for_each<n>(
            [&](int i) KALABA_LAMBDA { rate.dot.w[i] = select(free, rate.free_rate[i], rate.dot.w[i]); });
      }
      this->count_svd_stage(team, member, tried);
      if constexpr (Base::can_pass) {
        stage == 1 ? passage.begin(rate.inverse) : passage.note(rate.inverse);
      }
      if constexpr (Base::differentiates) follow_stage(method, stage, t);
    };
    integrator.step(team, member.time, trial.length, member.after, member.dot_after, rate.dot, evaluate);
    this->count_passage(team, member, tried, steps_near, passage);
    judge(trial, tried, code, error_of(team, member, method, trial.length), this->rank_found());
  }

  /// Returns the lanes in which a step may take the fast path.
  template <class Team>
  KALABA_FN static Mask may_be_plain(const PersistentState& member) {
    return Base::plain && Team::size == 1 && states_single_row<M>() ? member.rank == X(1) : X(1) < X(0);
  }
  /// Like try_step for the lanes `tried`, by the fast rates (core/plain_rate.hpp). Returns the lanes in which these are
  /// valid; the trial is undefined in the other lanes.
  KALABA_FN Mask try_plainly(const PersistentState& member, const P& p, const Method& method, const Mask& tried,
                             Trial& trial) {
    PlainRate<M, X> plain;
    plain.begin(tried);
    const PlainColumns<M, X, AdaptiveTrial> along = {*this, method, p};
    const auto evaluate = [&](int stage, const X& t) KALABA_LAMBDA {
      if constexpr (Base::differentiates) columns_of_step.move_on(stage, trial.length, member.of_columns);
      if (stage + 1 == RungeKutta::stages) {
        plain.template finish<Base::step_iterations>(method, p, t, integrator.at, along, columns_of_step.at);
      }
      plain.evaluate(method, p, t, integrator.at);
      if constexpr (Base::differentiates) {
        along.rates(t, integrator.at, columns_of_step.at,
                    [&](int column, const Vec<X, nq>& dq, const Vec<X, n>& dw)
                        KALABA_LAMBDA { columns_of_step.rates.put(column, dq, dw); });
        columns_of_step.add(stage);
      }
    };
    integrator.step(Solo{}, member.time, trial.length, member.after, member.dot_after, plain.dot, evaluate);
    trial.error = error_of(Solo{}, member, method, trial.length);
    return both(plain.plain, trial.error < X(StepControl::rejected_error));
  }

  /// Computes the rates of the columns at a stage whose rate was just computed.
  KALABA_FN void follow_stage(const Method& method, int stage, const X& t) {
    find_rates(method, t, integrator.at, columns_of_step.at);
    columns_of_step.add(stage);
  }
  KALABA_FN void find_rates(const Method& method, const X& t, const S& at, const Columns<M, X>& columns) {
    tangents.evaluate(rate, method, t, at.q, at.w, columns,
                      [&](int column, const Vec<X, nq>& dq, const Vec<X, n>& dw)
                          KALABA_LAMBDA { columns_of_step.rates.put(column, dq, dw); });
  }

  /// Like try_step near a singular position: computes the step once as a whole and once in two parts, and accepts the
  /// end of the second part. The parts are halves, or are divided near the singular position if the step crosses it.
  template <class Team>
  KALABA_NOINLINE void try_past(const Team& team, PersistentState& member, const P& p, const Method& method,
                                const Mask& careful, Trial& trial) {
    const X end = member.time + trial.length;
    Passage<X> passage{};
    Mask torn = X(1) < X(0);
    const X rank_before = member.rank;
    const X whole_code =
        this->pass(team, member, method, p, member.time, trial.length, end, member.after, careful, passage, torn);
    const X split = passage.split();
    const Mask splits = both(X(0) < split, !torn);
    const X parts[] = {select(splits, split, X(0.5)) * trial.length,
                       select(splits, X(1) - split, X(0.5)) * trial.length};
    X code = select(splits, X(0), whole_code);
    const X speed = passage.speed(steps_near, member.passing);
    this->count_passage(team, member, careful, steps_near, passage);
    const S& made = this->passer.end;
    copy(team, made, whole);
    for (int part = 0; part < 2; ++part) {
      const X t = part == 0 ? member.time : member.time + parts[0];
      if (part > 0) copy(team, made, middle);
      const X found = this->pass(team, member, method, p, t, parts[part], part == 0 ? t + parts[0] : end,
                                 part == 0 ? member.after : middle, careful, passage, torn);
      code = select(code == X(0), found, code);
    }
    team.single([&]() KALABA_LAMBDA { member.rank = select(torn, rank_before, member.rank); });  // for the next trial
    const auto rule = RankRule<X>::at_step(method, member.rank);
    const X found = rate.evaluate(team, method, rule, p, end, made.q, made.w, false, true);
    code = select(code == X(0), found, code);
    copy_where(team, careful, made, integrator.at);
    copy_where(team, careful, rate.dot, integrator.rates[RungeKutta::stages - 1]);
    for_numbers<nq, n>(team, [&](auto of, int i) KALABA_LAMBDA {
      const X error = of(made)[i] - of(whole)[i];
      of(scaled_error)[i] = error / StepControl::scale(method, of(member.after)[i], of(made)[i]);
    });
    // At the smallest resolvable step the error is capped, also for a whole step through the singular position.
    const X error = root_mean_square();
    const MaskOf<X> shortest = both(X(0) < speed, speed < X(Passage<X>::least_speed));
    // The rank is lower only in the singular position itself; later steps have the rank of the earlier ones.
    judge(trial, careful, code, select(shortest, select(error < X(0.5), error, X(0.5)), error),
          max_of(this->rank_found(), member.rank));
  }

  /// Stores the result of a step in the lanes where it was `made`.
  KALABA_FN void judge(Trial& trial, const Mask& made, const X& code, const X& error, const X& rank) const {
    trial.rank = select(made, rank, trial.rank);
    const Mask good = both(code == X(0), error < X(StepControl::rejected_error));
    trial.code = select(made, code, trial.code);
    trial.error = select(made, select(good, error, X(StepControl::rejected_error)), trial.error);
  }

  /// Error of a step in units of the tolerances.
  template <class Team>
  KALABA_FN X error_of(const Team& team, const PersistentState& member, const Method& method, const X& length) {
    X rms[Tableau::error_rows];
    error_row<0>(team, member, method, rms);
    return abs(length) * Tableau::error(rms);
  }
  template <int Row, class Team>
  KALABA_FN void error_row(const Team& team, const PersistentState& member, const Method& method, X* rms) {
    constexpr int row = RungeKutta::error_row + Row;
    constexpr int stages = RungeKutta::stages;
    for_numbers<nq, n>(team, [&](auto of, int i) KALABA_LAMBDA {
      const X error = integrator.template combined<row, stages>(of, i);
      of(scaled_error)[i] = error / StepControl::scale(method, of(member.after)[i], of(integrator.at)[i]);
    });
    rms[Row] = root_mean_square();
    if constexpr (Row + 1 < Tableau::error_rows) error_row<Row + 1>(team, member, method, rms);
  }
  KALABA_FN X root_mean_square() const {
    X sum(0);
    KALABA_UNROLL
    for (int i = 0; i < nq; ++i) sum = fma(scaled_error.q[i], scaled_error.q[i], sum);
    KALABA_UNROLL
    for (int i = 0; i < n; ++i) sum = fma(scaled_error.w[i], scaled_error.w[i], sum);
    return sqrt(sum * X(1.0 / state_numbers<M>()));
  }
};

/// Trial steps of the method that a tableau states.
template <class M, class X, template <class, int, int> class Inverse, class Tableau>
struct TrialOf {
  using type = AdaptiveTrial<M, X, Inverse, Tableau>;
};

}  // namespace kalaba
