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

/// The orders of a series, for numbers N: a Real X, or dual numbers of it along a sensitivity column.
///
/// M::Series, emitted from the formulas, states for three groups of nodes the straight lines of one order: `positions`
/// (of q and t; phi), `rates` (of w too; K and psi) and `forces` (of w' and lambda too; G w' - F - C - A^T lambda).
/// Every line is linear in the coefficients of its order that it is given. The equations of order k,
///
///   G_0 w'_k - A_0^T lambda_k = f,   A_0 w'_k = d,
///
/// follow from the lines at a guess of w'_k and lambda_k; `known_...` are the lines at the guess 0.
template <class M, class X, class N>
struct SeriesOrders {
  using F = typename M::Series;
  static constexpr int nq = Dim<M>::q;
  static constexpr int n = Dim<M>::w;
  static constexpr int m = Dim<M>::constraints;
  static constexpr int mh = Dim<M>::holonomic;
  static constexpr bool velocity_is_w = !ModelParts<M>::has_velocity;
  static constexpr int efforts = ModelParts<M>::actuated ? actuation_directions<M>() : m;
  using P = Prepared<M, N>;
  using Q = Vec<N, nq>;
  using W = Vec<N, n>;
  using E = Vec<N, m>;
  using Effort = Vec<N, efforts>;  ///< multipliers, or for a servo-constraint the forces of its actuators

  SeriesRows<F, N> rows;
  X unit;      ///< of time, s, a power of 2: it changes exponents only
  X per_unit;  ///< 1 / unit
  W w_dot;     ///< coefficients of the current order
  Effort lambda;
  E violation[3];  ///< phi and psi of the last orders that the feedback reads, by order modulo 3

  /// Computes the coefficients up to `order`, and gives them to `out`: out.q(k, coefficients), out.w(k, coefficients).
  /// They are those of powers of the time in units of `unit`; all recurrences are those of the time in s: a coefficient
  /// of order k has the factor unit^k everywhere; a derivative with respect to time, 1 / unit. `w_dot` and `lambda` are
  /// those of order 0. For every later order solver.guess(k, w_dot, lambda) leaves a guess, and solver.solve(k,
  /// residual, b, w_dot, lambda) the solution.
  template <class Solver, class Out>
  KALABA_FN void compute(const P& p, const Stabilization& stabilization, const N& t, const Q& q, const W& w,
                         const Q& q_dot, int order, Solver& solver, const Out& out) {
    const bool feeds_back = m > 0 && has_feedback<M>(stabilization);
    F::begin(p, t, q.data, w.data, w_dot.data, lambda.data, rows);
    Q next_q = times(q_dot, unit);
    W next_w = times(w_dot, unit);
    out.q(1, next_q);
    out.w(1, next_w);
    F::positions_sums_of(1, rows);
    keep_positions(p, 1, next_q, feeds_back);
    F::rates_sums_of(1, rows);
    next_q = keep_rates(p, 1, next_w, feeds_back);
    out.q(2, next_q);
    F::positions_sums_of(2, rows);
    keep_positions(p, 2, next_q, feeds_back);
    for (int k = 1; k < order; ++k) {
      const N per_order(X(1.0 / k));
      const N per_next(X(1.0 / (k + 1)));
      const N per_last(X(1.0 / (k + 2)));
      F::forces_sums_of(k, rows);
      F::rates_sums_of(k + 1, rows);
      F::positions_sums_of(k + 2, rows);
      E b;
      W residual;
      if constexpr (Solver::guesses) {
        solver.guess(k, w_dot, lambda);
        residual = F::template forces<false>(k, p, per_order, w_dot.data, lambda.data, rows);
      } else {
        residual = F::known_forces(k, p, per_order, rows);
      }
      if constexpr (m > 0) {
        if constexpr (Solver::guesses || !velocity_is_w) {
          W rate_of_guess = times(w_dot, unit * X(1.0 / (k + 1)));
          const auto unturned = [&]() KALABA_LAMBDA {
            if constexpr (Solver::guesses) {
              return F::template rates<false>(k + 1, p, per_next, rate_of_guess.data, rows);
            } else {
              return F::known_rates(k + 1, p, per_next, rows);
            }
          }();
          for (int i = 0; i < nq; ++i) {
            next_q[i] = (velocity_is_w ? rate_of_guess[velocity_is_w ? i : 0] : unturned[velocity_is_w ? 0 : i]) *
                        (unit * X(1.0 / (k + 2)));
          }
          put_positions(k, F::template positions<false>(k + 2, p, per_last, N(0), next_q.data, rows), b);
          put_rates(k, unturned, b);
        } else {
          put_positions(k, F::known_positions(k + 2, p, per_last, rows), b);
          put_rates(k, F::known_rates(k + 1, p, per_next, rows), b);
        }
        if (feeds_back) add_feedback(stabilization, p, k, b);
      }
      solver.solve(k, residual, b, w_dot, lambda);
      F::template forces<true>(k, p, per_order, w_dot.data, lambda.data, rows);
      next_w = times(w_dot, unit * X(1.0 / (k + 1)));
      out.w(k + 1, next_w);
      if (k + 1 == order) break;
      next_q = keep_rates(p, k + 1, next_w, feeds_back);
      out.q(k + 2, next_q);
      keep_positions(p, k + 2, next_q, feeds_back);
    }
  }

