#pragma once

#include "kalaba/core/columns.hpp"
#include "kalaba/core/solved_motion.hpp"

namespace kalaba {

// Derivatives of a motion: the sensitivity columns (dq, dw) of a member, one per variable of differentiation, move with
// it. The equation G w' = F + A^T lambda, A w' = b, differentiated along (dq, dw, dp), has the same matrices,
//
//   G dw' - A^T dlambda = d(F + A^T lambda - G w'),   A dw' = d(b - A w')   at fixed w' and lambda,
//
// so the cost of a column is that of the slopes of the right-hand sides, and of one more right-hand side of the
// pseudo-inverse. At constant rank dw' does not depend on the choice of lambda for dependent constraints.
//
// The slopes are linear in (dq, dw). Their coefficients are computed once for all columns (`keep`); for a parameter,
// its own contribution is added. A model has the slopes as groups, structs that are generated from its formulas:
//
//   Motion     of x = (w', for momenta G^-1 A^T lambda, the effort, gains of feedback if used):
//              [K], F + A^T lambda - G w', b - A w'; for momenta or with a non-ideal force, F is separate, after these,
//              and with that force A^T lambda once more
//   Position   of x = (correction, lambda): A^T lambda - G x, phi - A x of the positions
//   Turn       of the same x for rates: A^T lambda - G x, (phi', psi) - A x
//   Shift      K_w x of x, along (dq, dw, dx)
//   NonIdeal   C(x) of the ideal force x, followed by the multipliers if C depends on them, along (dq, dw, dx)

/// Derivatives of a member's columns, and the workspace for them. For one worker.
template <class M, class X, template <class, int, int> class InverseOf>
struct Tangents : SolvedMotion<M, X, InverseOf> {
  using Base = SolvedMotion<M, X, InverseOf>;
  using Base::m;
  using Base::momenta;
  using Base::n;
  using typename Base::Algebra;
  using typename Base::E;
  using typename Base::Rate;
  using typename Base::Solution;
  using typename Base::W;
  static constexpr int np = Dim<M>::parameters;
  static constexpr int nq = Dim<M>::q;
  static constexpr int mh = Dim<M>::holonomic;
  static constexpr int count = Dim<M>::sensitivities;
  static constexpr bool turns = ModelParts<M>::has_velocity;  ///< q' is not w
  static constexpr int width = 1;  ///< directions of a dual number, where speed does not matter
  using D = Dual<X, width>;
  using Q = Vec<X, nq>;
  using Mask = MaskOf<X>;

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
  /// computes from these and the parameters.
  KALABA_FN void begin(const Vec<X, np>& parameters, const Q& start_q, const W& start_w, Columns<M, X>& columns) const {
    for (int column = 0; column < count; ++column) {
      Vec<D, nq> q = constants<D>(start_q);
      Vec<D, n> w = constants<D>(start_w);
      Vec<D, nq + n> given;
      const int of = asked.of[column] - np;
      for (int i = 0; i < nq + n; ++i) given[i] = D(X(is_given(i, of) ? 1 : 0));
      if (of >= nq) {
        w[of - nq].slope[0] = X(1);
      } else if (of >= 0) {
        q[of].slope[0] = X(1);
      }
      complete(parameters_along(column, parameters), given, q, w, of);
      for (int i = 0; i < nq; ++i) columns.q[column * nq + i] = q[i].slope[0];
      for (int i = 0; i < n; ++i) columns.w[column * n + i] = w[i].slope[0];
    }
  }

  /// Computes the columns' rates after an evaluation of the member's rate: calls take(column, dq', dw') for each; take
  /// may then modify that column.
  template <class Take>
  KALABA_NOINLINE void evaluate(Rate& rate, const Method& method, const X& t, const Q& q, const W& w,
                                const Columns<M, X>& at, const Take& take) const {
    const Solution motion = Base::motion_of(rate);
    const auto kept = M::Motion::keep(p, t, q, w, Base::known(method, motion));
    if constexpr (ModelParts<M>::has_non_ideal) {
      const auto kept_force = M::NonIdeal::keep(p, t, q, w, force_known(rate, motion));
      for (int column = 0; column < count; ++column) {
        const auto slopes = slopes_along<typename M::Motion>(kept, column, at, static_cast<const X*>(nullptr));
        const W given = given_along(rate, kept_force, slopes, column, at);
        W weighted;
        take(column, velocity(slopes, column, at), solve_given(rate, slopes, given, weighted));
      }
    } else {
      for (int column = 0; column < count; ++column) {
        const auto slopes = slopes_along<typename M::Motion>(kept, column, at, static_cast<const X*>(nullptr));
        W weighted;
        take(column, velocity(slopes, column, at), solve(rate, slopes, given_of(slopes), weighted));
      }
    }
  }

