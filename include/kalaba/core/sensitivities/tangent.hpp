#pragma once

#include "kalaba/core/rate/columns.hpp"
#include "kalaba/core/sensitivities/rate_slopes.hpp"

namespace kalaba {

/// Derivatives of a member's columns, and the workspace for them. For one worker.
template <class M, class X, template <class, int, int> class InverseOf>
struct Tangents : RateSlopes<M, X, InverseOf> {
  using Base = RateSlopes<M, X, InverseOf>;
  using Base::m;
  using Base::n;
  using Base::nq;
  using Base::turns;
  using typename Base::Algebra;
  using typename Base::E;
  using typename Base::Q;
  using typename Base::Rate;
  using typename Base::W;
  static constexpr int np = Dim<M>::parameters;
  static constexpr int mh = Dim<M>::holonomic;
  static constexpr int count = Dim<M>::sensitivities;
  static constexpr int width = 1;  ///< directions of a dual number, where speed does not matter
  using D = Dual<X, width>;
  using typename Base::Mask;

  Sensitivities asked;
  Vec<X, np> raw;
  Prepared<M, X> p;

  /// Stores the quantities that depend on the parameters only.
  KALABA_FN void prepare(const Vec<X, np>& parameters) {
    raw = parameters;
    p = prepared<M>(parameters);
  }
  /// Prepared parameters, with slopes along a column.
  KALABA_FN Prepared<M, D> prepared_along(int column) const { return prepared<M>(parameters_along(column, raw)); }

  /// Sets the columns at the start of a member: derivatives of the given initial values, and of those that the model
  /// computes from these and the parameters. The columns are independent: initial values with a column are given.
  KALABA_FN void begin(const Vec<X, np>& parameters, const Q& start_q, const W& start_w, Columns<M, X>& columns) const {
    for (int column = 0; column < count; ++column) {
      Vec<D, nq> q = constants<D>(start_q);
      Vec<D, n> w = constants<D>(start_w);
      Vec<D, nq + n> given;
      const int of = asked.of[column] - np;
      for (int i = 0; i < nq + n; ++i) given[i] = D(X(is_given(i) ? 1 : 0));
      if (of >= nq) {
        w[of - nq].slope[0] = X(1);
      } else if (of >= 0) {
        q[of].slope[0] = X(1);
      }
      complete(parameters_along(column, parameters), given, q, w);
      for (int i = 0; i < nq; ++i) columns.q[column * nq + i] = q[i].slope[0];
      for (int i = 0; i < n; ++i) columns.w[column * n + i] = w[i].slope[0];
    }
  }

  /// Computes the columns' rates after an evaluation of the member's rate: calls take(column, dq', dw') for each; take
  /// may then modify that column.
  template <class Take>
  KALABA_NOINLINE void evaluate(Rate& rate, const Method& method, const X& t, const Q& q, const W& w,
                                const Columns<M, X>& at, const Take& take) const {
    Base::differentiate(
        rate, method, p, t, q, w, count, [&](int column) KALABA_LAMBDA { return direction(column, at); }, take);
  }

  /// Derivatives of the forces that act in the motion, after an evaluation of the member's rate: [column][effort], the
  /// multipliers or the forces of a servo-constraint's actuators. Those of dependent constraints are one choice, which
  /// gives the derivative of the ideal force.
  KALABA_NOINLINE void efforts_along(Rate& rate, const Method& method, const X& t, const Q& q, const W& w,
                                     const Columns<M, X>& at, Vec<X, count * Base::efforts>& out) const {
    const auto kept = Base::keep_motion(rate, method, p, t, q, w);
    for (int column = 0; column < count; ++column) {
      const auto effort = Base::multipliers_along(rate, p, kept, direction(column, at));
      straight<Base::efforts>([&](int i) KALABA_LAMBDA { out[column * Base::efforts + i] = effort[i]; });
    }
  }

  /// Derivatives of the multipliers of the ideal force, after an evaluation of the member's rate: [column][row]. NaN if
  /// the constraints are dependent: the multipliers are then defined by their least norm only. `of_time`: derivatives
  /// of t along the columns.
  KALABA_NOINLINE void multipliers_along(Rate& rate, const Method& method, const X& t, const Q& q, const W& w,
                                         const Columns<M, X>& at, const TimeColumns<M, X>& of_time,
                                         Vec<X, count * m>& out) const {
    const auto kept = Base::keep_motion(rate, method, p, t, q, w);
    const Mask dependent = rate.inverse.rank() < X(m);
    const X nothing = X(0) / X(0);
    Mask moved = X(1) < X(0);
    for (int column = 0; column < count; ++column) moved = either(moved, of_time.t[column] != X(0));
    E in_time;
    straight<m>([&](int r) KALABA_LAMBDA { in_time[r] = X(0); });
    if (any(moved)) {
      Columns<M, X> none;
      straight<count * nq>([&](int i) KALABA_LAMBDA { none.q[i] = X(0); });
      straight<count * n>([&](int i) KALABA_LAMBDA { none.w[i] = X(0); });
      in_time = Base::multipliers_along(rate, p, kept, {none.q.data, none.w.data, count});
    }
    for (int column = 0; column < count; ++column) {
      const E lambda = Base::multipliers_along(rate, p, kept, direction(column, at));
      straight<m>([&](int r) KALABA_LAMBDA {
        const X along = select(moved, fma(in_time[r], of_time.t[column], lambda[r]), lambda[r]);
        out[column * m + r] = select(dependent, nothing, along);
      });
    }
  }