 private:
  static constexpr int rates_begin = velocity_is_w ? 0 : nq;

  template <int Count>
  KALABA_FN static Vec<N, Count> times(const Vec<N, Count>& a, const X& factor) {
    Vec<N, Count> result;
    for (int i = 0; i < Count; ++i) result[i] = a[i] * factor;
    return result;
  }
  KALABA_FN void put_positions(int k, const Vec<N, mh>& phi, E& b) const {
    for (int r = 0; r < mh; ++r) b[r] = phi[r] * per_unit * (per_unit * X(-(k + 1.0) * (k + 2.0)));
  }
  template <class Found>
  KALABA_FN void put_rates(int k, const Found& found, E& b) const {
    for (int r = mh; r < m; ++r) b[r] = found[rates_begin + r - mh] * (per_unit * X(-(k + 1.0)));
  }
  KALABA_FN void keep_positions(const P& p, int k, const Q& q, bool feeds_back) {
    const N of_time(k == 1 ? unit : X(0));
    const auto phi = F::template positions<true>(k, p, N(X(1.0 / k)), of_time, q.data, rows);
    if (!feeds_back) return;
    for (int r = 0; r < mh; ++r) violation[k % 3][r] = phi[r];
  }
  /// Returns the next coefficients of q.
  KALABA_FN Q keep_rates(const P& p, int k, const W& w, bool feeds_back) {
    const auto found = F::template rates<true>(k, p, N(X(1.0 / k)), w.data, rows);
    Q next;
    for (int i = 0; i < nq; ++i) {
      if constexpr (velocity_is_w) {
        next[i] = w[i] * (unit * X(1.0 / (k + 1)));
      } else {
        next[i] = found[i] * (unit * X(1.0 / (k + 1)));
      }
    }
    if (feeds_back) {
      for (int r = mh; r < m; ++r) violation[k % 3][r] = found[rates_begin + r - mh];
    }
    return next;
  }

  /// Feedback of the method and of the model, in the coefficient k of A w' = b.
  KALABA_FN void add_feedback(const Stabilization& stabilization, const P& p, int k, E& b) const {
    const auto gains = feedback_gains<M, N>(p, stabilization);
    for (int r = 0; r < mh; ++r) {
      const N speed = violation[(k + 1) % 3][r] * (per_unit * X(k + 1.0));
      b[r] = b[r] - gains.rate * speed - gains.position * violation[k % 3][r];
    }
    for (int r = mh; r < m; ++r) b[r] = b[r] - gains.rate * violation[k % 3][r];
  }
};

/// Taylor coefficients of a constrained motion, with the factorizations of its rate at the beginning of the step alone:
/// at every order the unknowns w'_k and lambda_k have the leading coefficients G_0 and A_0 (docs/numerics.md). A
/// non-ideal force C that depends on lambda makes the right-hand side depend on it, linearly. A servo-constraint has S
/// in place of A^T.
template <class M, class X, template <class, int, int> class Inverse>
struct TaylorSeries : SeriesOrders<M, X, X> {
  using Base = SeriesOrders<M, X, X>;
  using Base::efforts;
  using Base::lambda;
  using Base::m;
  using Base::n;
  using Base::nq;
  using Base::per_unit;
  using Base::rows;
  using Base::unit;
  using Base::w_dot;
  using typename Base::E;
  using typename Base::Effort;
  using typename Base::F;
  using typename Base::P;
  using typename Base::W;
  using Rate = ConstrainedRate<M, X, Inverse>;
  using S = State<X, nq, n>;
  using Mask = MaskOf<X>;
  static constexpr bool differentiates = Dim<M>::sensitivities > 0;

