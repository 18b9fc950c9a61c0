#pragma once

#include "kalaba/core/adaptive_member.hpp"
#include "kalaba/core/plain_rate.hpp"
#include "kalaba/core/step_control.hpp"

namespace kalaba {

/// One step of an embedded Runge-Kutta method, tried: made into the integrator's workspace, with its error. The end of
/// a step is put on its constraints before its rate is taken, which is the first of the next step.
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
  using RungeKutta = typename PersistentState::RungeKutta;

  /// Steps of this length to a singular position from where on stages are put on the constraints.
  static constexpr double steps_near = 4;

  RungeKutta integrator;
  AdaptiveColumnStep<M, X, Tableau> columns_of_step;
  Vec<X, nq + n> scaled_error;
  Vec<X, Base::can_pass ? nq : 0> whole_q, middle_q;  ///< steps near singular positions are made twice
  Vec<X, Base::can_pass ? n : 0> whole_w, middle_w;

  struct Trial {
    X length;
    Mask last;  ///< ends at the end of the grid
    X code;
    X error;
    X rank;  ///< of A at its end
  };

  /// A step of trial.length into the integrator's workspace. Leaves a status code, and an error above 1 where it is not
  /// 0 or the error is not finite.
  template <class Team>
  KALABA_FN void try_step(const Team& team, PersistentState& member, const P& p, const Method& method,
                          const Mask& tried, Trial& trial) {
    X code(0);
    Passage<X> passage{};
    const auto end_rule = RankRule<X>(method.rank_tolerance);
    const auto evaluate = [&](int stage, const X& t) KALABA_LAMBDA {
      const bool ends = stage + 1 == RungeKutta::stages;
      if constexpr (Base::differentiates) columns_of_step.move_on(stage, trial.length, member.of_columns);
      if (ends)
        code = this->project_and_check(team, method, end_rule, p, t, integrator.q, integrator.w, tried, code,
                                       columns_of_step.at);
      const bool warm = stage > 1;
      const auto rule =
          ends ? RankRule<X>::at_step(method, member.rank) : RankRule<X>::within_step(method, member.rank);
      const auto& own = for_lanes<decltype(rate.inverse)>(rule, tried);
      const X found = rate.evaluate(team, method, own, p, t, integrator.q, integrator.w, warm, ends);
      code = select(code == X(0), found, code);
      this->count_svd_stage(team, member, tried);
      if constexpr (Base::can_pass) {
        const X value = rate.inverse.least_value(Passage<X>::look_value);
        stage == 1 ? passage.begin(value) : passage.note(value);
      }
      if constexpr (Base::differentiates) follow_stage(method, stage, t);
    };
    integrator.step(team, member.time, trial.length, member.q_after, member.w_after, member.q_dot_after,
                    member.w_dot_after, rate.q_dot, rate.w_dot, evaluate);
    this->count_passage(team, member, tried, steps_near, passage);
    judge(trial, tried, code, error_of(team, member, method, trial.length));
  }

  /// Where a step may be a plain one.
  template <class Team>
  KALABA_FN static Mask may_be_plain(const PersistentState& member) {
    return Base::plain && Team::size == 1 && states_single_row<M>() ? member.rank == X(1) : X(1) < X(0);
  }
  /// The same of the lanes `tried` by plain rates (core/plain_rate.hpp). Returns where those serve; what the trial says
  /// of other lanes means nothing.
  KALABA_FN Mask try_plainly(const PersistentState& member, const P& p, const Method& method, const Mask& tried,
                             Trial& trial) {
    PlainRate<M, X> plain;
    plain.begin(tried);
    const PlainColumns<M, X, AdaptiveTrial> along = {*this, method, p};
    const auto evaluate = [&](int stage, const X& t) KALABA_LAMBDA {
      Vec<X, nq>& q = integrator.q;
      Vec<X, n>& w = integrator.w;
      if constexpr (Base::differentiates) columns_of_step.move_on(stage, trial.length, member.of_columns);
      if (stage + 1 == RungeKutta::stages) {
        plain.template finish<Base::step_iterations>(method, p, t, q, w, along, columns_of_step.at);
      }
      plain.evaluate(method, p, t, q, w);
      if constexpr (Base::differentiates) {
        along.rates(t, q, w, columns_of_step.at,
                    [&](int column, const Vec<X, nq>& dq, const Vec<X, n>& dw)
                        KALABA_LAMBDA { columns_of_step.rates.put(column, dq, dw); });
        columns_of_step.add(stage);
      }
    };
    integrator.step(Solo{}, member.time, trial.length, member.q_after, member.w_after, member.q_dot_after,
                    member.w_dot_after, plain.q_dot, plain.w_dot, evaluate);
    trial.error = error_of(Solo{}, member, method, trial.length);
    return both(plain.plain, trial.error < X(StepControl::rejected_error));
  }

