#pragma once

#include "kalaba/core/base/loops.hpp"
#include "kalaba/core/base/matrix.hpp"
#include "kalaba/core/base/real.hpp"
#include "kalaba/core/base/team.hpp"
#include "kalaba/core/model/pattern.hpp"

namespace kalaba {

// Operations on the rows of B that both pseudo-inverses use.

template <class X, int M, int N>
KALABA_FN X row_dot(const Mat<X, M, N>& b, int i, int j) {
  X sum = b(i, 0) * b(j, 0);
  KALABA_UNROLL
  for (int k = 1; k < N; ++k) sum = fma(b(i, k), b(j, k), sum);
  return sum;
}

template <class X, int M, int N, class Team>
KALABA_FN void squared_row_norms(const Team& team, const Mat<X, M, N>& b, Vec<X, M>& norms) {
  team.template for_each<M>([&](int i) KALABA_LAMBDA { norms[i] = row_dot(b, i, i); });
}

template <class X, int M>
KALABA_FN X sum_of(const Vec<X, M>& x) {
  X sum = x[0];
  KALABA_UNROLL
  for (int i = 1; i < M; ++i) sum = sum + x[i];
  return sum;
}

template <class X, int M>
KALABA_FN X largest_of(const Vec<X, M>& x) {
  X largest = x[0];
  KALABA_UNROLL
  for (int i = 1; i < M; ++i) largest = max_of(largest, x[i]);
  return largest;
}

/// Returns the lanes in which a sum of squares is too small or too large for the algorithms, or not finite.
template <class X>
KALABA_FN MaskOf<X> out_of_range(const X& squares) {
  using Range = Limits<Scalar<X>>;
  return !both(X(Range::small) < squares, squares < X(Range::large));
}

/// Scales B into range if squared norms would overflow or underflow, and recomputes them. Returns the scale (1 for
/// members in range, whose bits do not change): B+ = scale (scale B)+.
template <class X, int M, int N, class Team>
KALABA_FN X bring_into_range(const Team& team, Mat<X, M, N>& b, Vec<X, M>& norms) {
  using Range = Limits<Scalar<X>>;
  const MaskOf<X> outside = out_of_range(sum_of(norms));
  if (!team.any(outside)) return X(1);
  X largest(0);
  for (int i = 0; i < M * N; ++i) largest = max_of(largest, abs(b.data[i]));
  const X bounded = min_of(max_of(largest, X(1 / Range::reciprocal_range)), X(Range::reciprocal_range));
  const X scale = select(both(both(outside, X(0) < largest), is_finite(largest)), X(1) / bounded, X(1));
  team.template for_each<M>([&](int i) KALABA_LAMBDA {
    for (int k = 0; k < N; ++k) b(i, k) = b(i, k) * scale;
    norms[i] = select(outside, row_dot(b, i, i), norms[i]);
  });
  return scale;
}

/// Calls f(k, j) for the entries of row r: data[k] of its matrix is in column j.
template <class Pattern, class F>
KALABA_FN void for_entries(int r, const F& f) {
  if constexpr (Pattern::dense) {
    KALABA_UNROLL
    for (int j = 0; j < Pattern::cols; ++j) f(r * Pattern::cols + j, j);
  } else {
    count_between<Pattern::cols>(Pattern::begin(r), Pattern::begin(r + 1),
                                 [&](int k) KALABA_LAMBDA { f(k, Pattern::column(k)); });
  }
}

/// Calls f(i) for the rows i = first ... of a pattern, or from the last one down to `first`.
template <class Pattern, class F>
KALABA_FN void rows_up(int first, const F& f) {
  if constexpr (is_bounded<Pattern>()) {
    for (int i = first; i < row_count<Pattern>(); ++i) f(i);
  } else {
    count_up<Pattern::rows>(first, f);
  }
}
template <class Pattern, class F>
KALABA_FN void rows_down(int first, const F& f) {
  if constexpr (is_bounded<Pattern>()) {
    for (int i = row_count<Pattern>() - 1; i >= first; --i) f(i);
  } else {
    count_down<Pattern::rows>(first, f);
  }
}

/// Copies the entries of one row into a full row, with its zeros.
template <class Pattern, class X>
KALABA_FN void spread_row(const MatrixOf<X, Pattern>& matrix, int r, X* row) {
  if constexpr (!Pattern::dense) {
    KALABA_UNROLL
    for (int j = 0; j < Pattern::cols; ++j) row[j] = X(0);
  }
  for_entries<Pattern>(r, [&](int k, int j) KALABA_LAMBDA { row[j] = matrix.data[k]; });
}

}  // namespace kalaba
