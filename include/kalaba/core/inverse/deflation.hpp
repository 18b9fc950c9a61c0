#pragma once

#include "kalaba/core/base/tridiagonal.hpp"
#include "kalaba/core/inverse/envelope_factor.hpp"
#include "kalaba/core/inverse/jacobi_svd.hpp"

namespace kalaba {

/// Truncated solution of the direct method if some rows are nearly dependent, as near a singular position: a few
/// singular values are small there, the others are not.
///
/// The number of singular values of the unit rows B~ below a limit is the number of negative pivots of S~ - limit^2
/// (Sylvester). Their left singular vectors U are computed by subspace iteration with the existing factor, from a fixed
/// initial basis. The part along U is solved by the SVD of U^T B~, which the rank rule truncates; the rest is solved by
/// (I - U U^T) S~^-1 (I - U U^T). The limit is `apart` times the value at which the rule truncates, so that after
/// `passes` iterations the subspace is accurate to rounding for the values that matter.
///
/// The bits of a lane do not depend on the other lanes. For one worker.
template <class X, class Pattern>
struct Deflation {
  using Factor = EnvelopeFactor<X, Pattern>;
  using Rows = MatrixOf<X, Pattern>;
  static constexpr int m = Pattern::rows;
  static constexpr int n = Pattern::cols;
  static constexpr int most = m / 5;  ///< largest number of small values that can be separated

  static constexpr bool single = Limits<Scalar<X>>::epsilon > 1e-10;
  static constexpr double apart = 4;
  static constexpr int passes = single ? 8 : 14;

  Mat<X, most, m> basis;  ///< U^T, its columns in the order of elimination; 0 after the values found
  JacobiSvd<X, most, n> small;
  X rank;
  Vec<X, m> root;  ///< lengths of the rows, in the order of elimination

  /// Returns the lanes in which no singular value of the unit rows has a square below `squared`.
  KALABA_FN static MaskOf<X> none_below(const Rows& rows, const X& squared) {
    return count_below(rows, squared) == X(0);
  }

  /// Finds the small values in the lanes `may`; returns the lanes in which these and the rank are known. `least` is the
  /// smallest value for which `factor` alone is accurate.
  KALABA_FN MaskOf<X> find(const Factor& factor, const Rows& rows, const RankRule<X>& rule, double least,
                           const MaskOf<X>& may) {
    for (int i = 0; i < m; ++i) root[i] = sqrt(factor.square[i]);
    const X largest = largest_value(rows);
    const X cut = max_of(rule.tolerance, rule.held) * largest;
    const X limit = X(apart) * max_of(cut, X(least));
    const X found = count_below(rows, limit * limit);
    const MaskOf<X> few = both(may, both(found <= X(most), limit < X(0.5)));
    const X count = select(few, found, X(0));
    find_basis(factor, count);
    take_rows(rows);
    const MaskOf<X> converged = small.factorize(Solo{}, RankRule<X>(X(0)), false);
    const X taken = take_vectors(X(0.5) * limit);
    const MaskOf<X> complete = taken == count_below(rows, X(0.25) * limit * limit);
    return both(both(few, converged), both(complete, truncate(rule, largest, taken)));
  }

  /// x = B+ e, with one step of refinement.
  KALABA_FN void min_norm(const Factor& factor, const Rows& rows, const Vec<X, m>& e, Vec<X, n>& x) const {
    Vec<X, m> rest;
    Vec<X, n> more;
    for (int i = 0; i < m; ++i) rest[i] = e[Pattern::order(i)] / root[i];
    solve(factor, rows, rest, x);
    for (int i = 0; i < m; ++i)
      rest[i] = (e[Pattern::order(i)] - Factor::row_times(rows, Pattern::order(i), x)) / root[i];
    solve(factor, rows, rest, more);
    for (int j = 0; j < n; ++j) x[j] = x[j] + more[j];
  }

  /// |e - B B+ e|^2, for rows of unit length.
  KALABA_FN X squared_residual(const Vec<X, m>& e) const {
    Vec<X, m> unit;
    Vec<X, most> along;
    for (int i = 0; i < m; ++i) unit[i] = e[Pattern::order(i)] / root[i];
    for (int k = 0; k < most; ++k) along[k] = along_basis(k, unit);
    return small.squared_residual(along);
  }

 private:
  static constexpr int lanczos_steps = 16;

