#pragma once

#include "kalaba/core/columns.hpp"
#include "kalaba/core/constrained_rate.hpp"

namespace kalaba {

/// Limit for the last correction, relative to the largest number of a state (of all of q, or of all of w).
template <class X>
inline constexpr Scalar<X> last_correction = Limits<Scalar<X>>::epsilon > 1e-10 ? 2e-5 : 1e-9;
/// Projects a state onto its constraints by metric-weighted Gauss-Newton, with the pseudo-inverse of the equation of
/// motion:
///   q -= K_w F^-T (A_phi F^-T)+ phi,   then   w -= F^-T (A F^-T)+ (phi', psi)
/// Both converge quadratically, so a member is done after a correction below `last_correction` of its size.
template <class M, class X, template <class, int, int> class Inverse>
struct Projection {
  static constexpr int nq = Dim<M>::q;
  static constexpr int n = Dim<M>::w;
  static constexpr int m = Dim<M>::constraints;
  static constexpr int mh = Dim<M>::holonomic;
  using Rate = ConstrainedRate<M, X, Inverse>;
  using P = typename Rate::P;
  using Q = Vec<X, nq>;
  using W = Vec<X, n>;
  using Mask = MaskOf<X>;

  /// If every row is of positions and a force may have any direction, these rows are those of the equation of motion:
  /// one pseudo-inverse serves both, and its warm start continues.
  static constexpr bool states_positions = requires { M::WeightedPositionPattern::count; };
  static constexpr bool one_inverse = mh > 0 && mh == m && !Rate::servo && !states_positions && !requires(Rate rate) {
    M::keep_holonomic(rate.inverse.rows);
  };
  template <bool Own, class>
  struct OfPositions {
    InverseOfRows<X, WeightedPositionPattern<M>, Inverse> inverse;
    KALABA_FN auto& of(Rate&) { return inverse; }
  };
  template <class Unused>
  struct OfPositions<false, Unused> {
    KALABA_FN static auto& of(Rate& rate) { return rate.inverse; }
  };

  [[no_unique_address]] OfPositions<!one_inverse, X> positions;
  W correction;
  W unscaled;

  /// Corrects q and w where `members` holds; returns the lanes in which both corrections converged within `limit`
  /// iterations. Uses `rate` as workspace; `warm`: its pseudo-inverse has factorized a nearby matrix of every member.
  template <class Team>
  KALABA_FN Mask apply(const Team& team, Rate& rate, const Method& method, const P& p, const X& t, Q& q, W& w,
                       const Mask& members, int limit, bool warm) {
    return apply(team, rate, method, RankRule<X>(method.rank_tolerance), p, t, q, w, members, limit, warm);
  }
  /// `apply` with a given rank rule.
  template <class Team>
  KALABA_FN Mask apply(const Team& team, Rate& rate, const Method& method, const RankRule<X>& rule, const P& p,
                       const X& t, Q& q, W& w, const Mask& members, int limit, bool warm) {
    return inlined_if<m <= 1>([&]() KALABA_LAMBDA {
      return apply_along(team, rate, method, rule, p, t, q, w, members, limit, warm, NoColumns{});
    });
  }
  /// `apply` that also passes the sensitivity columns `along` through every correction.
  template <class Team, class Along>
  KALABA_FN Mask apply_along(const Team& team, Rate& rate, const Method& method, const RankRule<X>& rule, const P& p,
                             const X& t, Q& q, W& w, const Mask& members, int limit, bool warm, const Along& along) {
    Mask moving = X(1) < X(0);
    if constexpr (mh > 0) {
      if (holonomic_rows<M>() > 0) moving = members;
      X size(Limits<Scalar<X>>::least_size);
      for (int i = 0; i < limit && team.any(moving); ++i) {
        const bool met = i > 0 || (one_inverse && warm);
        moving = both(moving, move_position(team, rate, method, rule, p, t, q, w, moving, met, along, size));
      }
    }
    if (one_inverse) warm = true;
    Mask turning = both(members, !moving);
    X size(Limits<Scalar<X>>::least_rate);
    for (int i = 0; i < limit && team.any(turning); ++i) {
      turning = both(turning, move_rate(team, rate, method, rule, p, t, q, w, turning, warm || i > 0, along, size));
    }
    return !either(moving, turning);
  }

  /// The part of `apply` that corrects w, for states whose positions satisfy the constraints.
  template <class Team>
  KALABA_FN Mask apply_to_rates(const Team& team, Rate& rate, const Method& method, const P& p, const X& t, const Q& q,
                                W& w, const Mask& members, int limit) {
    const RankRule<X> rule(method.rank_tolerance);
    Mask turning = members;
    X size(Limits<Scalar<X>>::least_rate);
    for (int i = 0; i < limit && team.any(turning); ++i) {
      turning = both(turning, move_rate(team, rate, method, rule, p, t, q, w, turning, i > 0, NoColumns{}, size));
    }
    return !turning;
  }