  FixedPoint<X, F::solves_forces ? n : 0> force;                          ///< f, if it depends on lambda
  Effort efforts_of[differentiates ? TaylorTableau::most_order + 1 : 1];  ///< coefficients of lambda, for the columns
  W start_size;  ///< sizes of the terms of f at the start of the step, if it depends on lambda
  Mask open;     ///< lanes in which C was not found

  /// Computes step.x up to `order`, from a `rate` that was evaluated at `start` at t, in units of `unit_of_time`.
  template <class Team>
  KALABA_FN void compute(const Team& team, Rate& rate, const Method& method, const P& p, const X& t, const S& start,
                         int order, const X& unit_of_time, TaylorStep<X, nq, n>& step) {
    open = X(1) < X(0);
    unit = unit_of_time;
    per_unit = X(1) / unit;
    step.x[0] = start;
    w_dot = rate.dot.w;
    if constexpr (m > 0) find_effort<true>(team, rate, lambda);
    if constexpr (differentiates) efforts_of[0] = lambda;
    if constexpr (F::solves_forces) find_start_size(rate);
    if constexpr (F::margins > 0) {
      F::begin_margins(p, t, start.q.data, start.w.data, w_dot.data, lambda.data, rows);
    }
    Solver<Team> solver{*this, team, rate, p};
    Base::compute(p, method.stabilization, t, start.q, start.w, rate.dot.q, order, solver, Out{step});
  }

  /// Computes w'_k and lambda_k from rate.free_rate = f and b = d.
  template <class Team>
  KALABA_FN static void solve(const Team& team, Rate& rate, W& w_dot, Effort& lambda) {
    if constexpr (has_singular_metric<M>()) rate.at.complete(rate.free_rate);
    rate.at.factor.solve(rate.free_rate.data);
    rate.at.factor.solve_transposed(rate.free_rate.data);
    w_dot = rate.free_rate;
    if constexpr (m > 0) {
      for (int r = 0; r < m; ++r) rate.error[r] = -rate.distance(r, rate.free_rate);
      find_effort<false>(team, rate, lambda);
      W part = times_rows(rate, lambda);
      rate.at.factor.solve_transposed(part.data);
      for (int i = 0; i < n; ++i) w_dot[i] = w_dot[i] + part[i];
    }
  }

  /// Solves for w'_k and lambda_k if f depends on lambda_k: with_lambda() computes f at the current one. `given` is f
  /// without that part. The numbers of f are solved for in units of the terms that each is summed from, which differ in
  /// their units and contain reactions that cancel; each term has at least the size `least`. A residual up to the share
  /// `accepted` of them is no failure.
  template <class Team, class WithLambda>
  KALABA_FN void solve_forces(const Team& team, Rate& rate, const W& given, W& w_dot, Effort& lambda,
                              const WithLambda& with_lambda, const W& least, Scalar<X> accepted = 0) {
    W size = with_lambda();
    force.x = size;
    add_sizes_of_terms(rate, given, lambda, size);
    for (int i = 0; i < n; ++i) size[i] = max_of(size[i], least[i]);
    W unit_of;
    for (int i = 0; i < n; ++i) {
      unit_of[i] = reciprocal_where(X(0) < size[i], size[i]);
      force.x[i] = force.x[i] * unit_of[i];
    }
    const auto improve = [&]() KALABA_LAMBDA {
      for (int i = 0; i < n; ++i) rate.free_rate[i] = force.x[i] * size[i];
      solve(team, rate, w_dot, lambda);
    };
    const auto in_units = [&]() KALABA_LAMBDA {
      W f = with_lambda();
      for (int i = 0; i < n; ++i) f[i] = f[i] * unit_of[i];
      return f;
    };
    const Mask unsolved = force.solve(team, X(0) < X(1), X(n), [&]() KALABA_LAMBDA {
      improve();
      return in_units();
    });
    improve();
    if (!any(unsolved)) return;
    W left = in_units();
    for (int i = 0; i < n; ++i) left[i] = left[i] - force.x[i];
    const X allowed = X(accepted * accepted) * (X(n) + force.square(force.x));
    open = either(open, both(unsolved, !(force.square(left) <= allowed)));
  }
  /// The sizes of the terms of f = G w' - A^T lambda at the start of the step: in units of the series, the rounding of
  /// them is that of all its orders, also of those that are zero.
  KALABA_FN void find_start_size(const Rate& rate) {
    start_size = w_dot;
    rate.at.factor.multiply_transposed(start_size.data);
    rate.at.factor.multiply(start_size.data);
    W none;
    for (int i = 0; i < n; ++i) none[i] = X(0);
    add_sizes_of_terms(rate, none, lambda, start_size);
  }
  /// Makes `size`, a force f, the sizes of the terms from which f is summed: |f| + |given| + |A_0^T| |lambda|; where
  /// these are zero, the largest of them, or 1.
  KALABA_FN static void add_sizes_of_terms(const Rate& rate, const W& given, const Effort& lambda, W& size) {
    for (int i = 0; i < n; ++i) size[i] = abs(size[i]) + abs(given[i]);
    for (int r = 0; r < m; ++r) {
      for_entries<PatternOf<M>>(
          r, [&](int j, int i) KALABA_LAMBDA { size[i] = fma(abs(rate.at.matrix.data[j]), abs(lambda[r]), size[i]); });
    }
    X largest(0);
    for (int i = 0; i < n; ++i) largest = max_of(largest, size[i]);
    largest = select(X(0) < largest, largest, X(1));
    for (int i = 0; i < n; ++i) size[i] = select(X(0) < size[i], size[i], largest);
  }
  /// f := f - A_0^T lambda
  KALABA_FN static void subtract_reaction(const Rate& rate, const Effort& lambda, W& f) {
    for (int r = 0; r < m; ++r) {
      for_entries<PatternOf<M>>(
          r, [&](int j, int i) KALABA_LAMBDA { f[i] = fma(-rate.at.matrix.data[j], lambda[r], f[i]); });
    }
  }

