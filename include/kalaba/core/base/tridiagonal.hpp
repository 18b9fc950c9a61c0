#pragma once

#include "kalaba/core/base/matrix.hpp"
#include "kalaba/core/base/real.hpp"

namespace kalaba {

/// A small symmetric tridiagonal matrix without negative eigenvalues.
template <class X, int N>
struct SymmetricTridiagonal {
  Vec<X, N> diagonal;
  Vec<X, N> beside;  ///< [k] between k and k + 1

  /// Largest eigenvalue by Newton's method on the characteristic polynomial, which descends to it from an upper bound
  /// of all eigenvalues. The polynomial is evaluated by the pivots of an elimination, which neither overflow nor cancel
  /// there.
  KALABA_FN X largest_eigenvalue() const {
    X value(0);
    for (int k = 0; k < N; ++k) {  // Gershgorin
      const X left = k > 0 ? abs(beside[k > 0 ? k - 1 : 0]) : X(0);
      const X right = k + 1 < N ? abs(beside[k]) : X(0);
      value = max_of(value, diagonal[k] + (left + right));
    }
    for (int pass = 0; pass < passes; ++pass) {
      X slope(0);  // of the polynomial, in units of its value
      X pivot(1);
      X pivot_slope(0);
      MaskOf<X> above = X(0) < value;
      for (int k = 0; k < N; ++k) {
        const X ratio = k > 0 ? beside[k > 0 ? k - 1 : 0] / pivot : X(0);
        pivot_slope = fma(ratio * ratio, pivot_slope, X(-1));
        pivot = diagonal[k] - value - (k > 0 ? ratio * beside[k > 0 ? k - 1 : 0] : X(0));
        above = both(above, pivot < X(0));
        pivot = select(above, pivot, X(-1));
        slope = slope + pivot_slope / pivot;
      }
      value = select(above, value - X(1) / slope, value);
    }
    return value;
  }

 private:
  static constexpr int passes = N < 12 ? 12 : 4 * N;  ///< a Newton step covers at least 1/N of the distance
};

}  // namespace kalaba
