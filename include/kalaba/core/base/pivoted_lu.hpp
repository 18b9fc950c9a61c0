#pragma once

#include "kalaba/core/base/matrix.hpp"
#include "kalaba/core/base/real.hpp"

namespace kalaba {

/// Factorization P A = L U of a square matrix with partial pivoting, and the solution of equations by it; one worker.
/// The pivot of a column is its largest entry relative to the largest entry of the same row of A, so the choice does
/// not depend on the units of the rows. Each lane has its own pivots.
template <class X, int N>
struct PivotedLu {
  using Mask = MaskOf<X>;

  Mat<X, N, N> a;       ///< A; after `factorize`, L below and U above the diagonal
  Vec<X, N> pivot_row;  ///< row that was exchanged with each row
  Vec<X, N> inverse_pivot;

  /// Returns the lanes in which A is not singular to rounding.
  KALABA_FN Mask factorize() {
    Vec<X, N> weight;
    Mask regular = X(0) < X(1);
    for (int i = 0; i < N; ++i) {
      X largest(0);
      for (int j = 0; j < N; ++j) largest = max_of(largest, abs(a(i, j)));
      weight[i] = reciprocal_where(X(0) < largest, largest);
    }
    for (int k = 0; k < N; ++k) {
      exchange(k, weight);
      const X pivot = a(k, k);
      const Mask usable = X(N * Limits<Scalar<X>>::epsilon) < abs(pivot) * weight[k];
      regular = both(regular, usable);
      inverse_pivot[k] = reciprocal_where(usable, pivot);
      for (int i = k + 1; i < N; ++i) {
        if (!any(a(i, k) != X(0))) continue;
        const X factor = a(i, k) * inverse_pivot[k];
        a(i, k) = factor;
        for (int j = k + 1; j < N; ++j) a(i, j) = fma(-factor, a(k, j), a(i, j));
      }
    }
    return regular;
  }

  /// x := A^-1 x, after `factorize`.
  KALABA_FN void solve(Vec<X, N>& x) const {
    for (int k = 0; k < N; ++k) {
      for (int i = k + 1; i < N; ++i) {
        const Mask exchanged = pivot_row[k] == X(i);
        if (any(exchanged)) exchange_where(exchanged, x[k], x[i]);
      }
    }
    for (int i = 1; i < N; ++i) {
      X sum = x[i];
      for (int j = 0; j < i; ++j) sum = fma(-a(i, j), x[j], sum);
      x[i] = sum;
    }
    for (int i = N - 1; i >= 0; --i) {
      X sum = x[i];
      for (int j = i + 1; j < N; ++j) sum = fma(-a(i, j), x[j], sum);
      x[i] = sum * inverse_pivot[i];
    }
  }

 private:
  /// Exchanges row k with the row of its pivot.
  KALABA_FN void exchange(int k, Vec<X, N>& weight) {
    X best = abs(a(k, k)) * weight[k];
    X row(k);
    for (int i = k + 1; i < N; ++i) {
      const X size = abs(a(i, k)) * weight[i];
      const Mask larger = best < size;
      best = select(larger, size, best);
      row = select(larger, X(i), row);
    }
    pivot_row[k] = row;
    for (int i = k + 1; i < N; ++i) {
      const Mask exchanged = row == X(i);
      if (!any(exchanged)) continue;
      for (int j = 0; j < N; ++j) exchange_where(exchanged, a(k, j), a(i, j));
      exchange_where(exchanged, weight[k], weight[i]);
    }
  }
  KALABA_FN static void exchange_where(const Mask& where, X& one, X& other) {
    const X kept = one;
    one = select(where, other, one);
    other = select(where, kept, other);
  }
};

}  // namespace kalaba
