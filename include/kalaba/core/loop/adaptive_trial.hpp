#pragma once

#include "kalaba/core/loop/step_trial.hpp"
#include "kalaba/core/methods/stiffness.hpp"
#include "kalaba/core/rate/fast_rate.hpp"

namespace kalaba {

/// Trial of one step of an embedded Runge-Kutta method: computes the step in the integrator's workspace, and its error.
/// The end of a step is projected onto its constraints before its rate is computed; that rate is the first of the next
/// step.
template <class M, class X, template <class, int, int> class Inverse, class Tableau>
struct AdaptiveTrial : StepTrial<M, X, Inverse, Tableau> {
  using Base = StepTrial<M, X, Inverse, Tableau>;
  using Base::columns_of_step;
  using Base::integrator;
  using Base::judge;
  using Base::n;
  using Base::nq;
  using Base::rate;
  using Base::root_mean_square;
  using Base::scaled_error;
  using Base::steps_near;
  using typename Base::Mask;
  using typename Base::P;
  using typename Base::PersistentState;
  using typename Base::RungeKutta;
  using typename Base::S;
  using typename Base::Trial;
  static constexpr bool has_fast_path = MemberWorkspace<M, X, Inverse>::has_fast_path;

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
    this->look_ahead(team, member, method, tried, passage);
    const X rank = this->rank_found();
    judge(trial, tried, code, error_of(team, member, p, method, trial.length, tried), rank);
  }

  /// Returns the lanes in which a step may take the fast path.
  template <class Team>
  KALABA_FN static Mask may_be_fast(const PersistentState& member) {
    return has_fast_path && Team::size == 1 && states_single_row<M>() ? member.rank == X(1) : X(1) < X(0);
  }
  /// Like try_step for the lanes `tried`, by the fast rates (core/rate/fast_rate.hpp). Returns the lanes in which
  /// these are valid; the trial is undefined in the other lanes.
  KALABA_FN Mask try_fast(const PersistentState& member, const P& p, const Method& method, const Mask& tried,
                          Trial& trial) {
    FastRate<M, X> fast;
    fast.begin(tried);
    const auto evaluate = [&](int stage, const X& t) KALABA_LAMBDA {
      if constexpr (Base::differentiates) columns_of_step.move_on(stage, trial.length, member.of_columns);
      if (stage + 1 == RungeKutta::stages) {
        fast.template finish<Base::step_iterations>(method, p, t, integrator.at, columns_of_step.at);
      }
      fast.evaluate(method, p, t, integrator.at, [&](const auto& row, const X& x) KALABA_LAMBDA {
        if constexpr (Base::differentiates) {
          FastColumns<M, X>::rates(method, p, t, integrator.at.q, integrator.at.w, row, x, columns_of_step.at,
                                   [&](int column, const Vec<X, nq>& dq, const Vec<X, n>& dw)
                                       KALABA_LAMBDA { columns_of_step.rates.put(column, dq, dw); });
          columns_of_step.add(stage);
        }
      });
    };
    integrator.step(Solo{}, member.time, trial.length, member.after, member.dot_after, fast.dot, evaluate);
    trial.error = error_of(Solo{}, member, p, method, trial.length, tried);
    return both(fast.valid, trial.error < X(StepControl::rejected_error));
  }

  /// Computes the rates of the columns at a stage whose rate was just computed.
  KALABA_FN void follow_stage(const Method& method, int stage, const X& t) {
    this->find_rates(method, t, integrator.at, columns_of_step.at);
    columns_of_step.add(stage);
  }

  /// Like try_step near a singular position: computes the step in parts (StepTrial::pass_in_parts).
  template <class Team>
  KALABA_NOINLINE void try_past(const Team& team, PersistentState& member, const P& p, const Method& method,
                                const Mask& near_singular, Trial& trial) {
    const auto find_rates = [&](const X& end, const S& made, X& code) KALABA_LAMBDA {
      const auto rule = RankRule<X>::at_step(method, member.rank);
      const X found = rate.evaluate(team, method, rule, p, end, made.q, made.w, false, true);
      code = select(code == X(0), found, code);
      copy_where(team, near_singular, rate.dot, integrator.rates[RungeKutta::stages - 1]);
    };
    this->pass_in_parts(team, member, p, method, near_singular, trial, find_rates);
  }

  /// Examines an accepted step by its last two stages, which are both at its end (core/methods/stiffness.hpp).
  template <class Team>
  KALABA_FN void note_stiffness(const Team& team, PersistentState& member, const Mask& accepted, const X& length) {
    const Mask due = both(accepted, member.look_at <= member.accepted);
    if (team.any(due)) examine(team, member, due, length);
  }

  /// Error of a step that is `tried`, in units of the tolerances.
  template <class Team>
  KALABA_FN X error_of(const Team& team, const PersistentState& member, const P& p, const Method& method,
                       const X& length, const Mask& tried) {
    X rms[Tableau::error_rows];
    error_row<0>(team, member, method, rms);
    const X error = abs(length) * Tableau::error(rms);
    if constexpr (Base::differentiates) {
      return this->with_columns(team, member, p, method, length, abs(length), tried, error);
    }
    return error;
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

 private:
  template <class Team>
  KALABA_NOINLINE void examine(const Team& team, PersistentState& member, const Mask& due, const X& length) const {
    constexpr int last = RungeKutta::stages - 1;
    X square[4] = {X(0), X(0), X(0), X(0)};
    const auto add = [&](auto of, int i, X& of_rate, X& of_state) KALABA_LAMBDA {
      const X stage = fma(length, integrator.template combined<last - 1, last - 1>(of, i), of(member.after)[i]);
      const X change = of(integrator.at)[i] - stage;
      const X rate_change = of(integrator.rates[last])[i] - of(integrator.rates[last - 1])[i];
      of_rate = fma(rate_change, rate_change, of_rate);
      of_state = fma(change, change, of_state);
    };
    for (int i = 0; i < nq; ++i) add(OfQ{}, i, square[0], square[2]);
    for (int i = 0; i < n; ++i) add(OfW{}, i, square[1], square[3]);
    const Mask stiff =
        both(due, Stiffness::is_stiff(Tableau::stability, length, square[0], square[1], square[2], square[3]));
    team.single(
        [&]() KALABA_LAMBDA { Stiffness::note(due, stiff, member.accepted, member.stiff_steps, member.look_at); });
  }
};

template <class M, class X, template <class, int, int> class Inverse, class Tableau>
struct TrialOf {
  using type = AdaptiveTrial<M, X, Inverse, Tableau>;
};

}  // namespace kalaba