  /// A change of the sign of a margin.
  struct Change {
    X time;        ///< from the beginning of the step, s
    X margin;      ///< index
    X speed;       ///< rate of the margin there, 1/s
    Mask at_once;  ///< the margin is zero, up to rounding, from the beginning of the step to there
  };
  /// The first change within `length`, s, beyond the rounding errors of a margin; its time is `length` if there is
  /// none.
  KALABA_NOINLINE Change first_change(int order, const X& length) const {
    Change first = {length, X(0), X(1), X(1) < X(0)};
    for (int i = 0; i < F::margins; ++i) {
      const SeriesMargin<X>& margin = rows.margin[i];
      const Change found = change_of(margin, rows.c[margin.row], order - margin.lag, length);
      const Mask earlier = found.time < first.time;
      first.time = select(earlier, found.time, first.time);
      first.margin = select(earlier, X(i), first.margin);
      first.speed = select(earlier, found.speed, first.speed);
      first.at_once = either(both(earlier, found.at_once), both(!earlier, first.at_once));
    }
    return first;
  }
  /// Finds a margin that is on its other side at the end of a step, at a state after `units` of time, where no change
  /// was found: one that is zero there, up to rounding. Sets `change` in the lanes returned, some of `whole`.
  KALABA_NOINLINE Mask change_at_end(const P& p, const X& t, const S& at, const X& units, int order, const Mask& whole,
                                     Change& change) {
    X before[F::margins];
    for (int i = 0; i < F::margins; ++i) before[i] = rows.margin[i].value;
    W unknown;
    Effort effort;
    for (int i = 0; i < n; ++i) unknown[i] = X(0) / X(0);
    for (int i = 0; i < efforts; ++i) effort[i] = X(0) / X(0);
    F::begin_margins(p, t, at.q.data, at.w.data, unknown.data, effort.data, rows);
    Mask found = X(1) < X(0);
    for (int i = 0; i < F::margins; ++i) {
      const SeriesMargin<X>& margin = rows.margin[i];
      const X* c = rows.c[margin.row];
      X slope(0);
      for (int k = order - margin.lag; k >= 1; --k) slope = fma(slope, units, X(k) * c[k]);
      const Mask turns =
          either(both(before[i] < X(0), X(0) <= margin.value), both(X(0) <= before[i], margin.value < X(0)));
      const Mask here = both(both(whole, !found), both(turns, slope != X(0)));
      change.margin = select(here, X(i), change.margin);
      change.speed = select(here, slope * margin.sign * per_unit, change.speed);
      found = either(found, here);
    }
    return found;
  }