  /// Derivatives of the multipliers of the ideal force, after an evaluation of the member's rate: [column][row]. NaN if
  /// the constraints are dependent: the multipliers are then defined by their least norm only.
  KALABA_NOINLINE void multipliers_along(Rate& rate, const Method& method, const X& t, const Q& q, const W& w,
                                         const Columns<M, X>& at, Vec<X, count * m>& out) const {
    const Solution motion = Base::motion_of(rate);
    const auto kept = M::Motion::keep(p, t, q, w, Base::known(method, motion));
    const Mask dependent = rate.inverse.rank() < X(m);
    const X nothing = X(0) / X(0);
    for (int column = 0; column < count; ++column) {
      const auto slopes = slopes_along<typename M::Motion>(kept, column, at, static_cast<const X*>(nullptr));
      E lambda;
      if constexpr (ModelParts<M>::has_non_ideal) {
        const auto kept_force = M::NonIdeal::keep(p, t, q, w, force_known(rate, motion));
        const W given = given_along(rate, kept_force, slopes, column, at);
        lambda = multipliers_of(rate, with_given(slopes, given), given);
      } else {
        lambda = multipliers_of(rate, slopes, given_of(slopes));
      }
      straight<m>([&](int r) KALABA_LAMBDA { out[column * m + r] = select(dependent, nothing, lambda[r]); });
    }
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

 private:
  // Offsets of the parts of M::Motion's slopes.
  static constexpr int force_row = turns ? nq : 0;
  static constexpr int error_row = force_row + n;
  static constexpr int given_row = error_row + m;
  static constexpr int reaction_row = given_row + n;

  /// The `Part::size` slopes from `row` on.
  template <class Part, int Row, int Rows>
  KALABA_FN static Part part(const Vec<X, Rows>& slopes) {
    static_assert(Row + Part::size <= Rows);
    Part result;
    straight<Part::size>([&](int i) KALABA_LAMBDA { result[i] = slopes[Row + i]; });
    return result;
  }
  /// Slopes of the given rate for momenta, which are added to the solution.
  template <int Rows>
  KALABA_FN static W given_of(const Vec<X, Rows>& slopes) {
    if constexpr (momenta) {
      return part<W, given_row>(slopes);
    } else {
      return W{};
    }
  }
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
  /// Returns true if the initial value in this row is given, for the column along initial value `of`; for a parameter,
  /// `of` is negative.
  KALABA_FN bool is_given(int row, int of) const {
    return row == of || asked.follows[row] == 0 || (of >= 0 && asked.follows[row] == 2);
  }
  /// Replaces the initial values that are not given by those that the model states.
  KALABA_FN void complete(const Vec<D, np>& parameters, const Vec<D, nq + n>& given, Vec<D, nq>& q, Vec<D, n>& w,
                          int of) const {
    if constexpr (requires { M::start(parameters, given, q, w); }) {
      M::start(parameters, given, q, w);
    } else {
      Vec<D, nq> model_q;
      Vec<D, n> model_w;
      M::start(parameters, model_q, model_w);
      for (int i = 0; i < nq; ++i) {
        if (!is_given(i, of)) q[i] = model_q[i];
      }
      for (int i = 0; i < n; ++i) {
        if (!is_given(nq + i, of)) w[i] = model_w[i];
      }
    }
  }

  /// Slopes of a group's formulas along a column, or along (dq, dw, dx) if they depend on dx too.
  template <class Group, int Kept>
  KALABA_FN Vec<X, Group::rows> slopes_along(const Vec<X, Kept>& kept, int column, const Columns<M, X>& at,
                                             const X* dx) const {
    Vec<X, Group::rows> slopes = Group::along(p, kept, &at.q[column * nq], &at.w[column * n], dx);
    if (asked.of[column] < np) Group::add_own(column, p, kept, slopes);
    return slopes;
  }

  KALABA_FN static void move(X& value, const X& shift, const Mask& where) {
    value = select(where, value - shift, value);
  }

  template <int Rows>
  KALABA_FN static Q velocity(const Vec<X, Rows>& slopes, int column, const Columns<M, X>& at) {
    Q dq;
    straight<nq>([&](int i) KALABA_LAMBDA { dq[i] = turns ? slopes[i] : at.w[column * n + i]; });
    return dq;
  }

  /// Rate of a column without constraints.
  template <int Rows>
  KALABA_FN static W free_of(const Rate& rate, const Vec<X, Rows>& slopes, const E& g, const W& given) {
    W free = part<W, force_row>(slopes);
    Algebra::solve_metric(rate.at, g, free);
    if constexpr (momenta) {
      straight<n>([&](int i) KALABA_LAMBDA { free[i] = free[i] + given[i]; });
    }
    return free;
  }

  /// Solves the differentiated equation for a column, given the slopes of M::Motion and, for momenta, of the given
  /// rate. Stores F^T times the contribution of the constraints in `weighted`.
  template <int Rows>
  KALABA_FN static W solve(Rate& rate, const Vec<X, Rows>& slopes, const W& given, W& weighted) {
    const E g = part<E, error_row>(slopes);
    W free = free_of(rate, slopes, g, given);
    if constexpr (m > 0) {
      Algebra::template constrain<ModelParts<M>::has_non_ideal>(
          rate.at, Algebra::is_loose(rate.inverse), g, free, weighted,
          [&](const E& left, W& part) KALABA_LAMBDA { rate.apply_pseudo_inverse(Solo{}, left, part); });
    } else {
      straight<n>([&](int i) KALABA_LAMBDA { weighted[i] = X(0); });
    }
    return free;
  }

  /// Derivative of a correction c, A c = error, from the slopes of A^T lambda - G c and error - A c:
  ///   G dc - A^T dlambda = d(A^T lambda - G c),   A dc = d(error - A c)   at fixed c and lambda
  template <int ErrorRows, class Inverse, int Rows>
  KALABA_FN static W correct(const Linearization<M, X>& at, Inverse& inverse, const Vec<X, Rows>& slopes) {
    using Error = Vec<X, ErrorRows>;
    W free = part<W, 0>(slopes);
    const Error g = part<Error, n>(slopes);
    Algebra::solve_metric(at, g, free);
    W weighted;
    Algebra::template constrain<false>(at, Algebra::is_loose(inverse), g, free, weighted,
                                       [&](const Error& left, W& part)
                                           KALABA_LAMBDA { inverse.min_norm(Solo{}, left, part); });
    return free;
  }

  /// Derivatives of the multipliers.
  template <int Rows>
  KALABA_FN static E multipliers_of(Rate& rate, const Vec<X, Rows>& slopes, const W& given) {
    const E g = part<E, error_row>(slopes);
    const W free = free_of(rate, slopes, g, given);
    E left;
    straight<m>([&](int r) KALABA_LAMBDA { left[r] = g[r] - Algebra::row_times(rate.at, r, free); });
    return Algebra::multipliers(rate.at, rate.inverse, left);
  }

  /// Adds the given force to slopes whose force does not include it.
  template <int Rows>
  KALABA_FN static Vec<X, Rows> with_given(Vec<X, Rows> slopes, const W& given) {
    if constexpr (!momenta) {
      straight<n>([&](int i) KALABA_LAMBDA { slopes[force_row + i] = slopes[force_row + i] + given[i]; });
    }
    return slopes;
  }
  /// `solve` for such slopes.
  template <int Rows>
  KALABA_FN static W solve_given(Rate& rate, const Vec<X, Rows>& slopes, const W& given, W& weighted) {
    return solve(rate, with_given(slopes, given), given, weighted);
  }

  /// Inputs of C: the ideal force, and the multipliers if C depends on them.
  KALABA_FN static auto force_known(const Rate& rate, const Solution& motion) {
    const W force = Base::ideal_force(rate, motion);
    Vec<X, M::NonIdeal::known> known;
    straight<n>([&](int i) KALABA_LAMBDA { known[i] = force[i]; });
    straight<M::NonIdeal::known - n>([&](int r) KALABA_LAMBDA { known[n + r] = motion.effort[r]; });
    return known;
  }

  /// Derivative of the given and the non-ideal force along a column. The latter depends on that of the ideal force, and
  /// changes it.
  template <class Kept, int Rows>
  KALABA_FN W given_along(Rate& rate, const Kept& kept_force, const Vec<X, Rows>& slopes, int column,
                          const Columns<M, X>& at) const {
    FixedPoint<X, n> change;  // of C
    W given;
    X size2(0);  // of the forces, squared
    const auto map = [&]() KALABA_LAMBDA {
      straight<n>([&](int i) KALABA_LAMBDA { given[i] = slopes[given_row + i] + change.x[i]; });
      Vec<X, M::NonIdeal::known> moved;
      W weighted;
      const W rates = solve_given(rate, slopes, given, weighted);
      if constexpr (momenta) {
        straight<n>([&](int i) KALABA_LAMBDA { moved[i] = rates[i] - given[i]; });
      } else {  // A^T lambda
        rate.at.factor.multiply(weighted.data);
        straight<n>([&](int i) KALABA_LAMBDA { moved[i] = slopes[reaction_row + i] + weighted[i]; });
      }
      if constexpr (M::NonIdeal::known > n) {
        const E lambda = multipliers_of(rate, with_given(slopes, given), given);
        straight<m>([&](int r) KALABA_LAMBDA { moved[n + r] = lambda[r]; });
      }
      size2 = X(0);
      straight<n>([&](int i) KALABA_LAMBDA { size2 = fma(given[i], given[i], fma(moved[i], moved[i], size2)); });
      return slopes_along<typename M::NonIdeal>(kept_force, column, at, moved.data);
    };
    straight<n>([&](int i) KALABA_LAMBDA { change.x[i] = X(0); });
    change.x = map();
    const Mask open = change.solve(Solo{}, X(0) < X(1), X(size2), map);
    const X nothing = X(0) / X(0);
    straight<n>([&](int i) KALABA_LAMBDA { given[i] = select(open, nothing, slopes[given_row + i] + change.x[i]); });
    return given;
  }
};

/// Tangents if the run has sensitivities, else empty.
template <class M, class X, template <class, int, int> class InverseOf, bool Any = (Dim<M>::sensitivities > 0)>
struct TangentsOf {};
template <class M, class X, template <class, int, int> class InverseOf>
struct TangentsOf<M, X, InverseOf, true> : Tangents<M, X, InverseOf> {};

}  // namespace kalaba
