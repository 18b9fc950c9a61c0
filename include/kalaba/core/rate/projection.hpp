#pragma once

#include "kalaba/core/rate/columns.hpp"
#include "kalaba/core/rate/constrained_rate.hpp"

namespace kalaba {

/// Limit for the last correction, relative to the largest number of a state (of all of q, or of all of w).
template <class X>
inline constexpr Scalar<X> last_correction = Limits<Scalar<X>>::epsilon > 1e-10 ? 2e-5 : 1e-9;

/// Step that a projection ends. The default is no step: a start, or a state between steps.
template <class X, int N>
struct EndedStep {
  X length = X(0);
  X rank = X(1 << 20);               ///< of A at its beginning
  const Vec<X, N>* rates = nullptr;  ///< at its beginning
  /// Receives the lanes in which the rank rises and the projection removes the motion of the step: the member leaves a
  /// singular position along a direction that the constraints do not allow, so that they do not determine its motion.
  MaskOf<X>* torn = nullptr;
};

/// Projects a state onto its constraints by metric-weighted Gauss-Newton, with the pseudo-inverse of the equation of
/// motion:
///   q -= K_w F^-T (A_phi F^-T)+ phi,   then   w -= F^-T (A F^-T)+ (phi', psi)
/// Both converge quadratically, so a member is done after a correction below `last_correction` of its size; where all
/// coordinates are small, also after one that rounding errors of the rows explain and that is no smaller than the one
/// before.
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
  using Ended = EndedStep<X, n>;

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

  /// Rounding errors of the rows are estimated (rounding_of_coordinates). On a GPU the kernels of two rows would not
  /// stay in registers.
  static constexpr bool asks_for_rounding = m > (KALABA_FOR_GPU ? 2 : 1);

  [[no_unique_address]] OfPositions<!one_inverse, X> positions;
  W correction;
  W unscaled;

  /// Corrects q and w where `members` holds; returns the lanes in which both corrections converged within `limit`
  /// iterations. Uses `rate` as workspace; `warm`: its pseudo-inverse has factorized a nearby matrix of every member.
  template <class Team>
  KALABA_FN Mask apply(const Team& team, Rate& rate, const Method& method, const P& p, const X& t, Q& q, W& w,
                       const Mask& members, int limit, bool warm) {
    return apply(team, rate, method, RankRule<X>(method.rank_tolerance), p, t, q, w, members, limit, warm, Ended{});
  }
  /// `apply` with a given rank rule, at the end of a step.
  template <class Team>
  KALABA_FN Mask apply(const Team& team, Rate& rate, const Method& method, const RankRule<X>& rule, const P& p,
                       const X& t, Q& q, W& w, const Mask& members, int limit, bool warm, const Ended& step) {
    return inlined_if<m <= 1>([&]() KALABA_LAMBDA {
      return apply_along(team, rate, method, rule, p, t, q, w, members, limit, warm, NoColumns{}, step);
    });
  }
  /// `apply` that also passes the sensitivity columns `along` through every correction.
  template <class Team, class Along>
  KALABA_FN Mask apply_along(const Team& team, Rate& rate, const Method& method, const RankRule<X>& rule, const P& p,
                             const X& t, Q& q, W& w, const Mask& members, int limit, bool warm, const Along& along,
                             const Ended& step) {
    Mask moving = X(1) < X(0);
    if constexpr (mh > 0) {
      if (holonomic_rows<M>() > 0) moving = members;
      X size(Limits<Scalar<X>>::least_size);
      X before(0);  // the largest number of the correction before
      for (int i = 0; i < limit && team.any(moving); ++i) {
        const bool met = i > 0 || (one_inverse && warm);
        const Mask now = moving;
        moving = both(moving, move_position(team, rate, method, rule, p, t, q, w, moving, met, along, step.length,
                                            i > 0, size, before));
        if (i == 0 && is_holonomic<M>() && team.any(moving)) {
          compare_rank(team, rate.at, positions.of(rate), now, w, step.length, step);
        }
      }
    }
    if (one_inverse) warm = true;
    Mask turning = both(members, !moving);
    X size(Limits<Scalar<X>>::least_rate);
    for (int i = 0; i < limit && team.any(turning); ++i) {
      const Mask now = turning;
      turning = both(turning, move_rate(team, rate, method, rule, p, t, q, w, turning, warm || i > 0, along,
                                        step.length, i > 0, size));
      if (i == 0 && team.any(turning)) compare_rank(team, rate.at, rate.inverse, now, w, X(1), step);
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
      turning = both(turning,
                     move_rate(team, rate, method, rule, p, t, q, w, turning, i > 0, NoColumns{}, X(0), i > 0, size));
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
      X before(0);
      for (int i = 0; i < 2 && holonomic_rows<M>() > 0 && team.any(moving); ++i) {
        const bool met = i > 0 || one_inverse;
        moving = both(moving, move_position(team, rate, method, rule, p, t, q, w, moving, met, NoColumns{}, X(0), false,
                                            size, before));
      }
    }
    X size(Limits<Scalar<X>>::least_rate);
    move_rate(team, rate, method, rule, p, t, q, w, members, true, NoColumns{}, X(0), false, size);
  }

