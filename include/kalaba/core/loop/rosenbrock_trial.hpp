#pragma once

#include "kalaba/core/base/pivoted_lu.hpp"
#include "kalaba/core/loop/adaptive_trial.hpp"
#include "kalaba/core/methods/rodas5p.hpp"
#include "kalaba/core/sensitivities/rate_curvature.hpp"

namespace kalaba {

/// Trial of one step by a Rosenbrock method, for one worker a member. The Jacobian of the constrained rate is exact:
/// its columns are the derivatives of the rate along the numbers of the state and along time
/// (core/sensitivities/rate_slopes.hpp), by the factor and the pseudo-inverse of the rate at the start of the step. The
/// end of the step is projected onto the constraints. Near singular positions the steps are those of the Runge-Kutta
/// methods (MemberWorkspace::pass).
///
/// The columns of sensitivities are the derivatives of the step itself. Along a column with the derivatives Y_i and
/// kappa_i of the stages, the stage's equation gives, with the same matrix,
///
///   (I - h gamma J) kappa_i = gamma (h df(Y_i) + sum_j c_ij kappa_j + h (dJ k_i + h d_i df_t)),
///
/// and the last bracket is the second derivative of the rate along the column and (k_i, h d_i)
/// (core/sensitivities/rate_curvature.hpp). Without that derivative the order would be 2.
template <class M, class X, template <class, int, int> class Inverse>
struct RosenbrockTrial : StepTrial<M, X, Inverse, Rodas5pTableau> {
  using Base = StepTrial<M, X, Inverse, Rodas5pTableau>;
  using Base::columns_of_step;
  using Base::integrator;
  using Base::judge;
  using Base::n;
  using Base::nq;
  using Base::rate;
  using Base::root_mean_square;
  using Base::scaled_error;
  using Base::steps_near;
  using Base::tangents;
  using typename Base::Mask;
  using typename Base::P;
  using typename Base::PersistentState;
  using typename Base::S;
  using typename Base::Trial;
  using Tableau = Rodas5pTableau;
  using Slopes = RateSlopes<M, X, Inverse>;
  static constexpr int stages = Tableau::stages;
  static constexpr int size = nq + n;
  static constexpr bool reduces = !Slopes::turns;  ///< q' = w: the equation is one of the rates
  static constexpr int unknowns = reduces ? n : size;
  static constexpr int columns = Dim<M>::sensitivities;

  PivotedLu<X, unknowns> system;            ///< I - h gamma J, or what is left of it for the rates
  Mat<X, reduces ? n : 1, nq> of_position;  ///< if it reduces, h gamma dw'/dq
  Vec<X, size> time_slope;                  ///< df/dt at the start of the step
  S start_rate;                             ///< f at the start of the step
  Vec<X, size> right_side;
  RateCurvatureOf<M, X, Inverse> curvature;  ///< at the start of the step

  /// Computes a step of trial.length in the integrator's workspace. Leaves a status code in the trial, and an error
  /// above 1 if the code is not 0, the error is not finite or I - h gamma J is singular.
  template <class Team>
  KALABA_FN void try_step(const Team& team, PersistentState& member, const P& p, const Method& method,
                          const Mask& tried, Trial& trial) {
    static_assert(Team::size == 1, "Rosenbrock methods take one worker a member");
    const X h = trial.length;
    auto rule = RankRule<X>::at_step(method, member.rank);
    X start_code = rate.evaluate(team, method, for_lanes<decltype(rate.inverse)>(rule, tried), p, member.time,
                                 member.after.q, member.after.w, false, true);
    this->count_svd_stage(team, member, tried);
    copy(Solo{}, rate.dot, start_rate);
    const X rank = this->rank_found();
    Passage<X> passage{};
    if constexpr (Base::can_pass) passage.begin(rate.inverse);
    const Mask finite = noinline_call([&]() KALABA_LAMBDA { return linearize(p, method, member, h); });
    start_code = with_status(start_code, !finite, Status::non_finite);
    const Mask regular = noinline_call([&]() KALABA_LAMBDA { return system.factorize(); });
    if constexpr (Base::differentiates) begin_columns(p, method, member);
    X code = start_code;
    for (int stage = 0; stage < stages; ++stage) {
      if (stage > 0) {
        integrator.move_to(stage, member.after);
        auto within = RankRule<X>::within_step(method, rank);
        within.compares_rows = Base::can_pass && passage.in_sight();
        const X t = fma(X(Tableau::node(stage)), h, member.time);
        const X found = rate.evaluate(team, method, for_lanes<decltype(rate.inverse)>(within, tried), p, t,
                                      integrator.at.q, integrator.at.w, true, false);
        code = select(code == X(0), found, code);
        this->count_svd_stage(team, member, tried);
        if constexpr (Base::can_pass) passage.note(rate.inverse);
        if constexpr (Base::differentiates) follow_stage(method, member, stage, t);
      }
      solve_stage(stage, h);
      if constexpr (Base::differentiates) solve_columns(stage, h);
    }
    integrator.move_to(stages, member.after);
    integrator.extend();
    if constexpr (Base::differentiates) end_columns(member);
    const X end = member.time + h;
    Mask torn = X(1) < X(0);
    code = this->project_and_check(team, method, RankRule<X>(method.rank_tolerance), p, end, integrator.at,
                                   both(tried, regular), code, columns_of_step.at, {h, rank, &member.after.w, &torn});
    code = select(regular, code, start_code);  // a shorter step has another matrix
    match_start(method, member, h);
    if constexpr (Base::differentiates) copy(team, columns_of_step.at, columns_of_step.integrator.at);
    this->look_ahead(team, member, method, both(tried, regular), passage);
    for_numbers<nq, n>(team, [&](auto of, int i) KALABA_LAMBDA {
      const X error = of(integrator.k[stages - 1])[i];
      of(scaled_error)[i] = error / StepControl::scale(method, of(member.after)[i], of(integrator.at)[i]);
    });
    X error = root_mean_square();
    if constexpr (Base::differentiates) error = this->with_columns(team, member, p, method, h, X(1), tried, error);
    judge(trial, tried, code, select(regular, error, X(StepControl::rejected_error)), rank);
  }

