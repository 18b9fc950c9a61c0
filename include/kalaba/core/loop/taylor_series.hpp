#pragma once

#include "kalaba/core/base/fixed_point.hpp"
#include "kalaba/core/methods/taylor_step.hpp"
#include "kalaba/core/rate/constrained_rate.hpp"

namespace kalaba {

/// A number of a model's formulas whose sign decides on a branch, or on the piece of a table: the series is valid until
/// the number changes its sign.
template <class X>
struct SeriesMargin {
  X value;  ///< at the beginning of the step
  X terms;  ///< sum of the magnitudes of its terms
  X sign;   ///< its coefficients are those of `row` times this
  int row;
  int lag;  ///< they are known up to the order of the step minus this
};

/// Coefficients of the nodes of a model's formulas, as its emitted struct Series reads and writes them:
///   c[row][k]      coefficient k of a node, or k times it
///   inverse[i]     1 / coefficient 0 of a divisor
///   held[i]        a node that is constant within a step
///   choice[i]      a condition at the beginning of the step
///   sums_of_...    sums of products of lower orders, of the line of a group
template <class Formulas, class X>
struct SeriesRows {
  using Number = X;
  static constexpr int orders = TaylorTableau::most_order + 3;
  KALABA_FN static constexpr int most_of(int a, int b) { return a < b ? b : a; }

  X c[most_of(Formulas::rows, 1)][orders];
  X inverse[most_of(Formulas::inverses, 1)];
  X held[most_of(Formulas::held, 1)];
  MaskOf<X> choice[most_of(Formulas::choices, 1)];
  SeriesMargin<X> margin[most_of(Formulas::margins, 1)];
  X sums_of_positions[most_of(Formulas::positions_sums, 1)];
  X sums_of_rates[most_of(Formulas::rates_sums, 1)];
  X sums_of_forces[most_of(Formulas::forces_sums, 1)];
};

/// Taylor coefficients of a constrained motion, with the factorizations of its rate at the beginning of the step alone:
/// at every order the unknowns w'_k and lambda_k have the leading coefficients G_0 and A_0 (docs/numerics.md).
///
/// M::Series, emitted from the formulas, states for three groups of nodes the straight lines of one order: `positions`
/// (of q and t; phi), `rates` (of w too; K and psi) and `forces` (of w' and lambda too; G w' - F - C - A^T lambda).
/// Every line is linear in the coefficients of its order that it is given. The lines `known_...`, with zeros in place
/// of these, therefore give the right-hand side for them. A non-ideal force C that depends on lambda makes the
/// right-hand side depend on it, linearly. A servo-constraint has S in place of A^T.
template <class M, class X, template <class, int, int> class Inverse>
struct TaylorSeries {
  using F = typename M::Series;
  static constexpr int nq = Dim<M>::q;
  static constexpr int n = Dim<M>::w;
  static constexpr int m = Dim<M>::constraints;
  static constexpr int mh = Dim<M>::holonomic;
  static constexpr bool velocity_is_w = !ModelParts<M>::has_velocity;
  using Rate = ConstrainedRate<M, X, Inverse>;
  using P = Prepared<M, X>;
  using S = State<X, nq, n>;
  using E = Vec<X, m>;
  using W = Vec<X, n>;
  static constexpr int efforts = Rate::servo ? Rate::directions : m;
  using Effort = Vec<X, efforts>;  ///< multipliers, or for a servo-constraint the forces of its actuators

  SeriesRows<F, X> rows;
  X unit;      ///< of time, s
  X per_unit;  ///< 1 / unit
  W w_dot;
  Effort lambda;
  E violation[3];  ///< phi and psi of the last orders that the feedback reads, by order modulo 3
  FixedPoint<X, F::solves_forces ? n : 0> force;  ///< right-hand side, if it depends on lambda