  /// Number of singular values of the unit rows below sqrt(squared). Pivots of an indefinite matrix may grow; a wrong
  /// count is detected later.
  KALABA_FN static X count_below(const Rows& rows, const X& squared) {
    Factor shifted;
    const X part = X(1) - squared;
    shifted.eliminate_shifted(rows, [&](const X& own) KALABA_LAMBDA { return part * own; });
    X count(0);
    X all(0);
    for (int i = 0; i < m; ++i) {
      count = count + select(shifted.inverse_pivot[i] < X(0), X(1), X(0));
      all = fma(shifted.inverse_pivot[i], X(0), all);
    }
    return select(all == X(0), count, X(m));
  }

  /// Largest singular value of the unit rows, by Lanczos: from below, with an error well below `near_cut`.
  KALABA_FN X largest_value(const Rows& rows) const {
    SymmetricTridiagonal<X, lanczos_steps> matrix;
    Vec<X, m> v;
    Vec<X, m> before;
    for (int i = 0; i < m; ++i) {
      v[i] = X(start_number(i));
      before[i] = X(0);
    }
    X length = sqrt(dot(v, v));
    for (int step = 0; step < lanczos_steps; ++step) {
      const X inverse = reciprocal_where(X(0) < length, length);
      for (int i = 0; i < m; ++i) v[i] = v[i] * inverse;
      Vec<X, n> x;
      combine(rows, v, x);
      Vec<X, m> next;
      for (int i = 0; i < m; ++i) next[i] = Factor::row_times(rows, Pattern::order(i), x) / root[i];
      const X along = dot(v, next);
      matrix.diagonal[step] = along;
      if (step > 0) matrix.beside[step - 1] = length;
      for (int i = 0; i < m; ++i) {
        const X left = fma(-along, v[i], step > 0 ? fma(-length, before[i], next[i]) : next[i]);
        before[i] = v[i];
        v[i] = left;
      }
      length = sqrt(dot(v, v));
    }
    return sqrt(matrix.largest_eigenvalue());
  }

  /// basis := left singular vectors of the `count` smallest values
  KALABA_FN void find_basis(const Factor& factor, const X& count) {
    unsigned state = 1;
    int used = 0;
    for (int k = 0; k < most; ++k) {
      const MaskOf<X> wanted = X(k) < count;
      if (any(wanted)) used = k + 1;
      for (int i = 0; i < m; ++i) {
        state = state * 1664525U + 1013904223U;
        basis(k, i) = select(wanted, X(static_cast<int>(state >> 16) - 32768), X(0));
      }
    }
    for (int pass = 0; pass < passes; ++pass) {
      for (int k = 0; k < used; ++k) {
        Vec<X, m> v;
        for (int i = 0; i < m; ++i) v[i] = basis(k, i);
        solve_unit(factor, v);
        for (int again = 0; again < (pass + 1 < passes ? 1 : 2); ++again) make_orthogonal(k, v);
        const X square = dot(v, v);
        const X inverse = reciprocal_where(X(0) < square, sqrt(square));
        for (int i = 0; i < m; ++i) basis(k, i) = v[i] * inverse;
      }
    }
  }

  /// small.rows := U^T B~
  KALABA_FN void take_rows(const Rows& rows) {
    for (int k = 0; k < most; ++k) {
      Vec<X, m> v;
      Vec<X, n> row;
      for (int i = 0; i < m; ++i) v[i] = basis(k, i);
      combine(rows, v, row);
      for (int j = 0; j < n; ++j) small.rows(k, j) = row[j];
    }
  }

  /// U := the left singular vectors of U^T B~ for values below `limit`; vectors near the search limit are not accurate
  /// to rounding. Returns their number.
  KALABA_FN X take_vectors(const X& limit) {
    Vec<MaskOf<X>, most> taken;
    X count(0);
    for (int k = 0; k < most; ++k) {
      const X value = small_value(k);
      taken[k] = both(X(0) < value, value < limit);
      count = count + select(taken[k], X(1), X(0));
      small.square[k] = select(taken[k], small.square[k], X(0));
    }
    for (int i = 0; i < m; ++i) {
      Vec<X, most> turned;
      for (int k = 0; k < most; ++k) {
        X sum(0);
        for (int l = 0; l < most; ++l) sum = fma(small.rotation(k, l), basis(l, i), sum);
        turned[k] = select(taken[k], sum, X(0));
      }
      for (int k = 0; k < most; ++k) basis(k, i) = turned[k];
    }
    for (int k = 0; k < most; ++k) {
      for (int l = 0; l < most; ++l) small.rotation(k, l) = X(k == l ? 1 : 0);
    }
    return count;
  }
  KALABA_FN X small_value(int k) const { return sqrt(small.square[k]) / small.scale; }

