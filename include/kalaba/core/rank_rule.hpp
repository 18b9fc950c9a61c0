#pragma once

#include "kalaba/core/matrix.hpp"
#include "kalaba/core/method.hpp"
#include "kalaba/core/real.hpp"

namespace kalaba {

/// Length of a row, relative to the other entries of its columns (UnitRows), at or below which the row is rounding.
template <class X>
inline constexpr Scalar<X> row_rounding = Limits<Scalar<X>>::epsilon > 1e-10 ? 4e-6 : 2e-13;

/// Rows whose lengths differ by less than this are of comparable lengths.
template <class X>
inline constexpr Scalar<X> comparable_rows = Limits<Scalar<X>>::epsilon > 1e-10 ? 1e-3 : 1e-6;

/// No larger singular value, or relative length of a row, is near a singular position.
inline constexpr double near_value = 0.1;

/// How many singular values (or pivots) of a matrix count. This is the one place where the rank is decided; the rows
/// have unit length by then (UnitRows), so that neither units nor masses have a say in it.
///
/// A state on its constraints shows its rank: a redundant row leaves a singular value at rounding level. The stages of
/// a step lie off the constraints by the square of the step, and lift it as far; near a singular position a true one is
/// as small. So the rank is found where a step begins, and its stages keep that many values, the largest, whatever
/// their size. From one step to the next a value that counted does so until it is down at rounding level, and one that
/// did not has to rise above the tolerance.
template <class X>
struct RankRule {
  X tolerance;  ///< relative to the largest value
  X held;       ///< the same for values that counted before
  X least;      ///< values that counted before, if any
  X most;       ///< values that may count
  /// Near a singular position, where nothing but corrections and rates is asked for.
  bool passing = false;
  /// Whether the relative length of the rows is computed (UnitRows::relative_length).
  bool compares_rows = false;
  /// Lanes whose rows are known to be of comparable lengths (UnitRows::comparable), so that none is rounding.
  MaskOf<X> comparable = X(1) < X(0);
  /// Lanes whose answers nobody asks for. What an inverse carries from one matrix to the next stays as it is there, for
  /// neighbours must not see how many matrices another met.
  MaskOf<X> idle = X(1) < X(0);

  /// The values above `tolerance`, and no others.
  template <class T>
  KALABA_FN RankRule(const T& tolerance) : RankRule(X(tolerance), X(tolerance), X(0), X(unbounded)) {}

  /// Where a step begins, or at a start (`rank` -1).
  KALABA_FN static RankRule at_step(const Method& method, const X& rank) {
    const X tolerance(method.rank_tolerance);
    const bool on_constraints = method.stabilization.kind == Stabilization::Kind::projection;
    RankRule rule = {tolerance, on_constraints ? least_held(tolerance) : tolerance, rank, X(unbounded)};
    rule.compares_rows = true;
    return rule;
  }
  /// Within a step whose beginning had this rank.
  KALABA_FN static RankRule within_step(const Method& method, const X& rank) {
    const X tolerance(method.rank_tolerance);
    return {tolerance, least_held(tolerance), rank, rank};
  }
  /// The same near a singular position.
  KALABA_FN static RankRule in_passage(const Method& method, const X& rank) {
    RankRule rule = within_step(method, rank);
    rule.passing = true;
    rule.compares_rows = true;
    return rule;
  }

  /// Where a step near a singular position begins, at which values change by `speed` in a step: the rank may rise, as
  /// behind a start in that position.
  KALABA_FN static RankRule at_passage(const Method& method, const X& rank, const X& speed) {
    RankRule rule = in_passage(method, rank);
    rule.most = X(unbounded);
    rule.tolerance = max_of(rule.tolerance, X(0.1) * speed);
    return rule;
  }

  /// Relative length at or below which a row does not count.
  KALABA_FN X shortest_row() const { return passing ? max_of(held, X(row_rounding<X>)) : X(row_rounding<X>); }

  /// The rank of a matrix whose values are these, or, with `Squared`, their squares.
  template <bool Squared, int N>
  KALABA_FN X rank_of(const Vec<X, N>& values, const X& largest) const {
    const X above = count(values, Squared ? tolerance * tolerance * largest : tolerance * largest);
    return combine(above, count(values, Squared ? held * held * largest : held * largest));
  }
  /// The same where so many lie above `tolerance`, and so many above `held`.
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

/// The same rule for the lanes that are `wanted`, of an inverse that leaves the others as they are (leaves_idle).
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
/// The same where the others may change, of an inverse that is spared work by leaving them out.
template <class Inverse, class X, class Mask>
KALABA_FN decltype(auto) for_lanes(const RankRule<X>& rule, const Mask& wanted) {
  if constexpr (requires { requires Inverse::deflates; }) {
    return for_lanes_alone<Inverse>(rule, wanted);
  } else {
    return (rule);
  }
}

/// Marks the `rank` largest of some values.
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
