#pragma once

#include "kalaba/core/base/jacobi_rotation.hpp"
#include "kalaba/core/inverse/rank_rule.hpp"
#include "kalaba/core/inverse/rows.hpp"

namespace kalaba {

/// B+ by one-sided Jacobi rotations: rows of B (M x N, any shape) are rotated until orthogonal, R = V^T B. Then B+ e =
/// sum over kept rows r_k (V^T e)_k / |r_k|^2; neither U nor B+ is formed.
///
/// Two rows are rotated if their |cos| exceeds epsilon max(4, N), unless one is zero to working precision. At most
/// `max_sweeps` sweeps; a member that needs more is not converged. A warm start passes the V of a nearby matrix, after
/// which about one sweep is enough. Kept rows may then remain at |cos| up to `nearly`; refinement of the solution, each
/// pass of which multiplies the error by `nearly`, costs a fraction of a sweep. Singular values are exact to a few
/// epsilon of the largest, and small ones to high relative accuracy if B is a well conditioned matrix times a row
/// scaling.
template <class X, int M, int N>
struct JacobiSvd {
  static constexpr int max_sweeps = 30;
  static constexpr bool refines = M > 3;  ///< for fewer rows, another sweep costs less
  static constexpr Scalar<X> nearly = Limits<Scalar<X>>::epsilon > 1e-10 ? 4e-3 : 4e-6;
  static constexpr int refinements = 2;
  static constexpr bool leaves_idle = M > 1 && !is_bool<MaskOf<X>>;

  Mat<X, M, N> rows;         ///< in: B; after factorize: R, orthogonal rows
  Mat<X, M, M> rotation;     ///< V^T, orthogonal; a warm start reuses it for the next matrix
  Vec<X, M> inverse_square;  ///< 1/|r_k|^2, 0 for dropped rows
  Vec<X, M> square;          ///< |r_k|^2, of scaled rows
  Mat<X, M, N> scratch;      ///< B while rows become V^T B
  X scale;                   ///< rows are R times this factor
  bool inexact;              ///< kept rows are orthogonal to `nearly` only

  /// Factorizes `rows`. Returns the lanes in which the sweeps converged.
  template <class Team>
  KALABA_FN MaskOf<X> factorize(const Team& team, const RankRule<X>& rule, bool warm) {
    return inlined_if<M <= 1>([&]() KALABA_LAMBDA { return decompose(team, rule, warm); });
  }

  /// Minimum-norm least-squares solution x of B x = e.
  template <class Team>
  KALABA_FN void min_norm(const Team& team, const Vec<X, M>& e, Vec<X, N>& x) const {
    Vec<X, M> along;
    KALABA_UNROLL
    for (int k = 0; k < M; ++k) along[k] = coordinate(e, k) * scale;
    Vec<X, M> y;
    solve(team, along, y, x);
  }

  /// x := B+ B x, the part of x in the row space of B.
  template <class Team>
  KALABA_FN void project(const Team& team, Vec<X, N>& x) const {
    Vec<X, M> along;
    KALABA_UNROLL
    for (int k = 0; k < M; ++k) along[k] = along_row(k, x);
    Vec<X, M> y;
    solve(team, along, y, x);
  }

  /// lambda = (B B^T)+ e.
  template <class Team>
  KALABA_FN void multipliers(const Team& team, const Vec<X, M>& e, Vec<X, M>& lambda) const {
    Vec<X, M> y;
    if (refines && inexact) {
      Vec<X, M> along;
      Vec<X, N> force;
      for (int k = 0; k < M; ++k) along[k] = coordinate(e, k) * scale;
      solve(Solo{}, along, y, force);  // each worker computes its own copy
      for (int k = 0; k < M; ++k) y[k] = y[k] * scale;
    } else {
      KALABA_UNROLL
      for (int k = 0; k < M; ++k) y[k] = coordinate(e, k) * (inverse_square[k] * scale) * scale;
    }
    team.template for_each<M>([&](int i) KALABA_LAMBDA {
      X sum(0);
      for (int k = 0; k < M; ++k) sum = M > 1 ? fma(rotation(k, i), y[k], sum) : y[k];
      lambda[i] = sum;
    });
  }

  /// Squared norm |e - B B+ e|^2 of the part of e outside the range of B.
  KALABA_FN X squared_residual(const Vec<X, M>& e) const {
    X sum(0);
    KALABA_UNROLL
    for (int k = 0; k < M; ++k) {
      const X c = coordinate(e, k);
      sum = sum + select(X(0) < inverse_square[k], X(0), c * c);
    }
    return sum;
  }

  /// Left singular vector k of B if it is dropped, else 0.
  KALABA_FN void left_null_vector(int k, Vec<X, M>& v) const {
    for (int i = 0; i < M; ++i) {
      v[i] = select(X(0) < inverse_square[k], X(0), M > 1 ? X(rotation(k, i)) : X(1));
    }
  }

