#pragma once

#include "kalaba/core/base/matrix.hpp"
#include "kalaba/core/base/real.hpp"
#include "kalaba/core/base/team.hpp"

namespace kalaba {

// A factor F of the metric, G = F F^T (every factor is valid in the equation of motion: docs/mechanics.md). All kinds
// have the same functions: factorize, solve (F^-1 x), solve_transposed (F^-T x), multiply (F x) and multiply_transposed
// (F^T x).

template <class X, int N>
struct DiagonalFactor {
  Vec<X, N> root;          ///< sqrt(G_ii)
  Vec<X, N> inverse_root;  ///< 1/sqrt(G_ii)

  /// Returns the lanes in which G is positive definite.
  template <class Team>
  KALABA_FN MaskOf<X> factorize(const Team& team, const Diagonal<X, N>& metric) {
    team.template for_each<N>([&](int i) KALABA_LAMBDA {
      const X inverse = rsqrt(metric.entry[i]);
      inverse_root[i] = inverse;
      root[i] = metric.entry[i] * inverse;
    });
    MaskOf<X> positive = X(0) < X(1);
    KALABA_UNROLL
    for (int i = 0; i < N; ++i) positive = both(positive, X(0) < metric.entry[i]);
    return positive;
  }
  KALABA_FN X solve_entry(int i, const X& x) const { return x * inverse_root[i]; }  ///< of F^-1 x, for diagonal F
  KALABA_FN void solve(X* x) const { scale(x, inverse_root); }
  KALABA_FN void solve_transposed(X* x) const { scale(x, inverse_root); }
  KALABA_FN void multiply(X* x) const { scale(x, root); }
  KALABA_FN void multiply_transposed(X* x) const { scale(x, root); }

 private:
  KALABA_FN static void scale(X* x, const Vec<X, N>& by) {
    KALABA_UNROLL
    for (int i = 0; i < N; ++i) x[i] = x[i] * by[i];
  }
};

/// Factor of a metric that is given by its roots; G itself, which is rarely needed, requires divisions.
template <class X, int N>
struct RootedFactor {
  Vec<X, N> inverse_root;  ///< 1/sqrt(G_ii)

  template <class Team>
  KALABA_FN MaskOf<X> factorize(const Team& team, const RootedDiagonal<X, N>& metric) {
    team.template for_each<N>([&](int i) KALABA_LAMBDA { inverse_root[i] = metric.inverse_root[i]; });
    MaskOf<X> positive = X(0) < X(1);
    KALABA_UNROLL
    for (int i = 0; i < N; ++i) {  // the inverse of 0 is infinite
      positive = both(positive, both(X(0) < metric.inverse_root[i], is_finite(metric.inverse_root[i])));
    }
    return positive;
  }
  KALABA_FN X solve_entry(int i, const X& x) const { return x * inverse_root[i]; }
  KALABA_FN void solve(X* x) const {
    KALABA_UNROLL
    for (int i = 0; i < N; ++i) x[i] = x[i] * inverse_root[i];
  }
  KALABA_FN void solve_transposed(X* x) const { solve(x); }
  KALABA_FN void multiply(X* x) const {
    KALABA_UNROLL
    for (int i = 0; i < N; ++i) x[i] = x[i] / inverse_root[i];
  }
  KALABA_FN void multiply_transposed(X* x) const { multiply(x); }
};

template <class X, int N>
struct CholeskyFactor {
  Mat<X, N, N> lower;          ///< F, lower triangular; the diagonal is in `diagonal`
  Vec<X, N> diagonal;          ///< F_ii
  Vec<X, N> inverse_diagonal;  ///< 1/F_ii

  template <class Team>
  KALABA_FN MaskOf<X> factorize(const Team& team, const Symmetric<X, N>& metric) {
    MaskOf<X> positive = X(0) < X(1);
    KALABA_UNROLL
    for (int j = 0; j < N; ++j) {
      const X pivot = metric.entry(j, j) - row_product(j, j, j);
      positive = both(positive, X(N * Limits<Scalar<X>>::epsilon) * metric.entry(j, j) < pivot);
      const X inverse = rsqrt(pivot);
      team.single([&]() KALABA_LAMBDA {
        diagonal[j] = pivot * inverse;
        inverse_diagonal[j] = inverse;
      });
      team.template for_each<N>([&](int i) KALABA_LAMBDA {
        if (i > j) lower(i, j) = (metric.entry(i, j) - row_product(i, j, j)) * inverse;
      });
    }
    return positive;
  }
  KALABA_FN void solve(X* x) const {
    KALABA_UNROLL
    for (int i = 0; i < N; ++i) {
      X sum = x[i];
      for (int j = 0; j < i; ++j) sum = sum - lower(i, j) * x[j];
      x[i] = sum * inverse_diagonal[i];
    }
  }
  KALABA_FN void solve_transposed(X* x) const {
    KALABA_UNROLL
    for (int i = N - 1; i >= 0; --i) {
      X sum = x[i];
      for (int j = i + 1; j < N; ++j) sum = sum - lower(j, i) * x[j];
      x[i] = sum * inverse_diagonal[i];
    }
  }
  KALABA_FN void multiply(X* x) const {
    KALABA_UNROLL
    for (int i = N - 1; i >= 0; --i) {
      X sum = diagonal[i] * x[i];
      for (int j = 0; j < i; ++j) sum = sum + lower(i, j) * x[j];
      x[i] = sum;
    }
  }
  KALABA_FN void multiply_transposed(X* x) const {
    KALABA_UNROLL
    for (int i = 0; i < N; ++i) {
      X sum = diagonal[i] * x[i];
      for (int j = i + 1; j < N; ++j) sum = sum + lower(j, i) * x[j];
      x[i] = sum;
    }
  }

 private:
  /// Sum over k < count of F_ik F_jk.
  KALABA_FN X row_product(int i, int j, int count) const {
    X sum(0);
    KALABA_UNROLL
    for (int k = 0; k < N; ++k) {
      if (k < count) sum = sum + lower(i, k) * lower(j, k);
    }
    return sum;
  }
};

namespace detail {
template <class MetricType>
struct FactorOf;
template <class X, int N>
struct FactorOf<Diagonal<X, N>> {
  using type = DiagonalFactor<X, N>;
};
template <class X, int N>
struct FactorOf<RootedDiagonal<X, N>> {
  using type = RootedFactor<X, N>;
};
template <class X, int N>
struct FactorOf<Symmetric<X, N>> {
  using type = CholeskyFactor<X, N>;
};
}  // namespace detail

/// Factor type of a metric type.
template <class MetricType>
using FactorOf = typename detail::FactorOf<MetricType>::type;

}  // namespace kalaba