  /// Sets columns to NaN, in the lanes `where`, along which a row of A w' = b that is zero does not stay zero to first
  /// order: the rank of A differs for other values of their variables, and the motion has no derivative. A single row
  /// that is small but not zero has a gradient elsewhere: all columns are NaN. After an evaluation of the member's
  /// rate, or of its terms. Returns the lanes in which a column was finite before.
  KALABA_NOINLINE Mask forget_singular(const Rate& rate, const Method& method, const X& t, const Q& q, const W& w,
                                       const Mask& where, Columns<M, X>& columns) const {
    const Mask none = X(1) < X(0);
    Mask is_zero[m > 0 ? m : 1];
    Mask some = none;
    for (int r = 0; r < m; ++r) {
      X size(0);
      for_entries<typename Algebra::Pattern>(
          r, [&](int k, int) KALABA_LAMBDA { size = max_of(size, abs(rate.at.matrix.data[k])); });
      is_zero[r] = both(where, size == X(0));
      some = either(some, is_zero[r]);
    }
    const Mask all = m == 1 ? both(where, !is_zero[0]) : none;
    if (!any(either(some, all))) return none;
    // The slopes of b - A w' at a w' that is orthogonal to no row but by chance.
    typename Base::Solution at;
    straight<n>([&](int i) KALABA_LAMBDA {
      at.w_dot[i] = X(1 + 0.6180339887498949 * (i + 1));
      at.beside[i] = X(0);
    });
    straight<Base::efforts>([&](int i) KALABA_LAMBDA { at.effort[i] = X(0); });
    const auto kept = M::Motion::keep(p, t, q, w, Base::known(method, at));
    Mask lost = none;
    for (int column = 0; column < count; ++column) {
      const auto slopes = slopes_along<typename M::Motion>(kept, column, columns, nullptr);
      Mask grows = all;
      for (int r = 0; r < m; ++r) grows = either(grows, both(is_zero[r], !(slopes[Base::error_row + r] == X(0))));
      lost = either(lost, both(grows, columns.is_finite(column)));
      columns.fill(column, grows, X(0) / X(0));
    }
    return lost;
  }

  /// Applies q -= K_w correction to the columns in the lanes `moving`, after the solution of A correction = phi.
  template <class Inverse>
  KALABA_NOINLINE void move_position(const Linearization<M, X>& at, Inverse& inverse, const X& t, const Q& q,
                                     const W& w, const W& correction, const Mask& moving,
                                     Columns<M, X>& columns) const {
    const auto known = joined(correction, Algebra::balance_of(at, inverse, at.constraint.position));
    const auto kept = M::Position::keep(p, t, q, w, known);
    const auto kept_shift = [&]() KALABA_LAMBDA {
      if constexpr (turns)
        return M::Shift::keep(p, t, q, w, correction);
      else
        return 0;
    }();
    for (int column = 0; column < count; ++column) {
      const W turn = correct<mh>(at, inverse, slopes_along<typename M::Position>(kept, column, columns, nullptr));
      if constexpr (turns) {
        const Q shift = slopes_along<typename M::Shift>(kept_shift, column, columns, turn.data);
        straight<nq>([&](int i) KALABA_LAMBDA { move(columns.q[column * nq + i], shift[i], moving); });
      } else {
        straight<nq>([&](int i) KALABA_LAMBDA { move(columns.q[column * nq + i], turn[i], moving); });
      }
    }
  }

  /// Applies w -= correction to the columns, after the solution of A correction = (phi', psi).
  template <class Inverse>
  KALABA_NOINLINE void move_rate(const Linearization<M, X>& at, Inverse& inverse, const X& t, const Q& q, const W& w,
                                 const W& correction, const Mask& turning, Columns<M, X>& columns) const {
    const auto known = joined(correction, Algebra::balance_of(at, inverse, at.constraint.rate));
    const auto kept = M::Turn::keep(p, t, q, w, known);
    for (int column = 0; column < count; ++column) {
      const W turn = correct<m>(at, inverse, slopes_along<typename M::Turn>(kept, column, columns, nullptr));
      straight<n>([&](int i) KALABA_LAMBDA { move(columns.w[column * n + i], turn[i], turning); });
    }
  }