  /// Computes step.x up to `order`, from a `rate` that was evaluated at `start` at t: coefficients of powers of the
  /// time in units of `unit` s, a power of 2, so that it changes their exponents only. All recurrences are those of the
  /// time in s: a coefficient of order k has the factor unit^k everywhere; a derivative with respect to time, 1 / unit.
  /// Returns the lanes in which the non-ideal force was not found.
  template <class Team>
  KALABA_FN MaskOf<X> compute(const Team& team, Rate& rate, const Method& method, const P& p, const X& t,
                              const S& start, int order, const X& unit_of_time, TaylorStep<X, nq, n>& step) {
    MaskOf<X> open = X(1) < X(0);
    unit = unit_of_time;
    per_unit = X(1) / unit;
    S* const x = step.x;
    const bool feeds_back = m > 0 && has_feedback<M>(method.stabilization);
    [[maybe_unused]] X next[nq > 0 ? nq : 1];
    x[0] = start;
    w_dot = rate.dot.w;
    if constexpr (m > 0) find_effort(team, rate);
    for (int i = 0; i < nq; ++i) x[1].q[i] = rate.dot.q[i] * unit;
    for (int i = 0; i < n; ++i) x[1].w[i] = w_dot[i] * unit;
    F::begin(p, t, start.q.data, start.w.data, w_dot.data, lambda.data, rows);
    if constexpr (F::margins > 0) F::begin_margins(p, t, start.q.data, start.w.data, w_dot.data, lambda.data, rows);
    F::positions_sums_of(1, rows);
    keep_positions(p, 1, x, feeds_back);
    F::rates_sums_of(1, rows);
    keep_rates(p, 1, x, feeds_back);
    F::positions_sums_of(2, rows);
    keep_positions(p, 2, x, feeds_back);
    for (int k = 1; k < order; ++k) {
      // G_0 w'_k - A_0^T lambda_k = f
      F::forces_sums_of(k, rows);
      const auto residual = F::known_forces(k, p, X(1.0 / k), rows);
      for (int i = 0; i < n; ++i) rate.free_rate[i] = -residual[i];
      // A_0 w'_k = d
      F::rates_sums_of(k + 1, rows);
      const auto unturned = F::known_rates(k + 1, p, X(1.0 / (k + 1)), rows);
      F::positions_sums_of(k + 2, rows);
      if constexpr (m > 0) {
        if constexpr (velocity_is_w) {
          put_positions(rate, k, F::known_positions(k + 2, p, X(1.0 / (k + 2)), rows));
        } else {
          for (int i = 0; i < nq; ++i) next[i] = unturned[i] * (unit * X(1.0 / (k + 2)));
          put_positions(rate, k, F::template positions<false>(k + 2, p, X(1.0 / (k + 2)), X(0), next, rows));
        }
        for (int r = mh; r < m; ++r)
          rate.at.constraint.b[r] = unturned[rates_begin + r - mh] * (per_unit * X(-(k + 1.0)));
        if (feeds_back) add_feedback(rate, method, p, k);
      }
      solve(team, rate);
      if constexpr (F::solves_forces) open = either(open, solve_forces(team, rate, p, k));
      F::template forces<true>(k, p, X(1.0 / k), w_dot.data, lambda.data, rows);
      for (int i = 0; i < n; ++i) x[k + 1].w[i] = w_dot[i] * (unit * X(1.0 / (k + 1)));
      if (k + 1 == order) break;
      keep_rates(p, k + 1, x, feeds_back);
      keep_positions(p, k + 2, x, feeds_back);
    }
    return open;
  }

  /// The first time within `length`, s, at which a margin has changed its sign by more than its rounding errors;
  /// `length` if there is none.
  KALABA_NOINLINE X first_change(int order, const X& length) const {
    X first = length;
    for (int i = 0; i < F::margins; ++i) {
      const SeriesMargin<X>& margin = rows.margin[i];
      first = min_of(first, change_of(margin, rows.c[margin.row], order - margin.lag, length));
    }
    return first;
  }

 private:
  /// The same for one margin. Its series f is followed by steps that cannot pass a change: f'' is bounded by the sum of
  /// its terms at the end, so f does not change its sign before the root of the parabola that it implies. Near a change
  /// that step is Newton's, from the safe side; a least step, which doubles, then passes it.
  KALABA_FN X change_of(const SeriesMargin<X>& margin, const X* c, int top, const X& length) const {
    const X end = length * per_unit;
    const X side = select(margin.value < X(0), X(-1), X(1));
    const X start = side * margin.value;
    const X factor = side * margin.sign;
    X bend(0);
    X rest(0);
    for (int k = top; k >= 1; --k) {
      const X size = abs(c[k]);
      if (k >= 2) bend = fma(bend, end, size * X(k * (k - 1.0)));
      rest = (rest + size) * end;
    }
    MaskOf<X> open = both(!(rest <= start), is_finite(rest));
    X result = length;
    if (!any(open)) return result;
    const X allowed = X(-4 * Limits<Scalar<X>>::epsilon) * margin.terms;
    X least = end * X(0x1p-50);
    X at(0);
    for (int step = 0; step < most_search_steps && any(open); ++step) {
      X f(0);
      X slope(0);
      for (int k = top; k >= 1; --k) {
        slope = fma(slope, at, f);
        f = fma(f, at, c[k]);
      }
      slope = fma(slope, at, f) * factor;
      f = fma(f * at, factor, start);
      const MaskOf<X> changed = both(open, f < allowed);
      result = select(changed, at * unit, result);
      open = both(open, !changed);
      const X above = max_of(f, X(0));
      const X root = sqrt(fma(slope, slope, X(2) * bend * above));
      X go = select(slope < X(0), X(2) * above / (root - slope), (slope + root) / bend);
      go = select(go < end, go, end);  // also of 0 / 0
      const MaskOf<X> is_short = go < least;
      go = select(is_short, least, go);
      least = select(is_short, least + least, least);
      at = select(open, at + go, at);
      open = both(open, at < end);
    }
    return select(open, at * unit, result);
  }
  static constexpr int most_search_steps = 200;

  static constexpr int rates_begin = velocity_is_w ? 0 : nq;