  /// Like try_step near a singular position: computes the step in parts (StepTrial::pass_in_parts).
  template <class Team>
  KALABA_NOINLINE void try_past(const Team& team, PersistentState& member, const P& p, const Method& method,
                                const Mask& near_singular, Trial& trial) {
    const auto find_rates = [&](const X& end, const S& made, X& code) KALABA_LAMBDA {
      code = this->rates_at_ends(team, member, p, method, end, made, integrator.k[0], code);
      for_numbers<nq, n>(team, [&](auto of, int i) KALABA_LAMBDA {  // the cubic through the ends
        const X change = of(made)[i] - of(member.after)[i];
        const X first = fma(trial.length, of(integrator.k[0])[i], -change);
        const X last = fma(trial.length, of(rate.dot)[i], -change);
        of(integrator.extension[0])[i] = select(near_singular, first, of(integrator.extension[0])[i]);
        of(integrator.extension[1])[i] = select(near_singular, -(first + last), of(integrator.extension[1])[i]);
        of(integrator.extension[2])[i] = select(near_singular, X(0), of(integrator.extension[2])[i]);
      });
    };
    this->pass_in_parts(team, member, p, method, near_singular, trial, find_rates);
  }

 private:
  /// Gives the continuous extension the slope h f at the start of the step, by d s (1 - s)^3, up to the tolerance (d up
  /// to 10 times): a stiff number may have a rate there that it loses at once. So a slip that begins with no
  /// acceleration leaves zero with the right sign.
  KALABA_FN void match_start(const Method& method, const PersistentState& member, const X& h) {
    auto& extension = integrator.extension;
    for_numbers<nq, n>(Solo{}, [&](auto of, int i) KALABA_LAMBDA {
      const X& before = of(member.after)[i];
      const X& after = of(integrator.at)[i];
      const X most = X(10) * StepControl::scale(method, before, after);
      const X missing = fma(h, of(start_rate)[i], before - after) - of(extension[0])[i];
      const X d = max_of(min_of(missing, most), -most);
      of(extension[0])[i] = of(extension[0])[i] + d;
      of(extension[1])[i] = fma(X(-2), d, of(extension[1])[i]);
      of(extension[2])[i] = of(extension[2])[i] + d;
    });
  }

  /// right_side := the solution k of (I - h gamma J) k = right_side. If q' = w, k_q = r_q + h gamma k_w, and
  ///
  ///   (I - h gamma dw'/dw - (h gamma)^2 dw'/dq) k_w = r_w + h gamma dw'/dq r_q.
  KALABA_NOINLINE void solve_system(const X& h) {
    if constexpr (reduces) {
      Vec<X, n> of_rates;
      for (int i = 0; i < n; ++i) {
        X sum = right_side[nq + i];
        for (int j = 0; j < nq; ++j) sum = fma(of_position(i, j), right_side[j], sum);
        of_rates[i] = sum;
      }
      system.solve(of_rates);
      for (int i = 0; i < n; ++i) {
        right_side[i] = fma(X(Tableau::gamma) * h, of_rates[i], right_side[i]);
        right_side[nq + i] = of_rates[i];
      }
    } else {
      system.solve(right_side);
    }
  }

  /// Number i of a state, the coordinates first.
  KALABA_FN static X& number(S& state, int i) { return i < nq ? state.q[i] : state.w[i - nq]; }

