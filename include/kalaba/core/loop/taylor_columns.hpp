#pragma once

#include "kalaba/core/base/differentiation.hpp"
#include "kalaba/core/loop/taylor_series.hpp"
#include "kalaba/core/sensitivities/tangent.hpp"

namespace kalaba {

/// Taylor coefficients of the sensitivity columns of a motion. The equations of an order, differentiated along a
/// column, have the leading coefficients of the member's own,
///
///   G_0 dw'_k - A_0^T dlambda_k = df,   A_0 dw'_k = dd   at fixed w'_k and lambda_k,
///
/// so that a column costs its recurrences, in dual numbers, and a back-substitution an order.
template <class M, class X, template <class, int, int> class Inverse>
struct TaylorColumns {
  using D = Dual<X, 1>;
  using Series = TaylorSeries<M, X, Inverse>;
  using Orders = SeriesOrders<M, X, D>;
  using F = typename Series::F;
  using Rate = typename Series::Rate;
  using W = typename Series::W;
  using Effort = typename Series::Effort;
  using TangentsType = Tangents<M, X, Inverse>;
  static constexpr int nq = Dim<M>::q;
  static constexpr int n = Dim<M>::w;
  static constexpr int m = Dim<M>::constraints;
  static constexpr int count = Dim<M>::sensitivities;
  static constexpr int efforts = Series::efforts;
  using Member = TaylorStep<X, nq, n>;
  using Step = TaylorStep<X, count * nq, count * n>;

  /// Bound on the rounding errors of a column's coefficient, relative to it: it may be much smaller than the terms that
  /// are summed in it.
  static constexpr Scalar<X> rounding_of_slopes = Limits<Scalar<X>>::epsilon > 1e-10 ? 1e-3 : 1e-9;

  Orders orders;
  Vec<X, count * efforts> efforts_begin;

  /// Stores the columns and their rates, and the derivatives of the forces, at the beginning of a step: after an
  /// evaluation of the member's rate, before its series is computed. `unit`: of the time of the coefficients, s.
  KALABA_FN void begin(Rate& rate, const TangentsType& tangents, const Method& method, const X& t, const Vec<X, nq>& q,
                       const W& w, const Columns<M, X>& columns, const X& unit, Step& step) {
    copy(Solo{}, columns, step.x[0]);
    tangents.evaluate(rate, method, t, q, w, columns, [&](int column, const Vec<X, nq>& dq, const W& dw) KALABA_LAMBDA {
      for (int i = 0; i < nq; ++i) step.x[1].q[column * nq + i] = dq[i] * unit;
      for (int i = 0; i < n; ++i) step.x[1].w[column * n + i] = dw[i] * unit;
    });
    if constexpr (m > 0) tangents.efforts_along(rate, method, t, q, w, columns, efforts_begin);
  }

  /// Computes step.x of all columns, after those of the member, `from`, by its `series`.
  template <class Team>
  KALABA_FN void compute(const Team& team, Rate& rate, Series& series, const TangentsType& tangents,
                         const Method& method, const X& t, int order, const Member& from, Step& step) {
    orders.unit = series.unit;
    orders.per_unit = series.per_unit;
    for (int column = 0; column < count; ++column) {
      const auto p = tangents.prepared_along(column);
      const auto q = joined(from.x[0].q, &step.x[0].q[column * nq]);
      const auto w = joined(from.x[0].w, &step.x[0].w[column * n]);
      const auto q_dot = scaled(joined(from.x[1].q, &step.x[1].q[column * nq]), series.per_unit);
      orders.w_dot = scaled(joined(from.x[1].w, &step.x[1].w[column * n]), series.per_unit);
      if constexpr (m > 0) orders.lambda = joined(series.efforts_of[0], &efforts_begin[column * efforts]);
      Solver<Team> solver{*this, team, rate, series, p, from};
      orders.compute(p, method.stabilization, D(t), q, w, q_dot, order, solver, Out{step, column});
    }
  }