  /// Applies w -= c to the columns of the `members`, for an impact: c as in ContactChange::strike_columns, `at` and
  /// `inverse` those of the rows of the constraints and of the active contacts, for w before the impact.
  /// `of_restitution(column, r)`: derivative of the restitution of row r along a column; 0 of other rows.
  template <class Inverse, class OfRestitution>
  KALABA_NOINLINE void strike(const Linearization<M, X>& at, Inverse& inverse, const X& t, const Q& q, const W& w,
                              const W& correction, const E& restitution, const OfRestitution& of_restitution,
                              const Mask& members, Columns<M, X>& columns) const {
    const E& rate = at.constraint.rate;
    E error;
    E none;
    straight<m>([&](int r) KALABA_LAMBDA {
      error[r] = fma(restitution[r], rate[r], rate[r]);
      none[r] = X(0);
    });
    W rest;
    straight<n>([&](int i) KALABA_LAMBDA { rest[i] = X(0); });
    const auto kept = M::Turn::keep(p, t, q, w, joined(correction, Algebra::balance_of(at, inverse, error)));
    const auto kept_rates = M::Turn::keep(p, t, q, w, joined(rest, none));
    for (int column = 0; column < count; ++column) {
      auto slopes = slopes_along<typename M::Turn>(kept, column, columns, nullptr);
      const auto rates = slopes_along<typename M::Turn>(kept_rates, column, columns, nullptr);
      straight<m>([&](int r) KALABA_LAMBDA {
        slopes[n + r] = slopes[n + r] + restitution[r] * rates[n + r] + of_restitution(column, r) * rate[r];
      });
      const W turn = correct<m>(at, inverse, slopes);
      straight<n>([&](int i) KALABA_LAMBDA { move(columns.w[column * n + i], turn[i], members); });
    }
  }

 private:
  template <int Size>
  KALABA_FN static Vec<X, n + Size> joined(const W& first, const Vec<X, Size>& second) {
    Vec<X, n + Size> both;
    straight<n>([&](int i) KALABA_LAMBDA { both[i] = first[i]; });
    straight<Size>([&](int i) KALABA_LAMBDA { both[n + i] = second[i]; });
    return both;
  }

  KALABA_FN Vec<D, np> parameters_along(int column, const Vec<X, np>& parameters) const {
    Vec<D, np> along = constants<D>(parameters);
    if (asked.of[column] < np) along[asked.of[column]].slope[0] = X(1);
    return along;
  }
  /// Returns true if the initial value in this row is given.
  KALABA_FN bool is_given(int row) const { return asked.follows[row] == 0; }
  /// Replaces the initial values that are not given by those that the model states.
  KALABA_FN void complete(const Vec<D, np>& parameters, const Vec<D, nq + n>& given, Vec<D, nq>& q,
                          Vec<D, n>& w) const {
    if constexpr (requires { M::start(parameters, given, q, w); }) {
      M::start(parameters, given, q, w);
    } else {
      Vec<D, nq> model_q;
      Vec<D, n> model_w;
      M::start(parameters, model_q, model_w);
      for (int i = 0; i < nq; ++i) {
        if (!is_given(i)) q[i] = model_q[i];
      }
      for (int i = 0; i < n; ++i) {
        if (!is_given(nq + i)) w[i] = model_w[i];
      }
    }
  }

  KALABA_FN Direction<X> direction(int column, const Columns<M, X>& at) const {
    return {&at.q[column * nq], &at.w[column * n], asked.of[column] < np ? column : -1};
  }
  /// Slopes of a group's formulas along a column, or along (dq, dw, dx) if they depend on dx too.
  template <class Group, int Kept>
  KALABA_FN Vec<X, Group::rows> slopes_along(const Vec<X, Kept>& kept, int column, const Columns<M, X>& at,
                                             const X* dx) const {
    return Base::template slopes_along<Group>(p, kept, direction(column, at), dx);
  }

  KALABA_FN static void move(X& value, const X& shift, const Mask& where) {
    value = select(where, value - shift, value);
  }

  /// Derivative of a correction c, A c = error, from the slopes of A^T lambda - G c and error - A c:
  ///   G dc - A^T dlambda = d(A^T lambda - G c),   A dc = d(error - A c)   at fixed c and lambda
  template <int ErrorRows, class Inverse, int Rows>
  KALABA_FN static W correct(const Linearization<M, X>& at, Inverse& inverse, const Vec<X, Rows>& slopes) {
    using Error = Vec<X, ErrorRows>;
    W free = Base::template part<W, 0>(slopes);
    const Error g = Base::template part<Error, n>(slopes);
    Algebra::solve_metric(at, g, free);
    W weighted;
    Algebra::template constrain<false>(at, Algebra::is_loose(inverse), g, free, weighted,
                                       [&](const Error& left, W& part)
                                           KALABA_LAMBDA { inverse.min_norm(Solo{}, left, part); });
    return free;
  }
};

/// Tangents if the run has sensitivities, else empty.
template <class M, class X, template <class, int, int> class InverseOf, bool Any = (Dim<M>::sensitivities > 0)>
struct TangentsOf {};
template <class M, class X, template <class, int, int> class InverseOf>
struct TangentsOf<M, X, InverseOf, true> : Tangents<M, X, InverseOf> {};

}  // namespace kalaba
