#pragma once

#include "kalaba/core/base/loops.hpp"
#include "kalaba/core/base/team.hpp"
#include "kalaba/core/base/tridiagonal.hpp"
#include "kalaba/core/inverse/reflections.hpp"

namespace kalaba {

/// L of P B = L Q^T if pivots are dropped: a second factorization of its kept columns, and the remaining columns D of
/// the dropped pivots. The subspace of the r largest singular values of L has the right basis [I; W^T] with W = L_kept+
/// D, up to the cube of |D| over the smallest kept value. If the pivots have no gap at the truncation, the singular
/// values have none either, and D is ignored.
template <class X, int M, int N>
struct DroppedPivots {
  static constexpr int extent = M < N ? M : N;  ///< the largest possible rank

  Mat<X, M, N> rows;                 ///< in: B; after: L and the reflections of Q
  Reflections<X, M, N> reflections;  ///< Q
  Vec<MaskOf<X>, extent> kept;       ///< pivots above the threshold
  MaskOf<X> bending;                 ///< a dropped pivot is above rounding, and far below the kept ones
  bool decomposed_again;             ///< `second` is valid
  Mat<X, extent, M> second_rows;     ///< kept columns of L, stored as rows; after: T and the reflections of Z
  Reflections<X, extent, M> second;  ///< Z, L_kept = Z T^T
  Vec<X, extent> inverse_second;     ///< 1 / diagonal of T, 0 for dropped pivots

  /// Triangularises the transpose of L without its dropped columns.
  template <class Team>
  KALABA_FN void decompose_again(const Team& team) {
    team.template for_each<extent>([&](int k) KALABA_LAMBDA {
      count_up<M>(0, [&](int i) KALABA_LAMBDA {
        const X entry = i == k ? reflections.diagonal[k] : (i > k ? rows(i, k) : X(0));
        second_rows(k, i) = select(kept[k], entry, X(0));
      });
    });
    team.single([&]() KALABA_LAMBDA { decomposed_again = true; });
    count_up<extent>(0, [&](int k) KALABA_LAMBDA {
      second.reflect(team, second_rows, k, tail_square(second_rows, k, k));
      team.single([&]() KALABA_LAMBDA { inverse_second[k] = reciprocal_where(kept[k], second.diagonal[k]); });
    });
  }

  KALABA_FN void need_second() {
    if constexpr (!KALABA_FOR_GPU) {
      if (!decomposed_again) inlined_if<M <= 1>([&]() KALABA_LAMBDA { decompose_again(Solo{}); });
    }
  }

  /// y: least-squares solution of L_kept y = e.
  KALABA_FN void solve_kept(const Vec<X, M>& e, Vec<X, M>& y) const {
    y = e;
    second.reduce(second_rows, y.data);  // Z^T e
    count_down<extent>(0, [&](int k) KALABA_LAMBDA {
      count_up<extent>(k + 1, [&](int i) KALABA_LAMBDA { y[k] = fma(-second_rows(i, k), y[i], y[k]); });
      y[k] = y[k] * inverse_second[k];
    });
  }
  /// y := (L_kept+)^T y
  KALABA_FN void solve_kept_transposed(Vec<X, M>& y) const {
    count_up<extent>(0, [&](int k) KALABA_LAMBDA {  // T z = y, then Z
      count_up<extent>(0, [&](int i) KALABA_LAMBDA {
        if (i < k) y[k] = fma(-second_rows(k, i), y[i], y[k]);
      });
      y[k] = y[k] * inverse_second[k];
    });
    for (int k = extent; k < M; ++k) y[k] = X(0);
    second.restore(second_rows, y.data);
  }
  KALABA_FN X lower(int i, int k) const { return i == k ? reflections.diagonal[k] : rows(i, k); }
  /// e := D y
  KALABA_FN void apply_dropped(const Vec<X, M>& y, Vec<X, M>& e) const {
    for (int i = 0; i < M; ++i) {
      e[i] = X(0);
      for (int k = 0; k < extent && k <= i; ++k) e[i] = fma(lower(i, k), select(kept[k], X(0), y[k]), e[i]);
    }
  }
  /// dropped part of y := W^T (kept part of y)
  KALABA_FN void bend_dropped(Vec<X, M>& y) const {
    Vec<X, M> z = y;
    for (int k = 0; k < extent; ++k) z[k] = select(kept[k], y[k], X(0));
    solve_kept_transposed(z);
    for (int k = 0; k < extent; ++k) {
      X sum(0);
      for (int i = k; i < M; ++i) sum = fma(lower(i, k), z[i], sum);
      y[k] = select(kept[k], y[k], sum);
    }
  }