  /// Smallest kept and largest dropped singular value of B; 0 if there is none.
  KALABA_FN X smallest_kept() const {
    X largest_inverse(0);
    KALABA_UNROLL
    for (int k = 0; k < M; ++k) largest_inverse = max_of(largest_inverse, inverse_square[k]);
    const MaskOf<X> some = X(0) < largest_inverse;
    return select(some, rsqrt(select(some, largest_inverse, X(1))), X(0)) / scale;
  }
  KALABA_FN X largest_dropped() const {
    X largest(0);
    KALABA_UNROLL
    for (int k = 0; k < M; ++k) largest = max_of(largest, select(X(0) < inverse_square[k], X(0), square[k]));
    return sqrt(largest) / scale;
  }

  /// Smallest kept singular value, or `limit` if that is smaller.
  KALABA_FN X least_value(double limit) const {
    X largest_inverse(0);
    KALABA_UNROLL
    for (int k = 0; k < M; ++k) largest_inverse = max_of(largest_inverse, inverse_square[k]);
    const MaskOf<X> small = X(1) < largest_inverse * (scale * X(limit)) * (scale * X(limit));
    return any(small) ? select(small, smallest_kept(), X(limit)) : X(limit);
  }

  KALABA_FN X rank() const {
    X count(0);
    KALABA_UNROLL
    for (int k = 0; k < M; ++k) count = count + select(X(0) < inverse_square[k], X(1), X(0));
    return count;
  }

 private:
  static constexpr Scalar<X> cosine = Limits<Scalar<X>>::epsilon * (N > 4 ? N : 4);

  template <class Team>
  KALABA_FN MaskOf<X> decompose(const Team& team, const RankRule<X>& rule, bool warm) {
    team.single([&]() KALABA_LAMBDA { inexact = refines && warm; });
    if constexpr (M > 1) start(team, rule, warm);
    squared_row_norms(team, rows, square);
    if constexpr (M == 1) {  // a single row is always kept, for every rule
      if (!team.any(out_of_range(square[0]))) {
        team.single([&]() KALABA_LAMBDA {
          scale = X(1);
          inverse_square[0] = X(1) / square[0];
        });
        return X(0) < X(1);
      }
    }
    const X range = bring_into_range(team, rows, square);
    team.single([&]() KALABA_LAMBDA { scale = range; });
    MaskOf<X> unfinished = X(1) < X(0);
    if constexpr (M > 1) {
      for (int sweep = 0; sweep < max_sweeps; ++sweep) {
        unfinished = sweep_once(team, rule, refines && warm);
        if (!team.any(unfinished)) break;
      }
    }
    keep(team, rule);
    return !unfinished;
  }

  /// Marks the rows that are kept.
  template <class Team>
  KALABA_FN void keep(const Team& team, const RankRule<X>& rule) {
    const X largest = largest_of(square);
    const X threshold = rule.tolerance * rule.tolerance * largest;
    Vec<MaskOf<X>, M> kept;
    MaskOf<X> clear = !(rule.most < X(M));
    KALABA_UNROLL
    for (int k = 0; k < M; ++k) {
      kept[k] = both(threshold < square[k], X(0) < square[k]);
      clear = both(clear, kept[k]);
    }
    if constexpr (M > 1) {
      if (!all(clear)) mark_largest(square, rule.template rank_of<true>(square, largest), kept);
    }
    team.template for_each<M>([&](int k) KALABA_LAMBDA { inverse_square[k] = reciprocal_where(kept[k], square[k]); });
  }

  /// (V^T e)_k
  KALABA_FN X coordinate(const Vec<X, M>& e, int k) const {
    if constexpr (M == 1) return e[0];
    X sum = rotation(k, 0) * e[0];
    KALABA_UNROLL
    for (int i = 1; i < M; ++i) sum = fma(rotation(k, i), e[i], sum);
    return sum;
  }

  KALABA_FN X along_row(int k, const Vec<X, N>& x) const {
    X sum = rows(k, 0) * x[0];
    KALABA_UNROLL
    for (int i = 1; i < N; ++i) sum = fma(rows(k, i), x[i], sum);
    return sum;
  }

  /// Smallest x with r_k . x = along_k for every kept row, and y with x = sum y_k r_k, 0 for dropped rows.
  template <class Team>
  KALABA_FN void solve(const Team& team, const Vec<X, M>& along, Vec<X, M>& y, Vec<X, N>& x) const {
    KALABA_UNROLL
    for (int k = 0; k < M; ++k) y[k] = along[k] * inverse_square[k];
    combine(team, y, x);
    if constexpr (refines) {
      for (int pass = 0; pass < (inexact ? refinements : 0); ++pass) {
        for (int k = 0; k < M; ++k) y[k] = fma(along[k] - along_row(k, x), inverse_square[k], y[k]);
        combine(team, y, x);
      }
    }
  }

