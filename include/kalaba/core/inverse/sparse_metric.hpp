#pragma once

#include "kalaba/core/inverse/metric.hpp"
#include "kalaba/core/inverse/rows.hpp"

namespace kalaba {

/// Entries of a metric: the diagonal, and the entries of the upper triangle, row by row, that are in Pattern.
template <class X, class Pattern>
struct MetricEntries {
  Vec<X, Pattern::rows> diagonal;
  Vec<X, Pattern::count> upper;
};

/// Symmetric positive definite metric G with structural zeros, as that of a tree of bodies: rates of different branches
/// are not coupled (Featherstone 2008, section 6.5). Row i of Pattern has columns behind i only; if (i, j) and (j, k)
/// are entries, so is (i, k).
template <class X, class Pattern>
struct SparseSymmetric {
  MetricEntries<X, Pattern> entry;
};

/// G = F F^T with F upper triangular. Rows are eliminated from the last to the first, so that a factor of a tree, whose
/// rates stand behind those of the bodies that carry them, has no entries besides those of G.
template <class X, class Pattern>
struct SparseCholesky {
  static constexpr int n = Pattern::rows;

  Vec<X, Pattern::count> upper;  ///< F, row by row; the diagonal is in `diagonal`
  Vec<X, n> diagonal;            ///< F_ii
  Vec<X, n> inverse_diagonal;    ///< 1/F_ii

  KALABA_FN static constexpr bool is_diagonal() { return false; }

  /// Returns the lanes in which G is positive definite.
  template <class Team>
  KALABA_FN MaskOf<X> factorize(const Team& team, const SparseSymmetric<X, Pattern>& metric) {
    team.single([&]() KALABA_LAMBDA { eliminate(metric.entry); });
    MaskOf<X> positive = X(0) < X(1);
    KALABA_UNROLL
    for (int i = 0; i < n; ++i) {
      const X pivot = diagonal[i] * diagonal[i];
      positive = both(positive, X(n * Limits<Scalar<X>>::epsilon) * metric.entry.diagonal[i] < pivot);
    }
    return positive;
  }
  KALABA_FN void solve(X* x) const {
    rows_down<Pattern>(0, [&](int i) KALABA_LAMBDA {
      X sum = x[i];
      for_entries<Pattern>(i, [&](int k, int j) KALABA_LAMBDA { sum = fma(-upper[k], x[j], sum); });
      x[i] = sum * inverse_diagonal[i];
    });
  }
  /// Number j of F^-1 x; the numbers behind it are those of F^-1 x already.
  KALABA_FN X solved_entry(int j, const Vec<X, n>& x) const {
    X sum = x[j];
    for_entries<Pattern>(j, [&](int k, int column) KALABA_LAMBDA { sum = fma(-upper[k], x[column], sum); });
    return sum * inverse_diagonal[j];
  }
  KALABA_FN void solve_transposed(X* x) const {
    rows_up<Pattern>(0, [&](int i) KALABA_LAMBDA {
      const X known = x[i] * inverse_diagonal[i];
      x[i] = known;
      for_entries<Pattern>(i, [&](int k, int j) KALABA_LAMBDA { x[j] = fma(-upper[k], known, x[j]); });
    });
  }
  KALABA_FN void multiply(X* x) const {
    rows_up<Pattern>(0, [&](int i) KALABA_LAMBDA {
      X sum = diagonal[i] * x[i];
      for_entries<Pattern>(i, [&](int k, int j) KALABA_LAMBDA { sum = fma(upper[k], x[j], sum); });
      x[i] = sum;
    });
  }
  KALABA_FN void multiply_transposed(X* x) const {
    rows_down<Pattern>(0, [&](int i) KALABA_LAMBDA {
      const X own = x[i];
      for_entries<Pattern>(i, [&](int k, int j) KALABA_LAMBDA { x[j] = fma(upper[k], own, x[j]); });
      x[i] = own * diagonal[i];
    });
  }

 private:
  /// F_ij = (G_ij - sum_k>j F_ik F_jk) / F_jj for the entries of row i from its last to its first, F_ii^2 = G_ii - sum
  /// F_ij^2.
  KALABA_FN void eliminate(const MetricEntries<X, Pattern>& entry) {
    Vec<X, n> row;  // F_ik, by column
    rows_down<Pattern>(0, [&](int i) KALABA_LAMBDA {
      X pivot = entry.diagonal[i];
      const int begin = Pattern::begin(i);
      const int end = Pattern::begin(i + 1);
      count_between<n>(0, end - begin, [&](int from_end) KALABA_LAMBDA {
        const int k = end - 1 - from_end;
        const int j = Pattern::column(k);
        X sum = entry.upper[k];
        for_entries<Pattern>(j, [&](int l, int column) KALABA_LAMBDA { sum = fma(-row[column], upper[l], sum); });
        sum = sum * inverse_diagonal[j];
        row[j] = sum;
        upper[k] = sum;
        pivot = fma(-sum, sum, pivot);
      });
      const X inverse = rsqrt(pivot);
      diagonal[i] = pivot * inverse;
      inverse_diagonal[i] = inverse;
    });
  }
};

namespace detail {
template <class X, class Pattern>
struct FactorOf<SparseSymmetric<X, Pattern>> {
  using type = SparseCholesky<X, Pattern>;
};
}  // namespace detail

}  // namespace kalaba