  /// The rates of the columns at a stage whose rate was just found.
  KALABA_FN void follow_stage(const Method& method, int stage, const X& t) {
    find_rates(method, t, integrator.q, integrator.w, columns_of_step.at);
    columns_of_step.add(stage);
  }
  KALABA_FN void find_rates(const Method& method, const X& t, const Vec<X, nq>& q, const Vec<X, n>& w,
                            const Columns<M, X>& at) {
    tangents.evaluate(rate, method, t, q, w, at,
                      [&](int column, const Vec<X, nq>& dq, const Vec<X, n>& dw)
                          KALABA_LAMBDA { columns_of_step.rates.put(column, dq, dw); });
  }

  /// The same near a singular position, of the lanes `careful`: once whole and once in halves, whose end is taken.
  template <class Team>
  KALABA_NOINLINE void try_past(const Team& team, PersistentState& member, const P& p, const Method& method,
                                const Mask& careful, Trial& trial) {
    const X end = member.time + trial.length;
    const X half = X(0.5) * trial.length;
    Passage<X> passage{};
    X code = this->pass(team, member, method, p, member.time, trial.length, end, member.q_after, member.w_after,
                        careful, passage);
    const X speed = passage.speed(steps_near, member.passing);
    this->count_passage(team, member, careful, steps_near, passage);
    team.template for_each<nq>([&](int i) KALABA_LAMBDA { whole_q[i] = this->passer.q[i]; });
    team.template for_each<n>([&](int i) KALABA_LAMBDA { whole_w[i] = this->passer.w[i]; });
    for (int part = 0; part < 2; ++part) {
      const X t = part == 0 ? member.time : member.time + half;
      if (part > 0) {
        team.template for_each<nq>([&](int i) KALABA_LAMBDA { middle_q[i] = this->passer.q[i]; });
        team.template for_each<n>([&](int i) KALABA_LAMBDA { middle_w[i] = this->passer.w[i]; });
      }
      const X found =
          this->pass(team, member, method, p, t, half, part == 0 ? t + half : end,
                     part == 0 ? member.q_after : middle_q, part == 0 ? member.w_after : middle_w, careful, passage);
      code = select(code == X(0), found, code);
    }
    const auto rule = RankRule<X>::at_step(method, member.rank);
    const X found = rate.evaluate(team, method, rule, p, end, this->passer.q, this->passer.w, false, true);
    code = select(code == X(0), found, code);
    constexpr int last = RungeKutta::stages - 1;
    team.template for_each<nq>([&](int i) KALABA_LAMBDA {
      scaled_error[i] =
          (this->passer.q[i] - whole_q[i]) / StepControl::scale(method, member.q_after[i], this->passer.q[i]);
      integrator.q[i] = select(careful, this->passer.q[i], integrator.q[i]);
      integrator.q_dot(last, i) = select(careful, rate.q_dot[i], integrator.q_dot(last, i));
    });
    team.template for_each<n>([&](int i) KALABA_LAMBDA {
      scaled_error[nq + i] =
          (this->passer.w[i] - whole_w[i]) / StepControl::scale(method, member.w_after[i], this->passer.w[i]);
      integrator.w[i] = select(careful, this->passer.w[i], integrator.w[i]);
      integrator.w_dot(last, i) = select(careful, rate.w_dot[i], integrator.w_dot(last, i));
    });
    // As near as rounding lets a step come, the error is what it is.
    const X error = root_mean_square();
    const MaskOf<X> shortest = both(X(0) < speed, speed < X(Passage<X>::least_speed));
    judge(trial, careful, code, select(shortest, min_of(error, X(0.5)), error));
  }

  /// What a step led to, where it was `made`.
  KALABA_FN void judge(Trial& trial, const Mask& made, const X& code, const X& error) const {
    trial.rank = select(made, this->rank_found(), trial.rank);
    const Mask good = both(code == X(0), error < X(StepControl::rejected_error));
    trial.code = select(made, code, trial.code);
    trial.error = select(made, select(good, error, X(StepControl::rejected_error)), trial.error);
  }

  /// The error of a step in units of the tolerances.
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
    team.template for_each<nq>([&](int i) KALABA_LAMBDA {
      scaled_error[i] = RungeKutta::template combined<row, stages>(integrator.q_dot, i) /
                        StepControl::scale(method, member.q_after[i], integrator.q[i]);
    });
    team.template for_each<n>([&](int i) KALABA_LAMBDA {
      scaled_error[nq + i] = RungeKutta::template combined<row, stages>(integrator.w_dot, i) /
                             StepControl::scale(method, member.w_after[i], integrator.w[i]);
    });
    rms[Row] = root_mean_square();
    if constexpr (Row + 1 < Tableau::error_rows) error_row<Row + 1>(team, member, method, rms);
  }
  KALABA_FN X root_mean_square() const {
    X sum(0);
    KALABA_UNROLL
    for (int i = 0; i < nq + n; ++i) sum = fma(scaled_error[i], scaled_error[i], sum);
    return sqrt(sum * X(1.0 / state_numbers<M>()));
  }
};

}  // namespace kalaba