  /// x = sum y_k r_k
  template <class Team>
  KALABA_FN void combine(const Team& team, const Vec<X, M>& y, Vec<X, N>& x) const {
    team.template for_each<N>([&](int i) KALABA_LAMBDA {
      X sum = y[0] * rows(0, i);
      KALABA_UNROLL
      for (int k = 1; k < M; ++k) sum = fma(y[k], rows(k, i), sum);
      x[i] = sum;
    });
  }

  template <class Team>
  KALABA_FN void start(const Team& team, const RankRule<X>& rule, bool warm) {
    if (!warm) {
      team.template for_each<M * M>([&](int i) KALABA_LAMBDA {
        const X unit(i / M == i % M ? 1 : 0);
        rotation.data[i] = leaves_idle ? select(rule.idle, rotation.data[i], unit) : unit;
      });
      return;
    }
    team.template for_each<M * N>([&](int i) KALABA_LAMBDA { scratch.data[i] = rows.data[i]; });
    team.template for_each<M>([&](int k) KALABA_LAMBDA {
      KALABA_UNROLL
      for (int i = 0; i < N; ++i) {
        X sum = rotation(k, 0) * scratch(0, i);
        KALABA_UNROLL
        for (int j = 1; j < M; ++j) sum = fma(rotation(k, j), scratch(j, i), sum);
        rows(k, i) = sum;
      }
    });
  }

  /// One pass over all pairs; returns the lanes in which a pair was rotated. With `loosely`, kept rows are orthogonal
  /// to `nearly` only.
  template <class Team>
  KALABA_FN MaskOf<X> sweep_once(const Team& team, const RankRule<X>& rule, bool loosely) {
    constexpr Tournament pairs(M);
    constexpr int rounds = pairs.rounds();
    using S = Scalar<X>;
    const X nothing = sum_of(square) * X(Limits<S>::epsilon * Limits<S>::epsilon);
    // A row that may be dropped must be orthogonal to the others, because refinement ignores it. A stage may drop rows
    // above the tolerance.
    const X weak = max_of(X(S(100)) * rule.tolerance * rule.tolerance, X(S(1e-4))) * largest_of(square);
    const X strong_limit(loosely ? nearly * nearly : cosine * cosine);
    MaskOf<X> rotated = X(1) < X(0);
    const MaskOf<X> busy = !rule.idle;
    const auto play = [&](int round) KALABA_LAMBDA {
      team.template for_each<pairs.players / 2>([&](int table) KALABA_LAMBDA {
        const int i = pairs.at(table, round);
        const int j = pairs.at(pairs.players - 1 - table, round);
        if (i < M && j < M)
          rotated = either(rotated, rotate(i < j ? i : j, i < j ? j : i, busy, nothing, weak, strong_limit));
      });
    };
    if constexpr (M <= 4) {
      KALABA_UNROLL
      for (int round = 0; round < rounds; ++round) play(round);
    } else {  // the rows are in memory anyway
      for (int round = 0; round < rounds; ++round) play(round);
    }
    if constexpr (Team::size == 1) return rotated;
    return team.any(rotated) ? X(0) < X(1) : X(1) < X(0);  // the caller only uses whether any lane was rotated
  }

  /// Makes rows i and j orthogonal if they are not (cos^2 above the limit); returns the lanes. Branch-free except that
  /// work which no lane needs is skipped; the bits of a lane do not depend on the branch.
  KALABA_FN MaskOf<X> rotate(int i, int j, const MaskOf<X>& busy, const X& nothing, const X& weak,
                             const X& strong_limit) {
    using S = Scalar<X>;
    const X a = square[i];
    const X b = square[j];
    const X g = row_dot(rows, i, j);
    const X limit = refines ? select(min_of(a, b) < weak, X(cosine * cosine), strong_limit) : X(cosine * cosine);
    MaskOf<X> wanted = both(limit * a * b < g * g, both(nothing < a, nothing < b));
    if constexpr (leaves_idle) wanted = both(wanted, busy);
    if (!any(wanted)) return wanted;
    // tan 2 theta = 2 g / (b - a), |theta| <= pi/4, through half-angle formulas in reciprocal roots.
    const X half = (b - a) * X(S(0.5));
    const X root = rsqrt(fma(half, half, g * g));
    const X cos2 = fma(abs(half) * root, X(S(0.5)), X(S(0.5)));
    const X inverse = rsqrt(cos2);
    const X c = cos2 * inverse;
    const X signed_sine = g * root * X(S(0.5)) * inverse;
    const X s = select(half < X(0), -signed_sine, signed_sine);
    if (all(wanted)) {
      turn(rows, i, j, c, s);
      turn(rotation, i, j, c, s);
      square[i] = row_dot(rows, i, i);
      square[j] = row_dot(rows, j, j);
    } else {
      turn_where(wanted, rows, i, j, c, s);
      turn_where(wanted, rotation, i, j, c, s);
      square[i] = select(wanted, row_dot(rows, i, i), a);
      square[j] = select(wanted, row_dot(rows, j, j), b);
    }
    return wanted;
  }
};

}  // namespace kalaba
