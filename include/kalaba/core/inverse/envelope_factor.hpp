#pragma once

#include "kalaba/core/base/loops.hpp"
#include "kalaba/core/inverse/rows.hpp"
#include "kalaba/core/model/pattern.hpp"

namespace kalaba {

/// Factorization P S P^T = L D L^T of S = B B^T within the envelope of B's pattern. Vectors are in the order of
/// elimination.
///
/// The pivot of a row, relative to its squared length, is the squared sine of the angle between the row and the space
/// of the rows before it. A row whose relative pivot is at most `least_pivot` can be left out: 1/D is zero there, so
/// that the factor is that of the other rows, and solutions are zero for that row.
template <class X, class Pattern>
struct EnvelopeFactor {
  static constexpr int m = Pattern::rows;
  static constexpr int n = Pattern::cols;
  static constexpr int entries = Pattern::envelope;
  static constexpr Scalar<X> least_pivot = Limits<Scalar<X>>::epsilon > 1e-10 ? 4e-4 : 1e-8;
  using Rows = MatrixOf<X, Pattern>;

  Vec<X, entries> lower;    ///< L, row by row
  Vec<X, m> inverse_pivot;  ///< 1/D
  Vec<X, m> square;         ///< |b|^2 of each row b of B

  /// Computes L and D row by row: y_j = s_ij - sum_k<j L_jk y_k, L_ij = y_j / d_j, d_i = s_ii - sum L_ij y_j.
  KALABA_FN void eliminate(const Rows& rows, bool leaves_out) {
    const X limit = leaves_out ? X(least_pivot) : X(-1);
    eliminate_with(
        rows, [](const X& own) KALABA_LAMBDA { return own; },
        [&](const X& pivot, const X& own) KALABA_LAMBDA { return select(pivot <= limit * own, X(0), X(1) / pivot); });
  }
  /// Factorizes S with each diagonal entry s replaced by diagonal(s); no row is left out.
  template <class Diagonal>
  KALABA_FN void eliminate_shifted(const Rows& rows, const Diagonal& diagonal) {
    eliminate_with(rows, diagonal, [](const X& pivot, const X&) KALABA_LAMBDA { return X(1) / pivot; });
  }
  /// Returns the lanes in which row i is left out.
  KALABA_FN MaskOf<X> left_out(int i) const { return inverse_pivot[i] == X(0); }

  /// v := the combination of rows that is zero if row i, left out, depends on the rows before it: the coefficient of
  /// row i is 1.
  KALABA_FN void find_dependence(int i, Vec<X, m>& v) const {
    for (int j = 0; j < m; ++j) v[j] = X(j == i ? 1 : 0);
    solve_transposed(v);
  }

  /// Trace of S~^-1, without the rows left out. Computes Z = S^-1 from its last column to its first, within the
  /// envelope: Z_kj = -sum_l>j Z_kl L_lj,  Z_jj = 1/d_j - sum_k>j Z_kj L_kj.
  KALABA_FN X trace() const {
    Vec<X, entries> z;
    Vec<X, m> diagonal;
    X sum(0);
    rows_down<Pattern>(0, [&](int j) KALABA_LAMBDA {
      X own = inverse_pivot[j];
      const auto for_column = [&](const auto& f) KALABA_LAMBDA {
        count_between<m>(j + 1, Pattern::last(j) + 1, [&](int k) KALABA_LAMBDA {
          if (Pattern::first(k) <= j) f(k);
        });
      };
      for_column([&](int k) KALABA_LAMBDA {
        X entry(0);
        for_column([&](int l) KALABA_LAMBDA {
          const X& known = l == k ? diagonal[k] : z[l < k ? place(k, l) : place(l, k)];
          entry = fma(-lower[place(l, j)], known, entry);
        });
        z[place(k, j)] = entry;
        own = fma(-lower[place(k, j)], entry, own);
      });
      diagonal[j] = own;
      sum = fma(square[j], own, sum);
    });
    return sum;
  }

  /// v := S^-1 v; zero for the rows left out.
  KALABA_FN void solve_in_order(Vec<X, m>& v) const {
    rows_up<Pattern>(1, [&](int i) KALABA_LAMBDA {
      X sum = v[i];
      count_between<m>(Pattern::first(i), i, [&](int j) KALABA_LAMBDA { sum = fma(-lower[place(i, j)], v[j], sum); });
      v[i] = sum;
    });
    const int end = row_count<Pattern>();
    KALABA_UNROLL
    for (int i = 0; i < end; ++i) v[i] = v[i] * inverse_pivot[i];
    solve_transposed(v);
  }

  /// (B x)_r
  KALABA_FN static X row_times(const Rows& rows, int r, const Vec<X, n>& x) {
    X sum(0);
    for_entries<Pattern>(r, [&](int k, int j) KALABA_LAMBDA { sum = fma(rows.data[k], x[j], sum); });
    return sum;
  }

 private:
  template <class Diagonal, class Inverse>
  KALABA_FN void eliminate_with(const Rows& rows, const Diagonal& diagonal, const Inverse& inverse_of) {
    Vec<X, n> spread;  // a row of B, with its zeros
    for (int j = 0; j < n; ++j) spread[j] = X(0);
    rows_up<Pattern>(0, [&](int i) KALABA_LAMBDA {
      const int r = Pattern::order(i);
      X own(0);
      for_entries<Pattern>(r, [&](int k, int j) KALABA_LAMBDA {
        spread[j] = rows.data[k];
        own = fma(rows.data[k], rows.data[k], own);
      });
      count_between<m>(Pattern::first(i), i, [&](int j) KALABA_LAMBDA {
        X sum = row_times(rows, Pattern::order(j), spread);
        count_between<m>(later(Pattern::first(i), Pattern::first(j)), j,
                         [&](int k) KALABA_LAMBDA { sum = fma(-lower[place(j, k)], lower[place(i, k)], sum); });
        lower[place(i, j)] = sum;
      });
      X pivot = diagonal(own);
      count_between<m>(Pattern::first(i), i, [&](int j) KALABA_LAMBDA {
        const X y = lower[place(i, j)];
        const X entry = y * inverse_pivot[j];
        lower[place(i, j)] = entry;
        pivot = fma(-entry, y, pivot);
      });
      square[i] = own;
      inverse_pivot[i] = inverse_of(pivot, own);
      for_entries<Pattern>(r, [&](int, int j) KALABA_LAMBDA { spread[j] = X(0); });
    });
  }

  /// v := L^-T v
  KALABA_FN void solve_transposed(Vec<X, m>& v) const {
    rows_down<Pattern>(1, [&](int i) KALABA_LAMBDA {
      const X known = v[i];
      count_between<m>(Pattern::first(i), i,
                       [&](int j) KALABA_LAMBDA { v[j] = fma(-lower[place(i, j)], known, v[j]); });
    });
  }
  KALABA_FN static int place(int i, int j) { return Pattern::start(i) + j - Pattern::first(i); }
  KALABA_FN static int later(int a, int b) { return a < b ? b : a; }
};

}  // namespace kalaba