  /// Projection of a stage near a singular position, after an evaluation of the rate: at most two corrections of q and
  /// one of w, which is exact if the constraints are linear in w.
  template <class Team>
  KALABA_FN void apply_once(const Team& team, Rate& rate, const Method& method, const RankRule<X>& rule, const P& p,
                            const X& t, Q& q, W& w, const Mask& members) {
    if constexpr (mh > 0) {
      Mask moving = members;
      X size(Limits<Scalar<X>>::least_size);
      for (int i = 0; i < 2 && holonomic_rows<M>() > 0 && team.any(moving); ++i) {
        const bool met = i > 0 || one_inverse;
        moving = both(moving, move_position(team, rate, method, rule, p, t, q, w, moving, met, NoColumns{}, size));
      }
    }
    X size(Limits<Scalar<X>>::least_rate);
    move_rate(team, rate, method, rule, p, t, q, w, members, true, NoColumns{}, size);
  }

  /// One correction of q in the lanes `moving`; returns the lanes in which it was still large, relative to `size`: the
  /// largest number of all states so far.
  template <class Team, class Along>
  KALABA_FN Mask move_position(const Team& team, Rate& rate, const Method& method, const RankRule<X>& rule, const P& p,
                               const X& t, Q& q, const W& w, const Mask& moving, bool warm, const Along& along,
                               X& size) {
    auto& position_inverse = positions.of(rate);
    rate.at.evaluate(team, p, t, q, w);
    // If there are other rows too, the rank of these alone is not known.
    const RankRule<X> of_all = holonomic_rows<M>() == m ? rule : RankRule<X>(method.rank_tolerance);
    const auto& own = for_lanes_alone<typename Rate::Inverse>(of_all, moving);
    rate.at.mass_weighted_rows(team, position_inverse.rows);
    if constexpr (requires { M::keep_holonomic(position_inverse.rows); }) M::keep_holonomic(position_inverse.rows);
    const X left = correct(team, rate.at, position_inverse, own, rate.at.constraint.position, warm);
    if constexpr (Along::any) {
      along.tangents.move_position(rate.at, position_inverse, t, q, w, correction, moving, along.columns);
    }
    Q shift;
    if constexpr (requires { M::moved_by(p, t, q, w, correction); }) {
      shift = M::moved_by(p, t, q, w, correction);
    } else if constexpr (ModelParts<M>::has_velocity) {
      using D = Dual<X, 1>;
      const auto moved = M::velocity(p, D(t), constants<D>(q), kalaba::along(w, correction));
      KALABA_UNROLL
      for (int i = 0; i < nq; ++i) shift[i] = moved[i].slope[0];
    } else {
      shift = correction;
    }
    return subtract(team, method, size, q, shift, left, moving);
  }

  template <class Team, class Along>
  KALABA_FN Mask move_rate(const Team& team, Rate& rate, const Method& method, const RankRule<X>& rule, const P& p,
                           const X& t, const Q& q, W& w, const Mask& turning, bool warm, const Along& along, X& size) {
    rate.at.evaluate(team, p, t, q, w);
    const auto& own = for_lanes_alone<typename Rate::Inverse>(rule, turning);
    rate.at.mass_weighted_rows(team, rate.inverse.rows);
    const X left = correct(team, rate.at, rate.inverse, own, rate.at.constraint.rate, warm);
    if constexpr (Along::any) {
      along.tangents.move_rate(rate.at, rate.inverse, t, q, w, correction, turning, along.columns);
    }
    return subtract(team, method, size, w, correction, left, turning);
  }

  /// correction := F^-T (A F^-T)+ error, for the rows of A F^-T in `inverse`. Returns the squared norm of the residual
  /// that no correction removes.
  template <class Team, class Inv, int Rows>
  KALABA_FN X correct(const Team& team, const Linearization<M, X>& at, Inv& inverse, const RankRule<X>& rule,
                      const Vec<X, Rows>& error, bool warm) {
    inverse.factorize(team, rule, warm);
    inverse.min_norm(team, error, unscaled);
    W local = unscaled;
    at.factor.solve_transposed(local.data);
    team.template for_each<n>([&](int i) KALABA_LAMBDA { correction[i] = local[i]; });
    return inverse.squared_residual(error);
  }

  /// Subtracts `shift` from x in the lanes `moving`. Returns the lanes that need another correction: the shift was
  /// large relative to `size`, which becomes the largest number of x if that is larger, or not finite, or the
  /// constraints contradict each other and the squared residual `left` remains.
  template <class Team, int N>
  KALABA_FN static Mask subtract(const Team& team, const Method& method, X& size, Vec<X, N>& x, const Vec<X, N>& shift,
                                 const X& left, const Mask& moving) {
    X step(0);
    Mask finite = X(0) < X(1);
    KALABA_UNROLL
    for (int i = 0; i < N; ++i) {
      size = max_of(size, abs(x[i]));
      step = max_of(step, abs(shift[i]));
      finite = both(finite, is_finite(shift[i]));
    }
    team.template for_each<N>([&](int i) KALABA_LAMBDA { x[i] = select(moving, x[i] - shift[i], x[i]); });
    const X limit = size * X(method.consistency_tolerance);
    return !both(both(finite, step < size * X(last_correction<X>)), left <= limit * limit);
  }
};

}  // namespace kalaba