 private:
  /// First change of one margin. Its series f is followed by steps that cannot pass a change: f'' is bounded by the sum
  /// of its terms at the end, so f does not change its sign before the root of the parabola that it implies. Near a
  /// change that step is Newton's, from the safe side; a least step, which doubles, then passes it.
  KALABA_FN Change change_of(const SeriesMargin<X>& margin, const X* c, int top, const X& length) const {
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
    Mask open = both(!(rest <= start), is_finite(rest));
    const X allowed = X(-4 * Limits<Scalar<X>>::epsilon) * margin.terms;
    Change result = {length, X(0), X(1), start <= -allowed};
    if (!any(open)) return result;
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
      const Mask changed = both(open, f < allowed);
      const X up = max_of(slope, X(0));  // f rises by at least up^2 / (2 bend) from here
      const Mask leaves = either(-allowed < f, X(-2) * bend * allowed < up * up);
      result.at_once = both(result.at_once, !both(open, leaves));
      result.time = select(changed, at * unit, result.time);
      result.speed = select(changed, side * slope * per_unit, result.speed);
      open = both(open, !changed);
      const X above = max_of(f, X(0));
      const X root = sqrt(fma(slope, slope, X(2) * bend * above));
      X go = select(slope < X(0), X(2) * above / (root - slope), (slope + root) / bend);
      go = select(go < end, go, end);  // also of 0 / 0
      const Mask is_short = go < least;
      go = select(is_short, least, go);
      least = select(is_short, least + least, least);
      at = select(open, at + go, at);
      open = both(open, at < end);
    }
    result.time = select(open, at * unit, result.time);
    return result;
  }
  static constexpr int most_search_steps = 200;

  template <class Team>
  struct Solver {
    static constexpr bool guesses = false;
    TaylorSeries& series;
    const Team& team;
    Rate& rate;
    const P& p;

    KALABA_FN void solve(int k, const W& residual, const E& b, W& w_dot, Effort& lambda) {
      W given;
      for (int i = 0; i < n; ++i) given[i] = rate.free_rate[i] = -residual[i];
      if constexpr (m > 0) rate.at.constraint.b = b;
      TaylorSeries::solve(team, rate, w_dot, lambda);
      if constexpr (F::solves_forces) {
        noinline_call([&]() KALABA_LAMBDA {
          series.solve_forces(
              team, rate, given, w_dot, lambda,
              [&]() KALABA_LAMBDA {
                W nothing;
                for (int i = 0; i < n; ++i) nothing[i] = X(0);
                W f = F::template forces<false>(k, p, X(1.0 / k), nothing.data, lambda.data, series.rows);
                for (int i = 0; i < n; ++i) f[i] = -f[i];
                subtract_reaction(rate, lambda, f);
                return f;
              },
              series.start_size);
        });
      }
      if constexpr (differentiates) series.efforts_of[k] = lambda;
    }
  };
  struct Out {
    TaylorStep<X, nq, n>& step;
    KALABA_FN void q(int k, const Vec<X, nq>& found) const { step.x[k].q = found; }
    KALABA_FN void w(int k, const W& found) const { step.x[k].w = found; }
  };

  /// lambda := the multipliers, or the forces of the actuators, for rate.error. With `Least`, those whose derivatives
  /// the columns have (Tangents::efforts_along): of dependent constraints, any others satisfy the equations as well.
  template <bool Least, class Team>
  KALABA_FN static void find_effort(const Team& team, Rate& rate, Effort& lambda) {
    if constexpr (Rate::servo) {
      rate.inverse.min_norm(team, rate.error, lambda);
    } else {
      rate.inverse.template multipliers<Least>(team, rate.error, lambda);
    }
  }
  /// F^-1 A^T lambda, or F^-1 S lambda
  KALABA_FN static W times_rows(const Rate& rate, const Effort& lambda) {
    W part;
    for (int i = 0; i < n; ++i) part[i] = X(0);
    if constexpr (Rate::servo) {
      for (int i = 0; i < n; ++i) {
        for (int j = 0; j < efforts; ++j) part[i] = fma(rate.weighted_actuation(i, j), lambda[j], part[i]);
      }
    } else {
      for (int r = 0; r < m; ++r) {
        for_entries<PatternOf<M>>(
            r, [&](int k, int i) KALABA_LAMBDA { part[i] = fma(rate.at.matrix.data[k], lambda[r], part[i]); });
      }
      rate.at.factor.solve(part.data);
    }
    return part;
  }
};

}  // namespace kalaba