  /// One correction of q in the lanes `moving`, at the end of a step of this length; returns the lanes in which it was
  /// still large, relative to `size`, the largest number of all states so far, or in which the constraints contradict
  /// each other. `before`: largest number of the correction before; becomes that of this one.
  template <class Team, class Along>
  KALABA_FN Mask move_position(const Team& team, Rate& rate, const Method& method, const RankRule<X>& rule, const P& p,
                               const X& t, Q& q, const W& w, const Mask& moving, bool warm, const Along& along,
                               const X& length, bool again, X& size, X& before) {
    auto& position_inverse = positions.of(rate);
    rate.at.evaluate(team, p, t, q, w);
    // If there are other rows too, the rank of these alone is not known.
    const RankRule<X> of_all = is_holonomic<M>() ? rule : RankRule<X>(method.rank_tolerance);
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
    X step;
    Mask last = subtract(team, q, shift, moving, size, &step);
    if constexpr (asks_for_rounding) {
      if (again && team.any(both(moving, !last))) {
        const X rounding = rounding_of_coordinates(rate.at);
        const Mask stalls = both(X(0.25) * before <= step, step <= rounding);
        last = either(last, both(stalls, is_finite(rounding)));
      }
    }
    before = step;
    return !both(last, agrees(team, rate.at, method, q, w, size, left, moving, length, true, again));
  }