  KALABA_FN void put_positions(Rate& rate, int k, const Vec<X, mh>& phi) const {
    for (int r = 0; r < mh; ++r) {
      rate.at.constraint.b[r] = phi[r] * per_unit * (per_unit * X(-(k + 1.0) * (k + 2.0)));
    }
  }
  KALABA_FN void keep_positions(const P& p, int k, S* x, bool feeds_back) {
    const X of_time = k == 1 ? unit : X(0);
    const auto phi = F::template positions<true>(k, p, X(1.0 / k), of_time, x[k].q.data, rows);
    if (!feeds_back) return;
    for (int r = 0; r < mh; ++r) violation[k % 3][r] = phi[r];
  }
  /// Also computes the next coefficient of q.
  KALABA_FN void keep_rates(const P& p, int k, S* x, bool feeds_back) {
    const auto found = F::template rates<true>(k, p, X(1.0 / k), x[k].w.data, rows);
    for (int i = 0; i < nq; ++i) {
      if constexpr (velocity_is_w) {
        x[k + 1].q[i] = x[k].w[i] * (unit * X(1.0 / (k + 1)));
      } else {
        x[k + 1].q[i] = found[i] * (unit * X(1.0 / (k + 1)));
      }
    }
    if (!feeds_back) return;
    for (int r = mh; r < m; ++r) violation[k % 3][r] = found[rates_begin + r - mh];
  }

  /// Feedback of the method and of the model, in the coefficient k of A w' = b.
  KALABA_FN void add_feedback(Rate& rate, const Method& method, const P& p, int k) {
    const auto gains = feedback_gains<M, X>(p, method.stabilization);
    auto& b = rate.at.constraint.b;
    for (int r = 0; r < mh; ++r) {
      const X speed = violation[(k + 1) % 3][r] * (per_unit * X(k + 1.0));
      b[r] = b[r] - gains.rate * speed - gains.position * violation[k % 3][r];
    }
    for (int r = mh; r < m; ++r) b[r] = b[r] - gains.rate * violation[k % 3][r];
  }

  /// lambda := the multipliers, or the forces of the actuators, for rate.error.
  template <class Team>
  KALABA_FN void find_effort(const Team& team, Rate& rate) {
    if constexpr (Rate::servo) {
      rate.inverse.min_norm(team, rate.error, lambda);
    } else {
      rate.inverse.template multipliers<false>(team, rate.error, lambda);
    }
  }

  /// Corrects w'_k and lambda_k for a non-ideal force that depends on lambda_k, after `solve` without that part.
  /// Returns the lanes in which it was not found.
  template <class Team>
  KALABA_NOINLINE MaskOf<X> solve_forces(const Team& team, Rate& rate, const P& p, int k) {
    W given;  // f without the part that depends on lambda_k
    W nothing;
    const auto known = F::known_forces(k, p, X(1.0 / k), rows);
    X size2(0);
    for (int i = 0; i < n; ++i) {
      given[i] = -known[i];
      nothing[i] = X(0);
      size2 = fma(given[i], given[i], size2);
    }
    const auto with_lambda = [&]() KALABA_LAMBDA {
      W at = F::template forces<false>(k, p, X(1.0 / k), nothing.data, lambda.data, rows);
      for (int i = 0; i < n; ++i) at[i] = -at[i];
      for (int r = 0; r < m; ++r) {
        for_entries<PatternOf<M>>(
            r, [&](int j, int i) KALABA_LAMBDA { at[i] = fma(-rate.at.matrix.data[j], lambda[r], at[i]); });
      }
      return at;
    };
    force.x = with_lambda();
    const MaskOf<X> open = force.solve(team, X(0) < X(1), size2, [&]() KALABA_LAMBDA {
      rate.free_rate = force.x;
      solve(team, rate);
      return with_lambda();
    });
    rate.free_rate = force.x;
    solve(team, rate);
    return open;
  }

  /// Computes w'_k and lambda_k from rate.free_rate = f and b = d.
  template <class Team>
  KALABA_FN void solve(const Team& team, Rate& rate) {
    if constexpr (has_singular_metric<M>()) rate.at.complete(rate.free_rate);
    rate.at.factor.solve(rate.free_rate.data);
    rate.at.factor.solve_transposed(rate.free_rate.data);
    w_dot = rate.free_rate;
    if constexpr (m > 0) {
      for (int r = 0; r < m; ++r) rate.error[r] = -rate.distance(r, rate.free_rate);
      find_effort(team, rate);
      W force_of_rows;
      if constexpr (Rate::servo) {
        for (int i = 0; i < n; ++i) {
          X sum(0);
          for (int j = 0; j < efforts; ++j) sum = fma(rate.weighted_actuation(i, j), lambda[j], sum);
          force_of_rows[i] = sum;
        }
      } else {
        for (int i = 0; i < n; ++i) force_of_rows[i] = X(0);
        for (int r = 0; r < m; ++r) {
          for_entries<PatternOf<M>>(r, [&](int k, int i) KALABA_LAMBDA {
            force_of_rows[i] = fma(rate.at.matrix.data[k], lambda[r], force_of_rows[i]);
          });
        }
        rate.at.factor.solve(force_of_rows.data);
      }
      rate.at.factor.solve_transposed(force_of_rows.data);
      for (int i = 0; i < n; ++i) w_dot[i] = w_dot[i] + force_of_rows[i];
    }
  }
};

}  // namespace kalaba