  /// Applies the rule to all values. Returns the lanes in which no value is so close to the truncation that the error
  /// of `largest` could change the result.
  KALABA_FN MaskOf<X> truncate(const RankRule<X>& rule, const X& largest, const X& taken) {
    const X cut = rule.tolerance * largest;
    const X held_cut = rule.held * largest;
    X above(m);
    X standing(m);
    MaskOf<X> clear = X(0) < X(1);
    for (int k = 0; k < most; ++k) {
      const X value = small_value(k);
      const MaskOf<X> there = X(0) < value;
      above = above - select(both(there, !(cut < value)), X(1), X(0));
      standing = standing - select(both(there, !(held_cut < value)), X(1), X(0));
      const MaskOf<X> near =
          either(abs(value - cut) < X(near_cut) * cut, abs(value - held_cut) < X(near_cut) * held_cut);
      clear = both(clear, !both(there, near));
    }
    rank = rule.combine(above, standing);
    const X kept = rank - (X(m) - taken);  // the zeros that pad the basis come last
    Vec<MaskOf<X>, most> marked;
    mark_largest(small.square, kept, marked);
    for (int k = 0; k < most; ++k) {
      small.inverse_square[k] = reciprocal_where(both(marked[k], X(0) < small.square[k]), small.square[k]);
    }
    return both(clear, X(0) <= kept);
  }

  KALABA_FN void solve(const Factor& factor, const Rows& rows, Vec<X, m> e, Vec<X, n>& x) const {
    Vec<X, most> along;
    for (int k = 0; k < most; ++k) along[k] = along_basis(k, e);
    take_away(along, e);
    solve_unit(factor, e);
    Vec<X, most> left;
    for (int k = 0; k < most; ++k) left[k] = along_basis(k, e);
    take_away(left, e);
    Vec<X, n> part;
    combine(rows, e, part);
    small.min_norm(Solo{}, along, x);
    for (int j = 0; j < n; ++j) x[j] = x[j] + part[j];
  }

  /// v := S~^-1 v
  KALABA_FN void solve_unit(const Factor& factor, Vec<X, m>& v) const {
    for (int i = 0; i < m; ++i) v[i] = v[i] * root[i];
    factor.solve_in_order(v);
    for (int i = 0; i < m; ++i) v[i] = v[i] * root[i];
  }
  /// x = B~^T v
  KALABA_FN void combine(const Rows& rows, const Vec<X, m>& v, Vec<X, n>& x) const {
    for (int j = 0; j < n; ++j) x[j] = X(0);
    for (int i = 0; i < m; ++i) {
      const X by = v[i] / root[i];
      for_entries<Pattern>(Pattern::order(i), [&](int k, int j) KALABA_LAMBDA { x[j] = fma(rows.data[k], by, x[j]); });
    }
  }
  KALABA_FN X along_basis(int k, const Vec<X, m>& v) const {
    X sum(0);
    for (int i = 0; i < m; ++i) sum = fma(basis(k, i), v[i], sum);
    return sum;
  }
  KALABA_FN void take_away(const Vec<X, most>& along, Vec<X, m>& v) const {
    for (int k = 0; k < most; ++k) {
      for (int i = 0; i < m; ++i) v[i] = fma(-along[k], basis(k, i), v[i]);
    }
  }
  KALABA_FN void make_orthogonal(int vectors, Vec<X, m>& v) const {
    for (int k = 0; k < vectors; ++k) {
      const X along = along_basis(k, v);
      for (int i = 0; i < m; ++i) v[i] = fma(-along, basis(k, i), v[i]);
    }
  }
  KALABA_FN static double start_number(int i) { return 1 + 0.25 * (i % 3); }

  static constexpr double near_cut = 2e-4;
};

namespace detail {
template <class X, class Pattern, bool Deflates>
struct DeflationOf {
  using type = Deflation<X, Pattern>;
};
template <class X, class Pattern>
struct DeflationOf<X, Pattern, false> {
  struct type {};
};
}  // namespace detail

}  // namespace kalaba