  template <class Team, class Along>
  KALABA_FN Mask move_rate(const Team& team, Rate& rate, const Method& method, const RankRule<X>& rule, const P& p,
                           const X& t, const Q& q, W& w, const Mask& turning, bool warm, const Along& along,
                           const X& length, bool again, X& size) {
    rate.at.evaluate(team, p, t, q, w);
    const auto& own = for_lanes_alone<typename Rate::Inverse>(rule, turning);
    rate.at.mass_weighted_rows(team, rate.inverse.rows);
    const X left = correct(team, rate.at, rate.inverse, own, rate.at.constraint.rate, warm);
    if constexpr (Along::any) {
      along.tangents.move_rate(rate.at, rate.inverse, t, q, w, correction, turning, along.columns);
    }
    const Mask last = subtract(team, w, correction, turning, size);
    return !both(last, agrees(team, rate.at, method, q, w, size, left, turning, length, false, again));
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

  /// Subtracts `shift` from x in the lanes `moving`. Returns the lanes in which no other correction is needed: the
  /// shift was finite and small relative to `size`, which becomes the largest number of x if that is larger.
  template <class Team, int N>
  KALABA_FN static Mask subtract(const Team& team, Vec<X, N>& x, const Vec<X, N>& shift, const Mask& moving, X& size,
                                 X* largest = nullptr) {
    X step(0);
    X sum(0);
    KALABA_UNROLL
    for (int i = 0; i < N; ++i) {
      size = max_of(size, abs(x[i]));
      step = max_of(step, abs(shift[i]));
      sum = sum + shift[i];
    }
    team.template for_each<N>([&](int i) KALABA_LAMBDA { x[i] = select(moving, x[i] - shift[i], x[i]); });
    if (largest != nullptr) *largest = step;
    return both(is_finite(sum), step < size * X(last_correction<X>));
  }

  /// Change of coordinates that rounding errors of the rows may cause where all of them are small: an entry of A is
  /// about a term of its row where its coordinate has the size 1, as of an angle.
  KALABA_NOINLINE static X rounding_of_coordinates(const Linearization<M, X>& at) {
    X largest(1);
    for (int r = 0; r < m; ++r) {
      for_entries<PatternOf<M>>(r,
                                [&](int k, int) KALABA_LAMBDA { largest = max_of(largest, abs(at.matrix.data[k])); });
    }
    return X(512 * Limits<Scalar<X>>::epsilon) * largest;
  }

  /// Returns the lanes in which constraints do not contradict each other: the squared residual `left` that no
  /// correction removes is small. The metric is evaluated only if it is not small for any masses, after the first
  /// correction.
  template <class Team>
  KALABA_FN static Mask agrees(const Team& team, const Linearization<M, X>& at, const Method& method, const Q& q,
                               const W& w, const X& size, const X& left, const Mask& moving, const X& length,
                               bool of_positions, bool again) {
    const X limit = size * X(1e-6 * method.consistency_tolerance);
    const Mask clear = left <= limit * limit;
    if constexpr (m <= 1) return clear;  // a residual is that of a row which vanishes
    if (!again || !team.any(both(moving, !clear))) return clear;
    const Place place = {q, w, size, length};
    const X square =
        with_factor(at, [&](const auto& factor) KALABA_LAMBDA { return squared_size(factor, place, of_positions); });
    const Mask small = either(clear, left <= X(method.consistency_tolerance * method.consistency_tolerance) * square);
    if (!asks_for_rounding || !of_positions || !team.any(both(moving, !small))) return small;
    const X rounding = rounding_of_coordinates(at);
    const X unit = with_factor(at, [&](const auto& factor) KALABA_LAMBDA { return square_of(factor, ones()); });
    return either(small, left <= rounding * rounding * unit);
  }

 private:
  struct Place {
    Q q;
    W w;
    X size;    ///< largest coordinate, or rate
    X length;  ///< of the step
  };
  /// Returns work(factor of the metric), with a copy of a small one: the state of a small model, to which no reference
  /// is passed on, stays in registers.
  template <class Work>
  KALABA_FN static auto with_factor(const Linearization<M, X>& at, const Work& work) {
    if constexpr (m <= 1) {
      const auto own = at.factor;
      return work(own);
    } else {
      return work(at.factor);
    }
  }
  KALABA_FN static W ones() {
    W x;
    for (int i = 0; i < n; ++i) x[i] = X(1);
    return x;
  }
  /// |F^T x|^2
  template <class Factor>
  KALABA_FN static X square_of(const Factor& factor, W x) {
    factor.multiply_transposed(x.data);
    X sum(0);
    KALABA_UNROLL
    for (int i = 0; i < n; ++i) sum = fma(x[i], x[i], sum);
    return sum;
  }
  /// Squared length in the metric of the coordinates and the path in the step, or of the rates; above the rounding of
  /// the coordinates. All coordinates may be zero at a special position.
  template <class Factor>
  KALABA_NOINLINE static X squared_size(const Factor& factor, const Place& at, bool of_positions) {
    X place = at.size * at.size;
    if constexpr (nq == n && !ModelParts<M>::has_velocity) place = square_of(factor, at.q);
    const X speed = square_of(factor, at.w);
    if (of_positions) return fma(at.length * at.length, speed, place);
    const X rounding = X(1024 * Limits<Scalar<X>>::epsilon) / select(X(0) < at.length, at.length, X(1));
    return speed + select(X(0) < at.length, rounding * rounding * place, X(0));
  }

  /// Marks the lanes whose rank is above that at the beginning of the step, and whose correction, of the coordinates in
  /// `length` seconds or of the rates, is not small relative to the rates.
  template <class Team, class Inv>
  KALABA_FN void compare_rank(const Team& team, const Linearization<M, X>& at, const Inv& inverse, const Mask& moving,
                              const W& w, const X& length, const Ended& step) const {
    if (step.torn == nullptr) return;
    const Mask rises = both(moving, step.rank < inverse.rank());
    if (!team.any(rises)) return;
    const W before = *step.rates;
    const W by = unscaled;
    const W after = w;
    const Mask removed = with_factor(
        at, [&](const auto& factor) KALABA_LAMBDA { return removes_motion(factor, before, after, by, length); });
    *step.torn = either(*step.torn, both(rises, removed));
  }
  /// Returns the lanes in which a correction exceeds half of the rates at the beginning of the step, which determine
  /// the branch of the motion at a singular position, and rounding of the rates at its end.
  template <class Factor>
  KALABA_NOINLINE static Mask removes_motion(const Factor& factor, const W& before, const W& after, const W& by,
                                             const X& length) {
    X removed(0);
    KALABA_UNROLL
    for (int i = 0; i < n; ++i) removed = fma(by[i], by[i], removed);
    const X known = X(0.25) * square_of(factor, before);
    const X noise = X(1e-8) * square_of(factor, after);
    return length * length * (known + noise) < removed;
  }
};

}  // namespace kalaba
