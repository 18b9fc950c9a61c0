#pragma once

#include "kalaba/core/base/matrix.hpp"
#include "kalaba/core/base/real.hpp"
#include "kalaba/core/model/method.hpp"

namespace kalaba {

/// Length of a row, relative to the other entries of its columns (UnitRows), at or below which the row is rounding
/// error.
template <class X>
inline constexpr Scalar<X> row_rounding = Limits<Scalar<X>>::epsilon > 1e-10 ? 4e-6 : 2e-13;

/// Rows whose lengths differ by less than this are of comparable lengths.
template <class X>
inline constexpr Scalar<X> comparable_rows = Limits<Scalar<X>>::epsilon > 1e-10 ? 1e-3 : 1e-6;

/// Singular values and relative row lengths above this are not near a singular position.
inline constexpr double near_value = 0.1;

/// Number of singular values (or pivots) of a matrix that count. The rank is decided here only; the rows already have
/// unit length (UnitRows), so units and masses have no influence.
///
/// A state on its constraints shows its rank: a redundant row has a singular value at rounding level. The stages of a
/// step violate the constraints by the square of the step, which raises that value as much; near a singular position a
/// true value is as small. The rank is therefore determined at the beginning of a step, and its stages keep that many
/// values, the largest, whatever their size. From one step to the next a value that counted does so until it is at
/// rounding level, and one that did not count must rise above the tolerance.
template <class X>
struct RankRule {
  X tolerance;  ///< relative to the largest value
  X held;       ///< relative to the largest value, for values that counted before
  X least;      ///< number of values that counted before
  X most;       ///< number of values that may count
  /// Near a singular position; only corrections and rates are computed.
  bool near_singular = false;
  /// True if the relative length of the rows is computed (UnitRows::relative_length).
  bool compares_rows = false;
  /// Lanes whose rows have comparable lengths (UnitRows::comparable), so that none is rounding error.
  MaskOf<X> comparable = X(1) < X(0);
  /// Lanes whose results are not used. The warm start of an inverse is unchanged there, because a lane must not depend
  /// on the number of matrices that its neighbours factorize.
  MaskOf<X> idle = X(1) < X(0);

  /// Keeps the values above `tolerance`, and no others.
  template <class T>
  KALABA_FN RankRule(const T& tolerance) : RankRule(X(tolerance), X(tolerance), X(0), X(unbounded)) {}

  /// Rule at the beginning of a step, or at a start (`rank` -1).
  KALABA_FN static RankRule at_step(const Method& method, const X& rank) {
    const X tolerance(method.rank_tolerance);
    const bool on_constraints = method.stabilization.kind == Stabilization::Kind::projection;
    RankRule rule = {tolerance, on_constraints ? least_held(tolerance) : tolerance, rank, X(unbounded)};
    rule.compares_rows = true;
    return rule;
  }
  /// Rule within a step with this rank at its beginning.
  KALABA_FN static RankRule within_step(const Method& method, const X& rank) {
    const X tolerance(method.rank_tolerance);
    return {tolerance, least_held(tolerance), rank, rank};
  }
  /// Rule within a step near a singular position.
  KALABA_FN static RankRule in_passage(const Method& method, const X& rank) {
    RankRule rule = within_step(method, rank);
    rule.near_singular = true;
    rule.compares_rows = true;
    return rule;
  }

  /// Rule at the beginning of a step near a singular position, in which values change by `speed`: the rank may rise, as
  /// after a start in that position.
  KALABA_FN static RankRule at_passage(const Method& method, const X& rank, const X& speed) {
    RankRule rule = in_passage(method, rank);
    rule.most = X(unbounded);
    rule.tolerance = max_of(rule.tolerance, X(0.1) * speed);
    return rule;
  }

  /// Relative length at or below which a row does not count.
  KALABA_FN X shortest_row() const { return near_singular ? max_of(held, X(row_rounding<X>)) : X(row_rounding<X>); }

  /// Rank of a matrix with these values, or, with `Squared`, with these squares of values.
  template <bool Squared, int N>
  KALABA_FN X rank_of(const Vec<X, N>& values, const X& largest) const {
    const X above = count(values, Squared ? tolerance * tolerance * largest : tolerance * largest);
    return combine(above, count(values, Squared ? held * held * largest : held * largest));
  }
  /// Rank if `above` values exceed `tolerance` and `standing` values exceed `held`.
  KALABA_FN X combine(const X& above, const X& standing) const {
    return min_of(max_of(above, min_of(least, standing)), most);
  }

 private:
  static constexpr int unbounded = 1 << 20;

  KALABA_FN RankRule(const X& t, const X& h, const X& at_least, const X& at_most)
      : tolerance(t), held(h), least(at_least), most(at_most) {}

  KALABA_FN static X least_held(const X& tolerance) {
    return min_of(tolerance, max_of(tolerance * X(1e-6), X(1024 * Limits<Scalar<X>>::epsilon)));
  }

  template <int N>
  KALABA_FN static X count(const Vec<X, N>& values, const X& limit) {
    X sum(0);
    KALABA_UNROLL
    for (int k = 0; k < N; ++k) sum = sum + select(both(limit < values[k], X(0) < values[k]), X(1), X(0));
    return sum;
  }
};

/// Rule with all other lanes idle, for an inverse that leaves idle lanes unchanged (leaves_idle).
template <class Inverse, class X, class Mask>
KALABA_FN decltype(auto) for_lanes_alone(const RankRule<X>& rule, const Mask& wanted) {
  if constexpr (requires { requires Inverse::leaves_idle; }) {
    RankRule<X> own = rule;
    own.idle = !wanted;
    return own;
  } else {
    return rule;
  }
}
/// Like for_lanes_alone, if the other lanes may change: only for an inverse that saves work in idle lanes.
template <class Inverse, class X, class Mask>
KALABA_FN decltype(auto) for_lanes(const RankRule<X>& rule, const Mask& wanted) {
  if constexpr (requires { requires Inverse::deflates; }) {
    return for_lanes_alone<Inverse>(rule, wanted);
  } else {
    return (rule);
  }
}

/// Marks the `rank` largest values.
template <class X, int N>
KALABA_FN void mark_largest(const Vec<X, N>& values, const X& rank, Vec<MaskOf<X>, N>& marked) {
  for (int k = 0; k < N; ++k) {
    X ahead(0);
    for (int j = 0; j < N; ++j) {
      const MaskOf<X> before = j < k ? values[k] <= values[j] : values[k] < values[j];
      if (j != k) ahead = ahead + select(before, X(1), X(0));
    }
    marked[k] = ahead < rank;
  }
}

}  // namespace kalaba