  /// system.a := I - h gamma J and time_slope := df/dt, after an evaluation of the rate at the start of the step.
  /// Returns the lanes in which they are finite.
  KALABA_FN Mask linearize(const P& p, const Method& method, const PersistentState& member, const X& h) {
    const X weight = X(-Tableau::gamma) * h;
    Vec<X, nq> dq;
    Vec<X, n> dw;
    X zero(0);                                          // 0 x is NaN if x is not finite
    const auto along = [&](int column) KALABA_LAMBDA {  // the last one is along time
      for (int i = 0; i < nq; ++i) dq[i] = X(i == column ? 1 : 0);
      for (int i = 0; i < n; ++i) dw[i] = X(nq + i == column ? 1 : 0);
      return Direction<X>{dq.data, dw.data, column == size ? Dim<M>::sensitivities : -1};
    };
    const auto take = [&](int column, const Vec<X, nq>& q_dot, const Vec<X, n>& w_dot) KALABA_LAMBDA {
      for (int i = 0; i < size; ++i) {
        const X slope = i < nq ? q_dot[i < nq ? i : 0] : w_dot[i < nq ? 0 : i - nq];
        zero = fma(slope, X(0), zero);
        if (column == size) {
          time_slope[i] = slope;
        } else if constexpr (!reduces) {
          system.a(i, column) = fma(weight, slope, X(i == column ? 1 : 0));
        } else if (i >= nq) {
          const int row = i - nq;
          if (column < nq) {
            of_position(row, column) = -weight * slope;
          } else {
            const X own = fma(weight, of_position(row, column - nq), X(i == column ? 1 : 0));
            system.a(row, column - nq) = fma(weight, slope, own);
          }
        }
      }
    };
    Slopes::differentiate(rate, method, p, member.time, member.after.q, member.after.w, size + 1, along, take);
    return zero == X(0);
  }

  /// integrator.k[stage] := the solution of the stage's equation, after the rate of the stage.
  KALABA_FN void solve_stage(int stage, const X& h) {
    const X of_time = X(Tableau::of_time(stage)) * h;
    for (int i = 0; i < size; ++i) {
      X sum = h * fma(of_time, time_slope[i], number(rate.dot, i));
      for (int j = 0; j < stage; ++j) sum = fma(X(Tableau::c(stage, j)), number(integrator.k[j], i), sum);
      right_side[i] = X(Tableau::gamma) * sum;
    }
    solve_system(h);
    for (int i = 0; i < size; ++i) number(integrator.k[stage], i) = right_side[i];
  }

  /// Computes what the columns need of the start of the step, and their rates there.
  KALABA_NOINLINE void begin_columns(const P& p, const Method& method, const PersistentState& member) {
    copy(Solo{}, member.of_columns.after, columns_of_step.at);
    curvature.begin(rate, method, p, member.time, member.after, columns_of_step.at, [&](int column) KALABA_LAMBDA {
      return tangents.asked.of[column] < Dim<M>::parameters ? column : -1;
    });
    for (int column = 0; column < columns; ++column) {
      columns_of_step.rates.put(column, curvature.of_columns[column].q_dot, curvature.of_columns[column].w_dot);
    }
  }
  /// Computes the columns of a stage, and their rates.
  KALABA_FN void follow_stage(const Method& method, const PersistentState& member, int stage, const X& t) {
    columns_of_step.integrator.move_to(stage, member.of_columns.after);
    copy(Solo{}, columns_of_step.integrator.at, columns_of_step.at);
    this->find_rates(method, t, integrator.at, columns_of_step.at);
  }
  /// Solves the stage's equation of the columns.
  KALABA_NOINLINE void solve_columns(int stage, const X& h) {
    auto& k = columns_of_step.integrator.k;
    curvature.turn(integrator.k[stage], X(Tableau::of_time(stage)) * h);
    for (int column = 0; column < columns; ++column) {
      const auto of = [&](auto& of_columns, int i) KALABA_LAMBDA -> X& {
        return i < nq ? of_columns.q[column * nq + i] : of_columns.w[column * n + i - nq];
      };
      S bend;
      curvature.along(column, bend.q, bend.w);
      for (int i = 0; i < size; ++i) {
        X sum = h * (of(columns_of_step.rates, i) + number(bend, i));
        for (int j = 0; j < stage; ++j) sum = fma(X(Tableau::c(stage, j)), of(k[j], i), sum);
        right_side[i] = X(Tableau::gamma) * sum;
      }
      solve_system(h);
      for (int i = 0; i < size; ++i) of(k[stage], i) = right_side[i];
    }
  }
  /// Moves the columns to the end of the step.
  KALABA_FN void end_columns(const PersistentState& member) {
    columns_of_step.integrator.move_to(stages, member.of_columns.after);
    columns_of_step.integrator.extend();
    copy(Solo{}, columns_of_step.integrator.at, columns_of_step.at);
  }
};

template <class M, class X, template <class, int, int> class Inverse>
struct TrialOf<M, X, Inverse, Rodas5pTableau> {
  using type = RosenbrockTrial<M, X, Inverse>;
};

}  // namespace kalaba
