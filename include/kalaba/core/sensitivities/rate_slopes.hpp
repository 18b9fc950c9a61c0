#pragma once

#include "kalaba/core/sensitivities/solved_motion.hpp"

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

/// Direction in which a rate is differentiated: changes of the state, and, if `own` is not negative, of the variable of
/// the model's column `own`: a parameter, or the time in the column behind those of the run.
template <class X>
struct Direction {
  const X* dq;
  const X* dw;
  int own;
};

/// Derivatives of the rate of a member along directions, by the factor and the pseudo-inverse of the rate itself. For
/// one worker.
template <class M, class X, template <class, int, int> class InverseOf>
struct RateSlopes : SolvedMotion<M, X, InverseOf> {
  using Base = SolvedMotion<M, X, InverseOf>;
  using Base::m;
  using Base::momenta;
  using Base::n;
  using typename Base::Algebra;
  using typename Base::E;
  using typename Base::Effort;
  using typename Base::Rate;
  using typename Base::Solution;
  using typename Base::W;
  static constexpr int nq = Dim<M>::q;
  static constexpr bool turns = ModelParts<M>::has_velocity;  ///< q' is not w
  using P = Prepared<M, X>;
  using Q = Vec<X, nq>;
  using Mask = MaskOf<X>;

  /// Calls take(i, dq', dw') with the derivative of the rate along direction_of(i), i = 0 ... count - 1, after an
  /// evaluation of the rate.
  template <class DirectionOf, class Take>
  KALABA_FN static void differentiate(Rate& rate, const Method& method, const P& p, const X& t, const Q& q, const W& w,
                                      int count, const DirectionOf& direction_of, const Take& take) {
    const auto kept = keep_motion(rate, method, p, t, q, w);
    for (int i = 0; i < count; ++i) {
      const Direction<X> direction = direction_of(i);
      const auto slopes = motion_slopes(p, kept, direction);
      W weighted;
      if constexpr (ModelParts<M>::has_non_ideal) {
        const W given = given_along(rate, p, kept.force, slopes, direction);
        take(i, velocity(slopes, direction), solve_given(rate, slopes, given, weighted));
      } else {
        take(i, velocity(slopes, direction), solve(rate, slopes, given_of(slopes), weighted));
      }
    }
  }

 protected:
  /// Coefficients of the slopes that do not depend on the direction.
  template <class Motion, class Force>
  struct KeptMotion {
    Motion motion;
    Force force;  ///< of a non-ideal force
  };
  struct NoForce {};
  KALABA_FN static auto keep_motion(Rate& rate, const Method& method, const P& p, const X& t, const Q& q, const W& w) {
    const Solution motion = Base::motion_of(rate);
    auto kept = M::Motion::keep(p, t, q, w, Base::known(method, motion));
    if constexpr (ModelParts<M>::has_non_ideal) {
      auto force = M::NonIdeal::keep(p, t, q, w, force_known(rate, motion));
      return KeptMotion<decltype(kept), decltype(force)>{kept, force};
    } else {
      return KeptMotion<decltype(kept), NoForce>{kept, {}};
    }
  }
  template <class KeptType>
  KALABA_FN static auto motion_slopes(const P& p, const KeptType& kept, const Direction<X>& direction) {
    return slopes_along<typename M::Motion>(p, kept.motion, direction, static_cast<const X*>(nullptr));
  }
  /// Derivative of the multipliers of the ideal force along a direction; for a servo-constraint, of the forces of its
  /// actuators.
  template <class KeptType>
  KALABA_FN static Effort multipliers_along(Rate& rate, const P& p, const KeptType& kept,
                                            const Direction<X>& direction) {
    const auto slopes = motion_slopes(p, kept, direction);
    if constexpr (ModelParts<M>::has_non_ideal) {
      const W given = given_along(rate, p, kept.force, slopes, direction);
      return multipliers_of(rate, with_given(slopes, given), given);
    } else {
      return multipliers_of(rate, slopes, given_of(slopes));
    }
  }

  /// Slopes of a group's formulas along a direction, or along (dq, dw, dx) if they depend on dx too.
  template <class Group, int Count>
  KALABA_FN static Vec<X, Group::rows> slopes_along(const P& p, const Vec<X, Count>& kept,
                                                    const Direction<X>& direction, const X* dx) {
    Vec<X, Group::rows> slopes = Group::along(p, kept, direction.dq, direction.dw, dx);
    if (direction.own >= 0) Group::add_own(direction.own, p, kept, slopes);
    return slopes;
  }

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
  template <int Rows>
  KALABA_FN static Q velocity(const Vec<X, Rows>& slopes, const Direction<X>& direction) {
    Q dq;
    straight<nq>([&](int i) KALABA_LAMBDA { dq[i] = turns ? slopes[i] : direction.dw[i]; });
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

  /// Derivatives of the multipliers, or of the forces of the actuators, from slopes that include the given force.
  template <int Rows>
  KALABA_FN static Effort multipliers_of(Rate& rate, const Vec<X, Rows>& slopes, const W& given) {
    const E g = part<E, error_row>(slopes);
    const W free = free_of(rate, slopes, g, given);
    E left;
    straight<m>([&](int r) KALABA_LAMBDA { left[r] = g[r] - Algebra::row_times(rate.at, r, free); });
    if constexpr (Rate::servo) {
      Effort effort;
      rate.inverse.min_norm(Solo{}, left, effort);
      return effort;
    } else {
      return Algebra::multipliers(rate.at, rate.inverse, left);
    }
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

  /// Derivative of the given and the non-ideal force along a column.
  template <class Kept, int Rows>
  KALABA_FN static W given_along(Rate& rate, const P& p, const Kept& kept_force, const Vec<X, Rows>& slopes,
                                 const Direction<X>& direction) {
    Vec<X, M::NonIdeal::known> moved;
    return given_with(rate, slopes, moved, [&]() KALABA_LAMBDA {
      return slopes_along<typename M::NonIdeal>(p, kept_force, direction, moved.data);
    });
  }
  /// Derivative of the given and the non-ideal force. The latter, `of_force()`, depends on that of its inputs, `moved`,
  /// and changes it.
  template <int Rows, class Inputs, class OfForce>
  KALABA_FN static W given_with(Rate& rate, const Vec<X, Rows>& slopes, Inputs& moved, const OfForce& of_force) {
    FixedPoint<X, n> change;  // of C
    W given;
    X size2(0);  // of the forces, squared
    const auto map = [&]() KALABA_LAMBDA {
      straight<n>([&](int i) KALABA_LAMBDA { given[i] = slopes[given_row + i] + change.x[i]; });
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
      return of_force();
    };
    straight<n>([&](int i) KALABA_LAMBDA { change.x[i] = X(0); });
    change.x = map();
    const Mask open = change.solve(Solo{}, X(0) < X(1), X(size2), map);
    const X nothing = X(0) / X(0);
    straight<n>([&](int i) KALABA_LAMBDA { given[i] = select(open, nothing, slopes[given_row + i] + change.x[i]); });
    return given;
  }
};

}  // namespace kalaba