  /// Moves y from the subspace of the kept columns to that of the largest singular values.
  KALABA_FN void bend(const Vec<X, M>& e, Vec<X, M>& y) {
    need_second();
    Vec<X, M> bent = y;
    for (int pass = 0; pass < 2; ++pass) {
      bend_dropped(bent);
      Vec<X, M> rest = e;
      Vec<X, M> more;
      for (int i = 0; i < M; ++i) {
        for (int k = 0; k < extent && k <= i; ++k) rest[i] = fma(-lower(i, k), bent[k], rest[i]);
      }
      solve_kept(rest, more);
      Vec<X, M> along = rest;  // (L_kept^T L_kept)^-1 W D^T rest: the component along W that D W^T rest still has
      for (int k = 0; k < extent; ++k) {
        X sum(0);
        for (int i = k; i < M; ++i) sum = fma(lower(i, k), rest[i], sum);
        along[k] = sum;
      }
      Vec<X, M> turned;
      apply_dropped(along, turned);
      solve_kept(turned, along);
      for (int k = 0; k < extent; ++k) along[k] = select(kept[k], along[k], X(0));
      solve_kept_transposed(along);
      solve_kept(along, turned);
      for (int k = 0; k < extent; ++k) bent[k] = select(kept[k], bent[k] + more[k] + turned[k], X(0));
    }
    bend_dropped(bent);
    for (int k = 0; k < extent; ++k) y[k] = select(bending, bent[k], y[k]);
  }
  /// Like bend, for a projection of x = Q^T (a rate).
  KALABA_FN void project_bent(Vec<X, N>& x) {
    need_second();
    Vec<X, M> y;
    Vec<X, M> bent;
    Vec<X, M> more;
    for (int k = 0; k < M; ++k) y[k] = k < extent ? x[k < extent ? k : 0] : X(0);
    apply_dropped(y, bent);
    solve_kept(bent, more);  // W x_dropped
    for (int k = 0; k < extent; ++k) y[k] = select(kept[k], y[k] + more[k], X(0));
    bend_dropped(y);
    apply_dropped(y, bent);
    solve_kept(bent, more);  // W W^T of that
    for (int k = 0; k < extent; ++k) y[k] = select(kept[k], y[k] - more[k], X(0));
    bend_dropped(y);
    for (int i = 0; i < N; ++i) {
      const int k = i < extent ? i : 0;
      x[i] = i < extent ? select(bending, y[k], select(kept[k], x[i], X(0))) : X(0);
    }
  }

  /// Smallest singular value of L_kept, by Lanczos on (L_kept^T L_kept)^-1, whose largest eigenvalues are well
  /// separated.
  KALABA_FN X least_kept_value() {
    constexpr int lanczos_steps = extent < 8 ? extent : 8;
    need_second();
    Vec<X, M> x;
    Vec<X, M> before;
    for (int k = 0; k < M; ++k) {
      x[k] = k < extent ? select(kept[k < extent ? k : 0], X(1 + 0.25 * (k % 3)), X(0)) : X(0);
      before[k] = X(0);
    }
    SymmetricTridiagonal<X, lanczos_steps> small_matrix;
    X length = sqrt(dot(x, x));
    for (int step = 0; step < lanczos_steps; ++step) {
      const X inverse_length = reciprocal_where(X(0) < length, length);
      Vec<X, M> z;
      for (int k = 0; k < M; ++k) z[k] = x[k] = x[k] * inverse_length;
      solve_kept_transposed(z);
      Vec<X, M> next;
      solve_kept(z, next);
      for (int k = extent; k < M; ++k) next[k] = X(0);
      const X along = dot(x, next);
      small_matrix.diagonal[step] = along;
      if (step > 0) small_matrix.beside[step - 1] = length;
      for (int k = 0; k < M; ++k) {
        next[k] = fma(-along, x[k], step > 0 ? fma(-length, before[k], next[k]) : next[k]);
        before[k] = x[k];
        x[k] = next[k];
      }
      length = sqrt(dot(x, x));
    }
    return rsqrt(max_of(small_matrix.largest_eigenvalue(), X(1e-30)));
  }

  /// squared norm of row j from column k on
  template <int Rows, int Cols>
  KALABA_FN static X tail_square(const Mat<X, Rows, Cols>& rows, int j, int k) {
    X square(0);
    count_up<Cols>(k, [&](int i) KALABA_LAMBDA { square = fma(rows(j, i), rows(j, i), square); });
    return square;
  }
};

}  // namespace kalaba