  /// Derivatives of a margin along all columns, at a state; NaN if the margin depends on w' or lambda.
  KALABA_NOINLINE void margins_along(const TangentsType& tangents, const X& t, const Vec<X, nq>& q, const W& w,
                                     const Columns<M, X>& columns, const X& margin, Vec<X, count>& out) {
    const X nothing = X(0) / X(0);
    for (int column = 0; column < count; ++column) {
      for (int i = 0; i < n; ++i) orders.w_dot[i] = D(nothing);
      for (int i = 0; i < efforts; ++i) orders.lambda[i] = D(nothing);
      const auto dual_q = joined(q, &columns.q[column * nq]);
      const auto dual_w = joined(w, &columns.w[column * n]);
      F::begin_margins(tangents.prepared_along(column), D(t), dual_q.data, dual_w.data, orders.w_dot.data,
                       orders.lambda.data, orders.rows);
      out[column] = X(0);
      for (int i = 0; i < F::margins; ++i) {
        const auto& found = orders.rows.margin[i].value;
        const X slope = select(found.value == found.value, found.slope[0], nothing);
        out[column] = select(margin == X(i), slope, out[column]);
      }
    }
  }

 private:
  /// Values with their derivatives along a column.
  template <int Count>
  KALABA_FN static Vec<D, Count> joined(const Vec<X, Count>& values, const X* slopes) {
    Vec<D, Count> result;
    for (int i = 0; i < Count; ++i) {
      result[i].value = values[i];
      result[i].slope[0] = slopes[i];
    }
    return result;
  }
  template <int Count>
  KALABA_FN static Vec<D, Count> scaled(Vec<D, Count> values, const X& factor) {
    for (int i = 0; i < Count; ++i) values[i] = values[i] * factor;
    return values;
  }

  /// Solves the equations of an order for the derivatives; the guess is the member's own solution.
  template <class Team>
  struct Solver {
    static constexpr bool guesses = true;
    TaylorColumns& columns;
    const Team& team;
    Rate& rate;
    Series& series;
    const Prepared<M, D>& p;
    const Member& from;

    KALABA_FN void guess(int k, Vec<D, n>& w_dot, Vec<D, efforts>& lambda) const {
      const X factor = series.per_unit * X(k + 1.0);
      for (int i = 0; i < n; ++i) w_dot[i] = D(from.x[k + 1].w[i] * factor);
      for (int i = 0; i < efforts; ++i) lambda[i] = D(series.efforts_of[k][i]);
    }
    KALABA_FN void solve(int k, const Vec<D, n>& residual, const Vec<D, m>& b, Vec<D, n>& w_dot,
                         Vec<D, efforts>& lambda) {
      W given;
      W change;
      Effort effort;
      for (int i = 0; i < n; ++i) given[i] = rate.free_rate[i] = -residual[i].slope[0];
      for (int r = 0; r < m; ++r) rate.at.constraint.b[r] = b[r].slope[0];
      Series::solve(team, rate, change, effort);
      if constexpr (F::solves_forces) {
        W least;
        for (int i = 0; i < n; ++i) least[i] = X(0);
        noinline_call([&]() KALABA_LAMBDA {
          series.solve_forces(
              team, rate, given, change, effort,
              [&]() KALABA_LAMBDA {
                for (int i = 0; i < efforts; ++i) lambda[i].slope[0] = effort[i];
                const auto at =
                    F::template forces<false>(k, p, D(X(1.0 / k)), w_dot.data, lambda.data, columns.orders.rows);
                W f;
                for (int i = 0; i < n; ++i) f[i] = -at[i].slope[0];
                Series::subtract_reaction(rate, effort, f);
                return f;
              },
              least, rounding_of_slopes);
        });
      }
      for (int i = 0; i < n; ++i) w_dot[i].slope[0] = change[i];
      for (int i = 0; i < efforts; ++i) lambda[i].slope[0] = effort[i];
    }
  };

  struct Out {
    Step& step;
    int column;
    KALABA_FN void q(int k, const Vec<D, nq>& found) const {
      for (int i = 0; i < nq; ++i) step.x[k].q[column * nq + i] = found[i].slope[0];
    }
    KALABA_FN void w(int k, const Vec<D, n>& found) const {
      for (int i = 0; i < n; ++i) step.x[k].w[column * n + i] = found[i].slope[0];
    }
  };
};

/// Replaces the columns of a series if the run has no sensitivities.
struct NoTaylorColumns {};
template <class M, class X, template <class, int, int> class Inverse, bool Any = (Dim<M>::sensitivities > 0)>
struct TaylorColumnsOf {
  using type = NoTaylorColumns;
};
template <class M, class X, template <class, int, int> class Inverse>
struct TaylorColumnsOf<M, X, Inverse, true> {
  using type = TaylorColumns<M, X, Inverse>;
};

}  // namespace kalaba
