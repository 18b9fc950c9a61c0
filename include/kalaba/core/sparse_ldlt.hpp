#pragma once

#include "kalaba/core/jacobi_svd.hpp"
#include "kalaba/core/loops.hpp"
#include "kalaba/core/pattern.hpp"
#include "kalaba/core/unit_rows.hpp"

namespace kalaba {

/// The direct method: S = B B^T is formed and factorized, P S P^T = L D L^T, within the envelope of a pattern that is
/// known when this is compiled, and B+ e = B^T S^-1 e. Where the pattern is that of a chain, the cost of all that is
/// linear in the number of rows.
///
/// It serves a member whose rows are clearly independent. With S~ the product of the rows brought to unit length, the
/// trace of S~^-1 is found with the factor (the entries of the inverse in the envelope: Takahashi, Fagan, Chin 1973),
/// and the least singular value of those rows lies between 1 / sqrt(trace) and sqrt(M / trace), the largest below
/// sqrt(Pattern::coupled). Where that bound is not above `least_served` and above what the rank rule might drop, the
/// member is solved by the Fallback, an SVD, alone: its neighbours see nothing of it. As S squares the condition of B,
/// solutions are refined once where the bound is below `refined_below`.
template <class X, class Pattern, class Fallback>
struct DirectInverse {
  static constexpr int m = Pattern::rows;
  static constexpr int n = Pattern::cols;
  static constexpr int entries = Pattern::envelope;
  static constexpr Scalar<X> least_served = Limits<Scalar<X>>::epsilon > 1e-10 ? 2e-2 : 1e-4;
  static constexpr Scalar<X> refined_below = Limits<Scalar<X>>::epsilon > 1e-10 ? 3e-1 : 2e-2;

  MatrixOf<X, Pattern> rows;  ///< B; stays as it is
  Vec<X, entries> lower;      ///< L, its rows one after another
  Vec<X, m> inverse_pivot;    ///< 1/D
  Vec<X, m> square;           ///< |b|^2 of the rows in the order of elimination
  X bound;                    ///< 1 / sqrt(trace S~^-1)
  MaskOf<X> served;           ///< where all of this holds; else the fallback does
  bool serves_all;
  MaskOf<X> weak;  ///< where solutions are refined
  bool refines;    ///< somewhere
  Fallback fallback;

  template <class Team>
  KALABA_FN MaskOf<X> factorize(const Team& team, const RankRule<X>& rule, bool /*warm*/) {
    team.single([&]() KALABA_LAMBDA {
      noinline_call([&]() KALABA_LAMBDA {
        eliminate();
        judge(rule);
      });
    });
    const bool all_here = !team.any(!served);
    const bool some_weak = team.any(both(served, weak));
    team.single([&]() KALABA_LAMBDA {
      serves_all = all_here;
      refines = some_weak;
    });
    if (all_here) return X(0) < X(1);
    return either(served, fall_back(team, rule));
  }

  template <class Team>
  KALABA_FN void min_norm(const Team& team, const Vec<X, m>& e, Vec<X, n>& x) {
    if constexpr (Team::size == 1) {
      solve(e, x);
    } else {
      Vec<X, n> mine;
      solve(e, mine);
      team.template for_each<n>([&](int i) KALABA_LAMBDA { x[i] = mine[i]; });
    }
    if (serves_all) return;
    fallback.min_norm(team, e, fallback_rate);
    team.template for_each<n>([&](int i) KALABA_LAMBDA { x[i] = select(served, x[i], fallback_rate[i]); });
  }

  /// x := B+ B x
  template <class Team>
  KALABA_FN void project(const Team& team, Vec<X, n>& x) {
    Vec<X, m> along;
    Vec<X, n> mine;
    for (int r = 0; r < m; ++r) along[r] = row_times(r, x);
    solve(along, mine);
    if (!serves_all) {
      team.template for_each<n>([&](int i) KALABA_LAMBDA { fallback_rate[i] = x[i]; });
      fallback.project(team, fallback_rate);
    }
    team.template for_each<n>(
        [&](int i) KALABA_LAMBDA { x[i] = serves_all ? mine[i] : select(served, mine[i], fallback_rate[i]); });
  }

  /// lambda = (B B^T)+ e
  template <class Team>
  KALABA_FN void multipliers(const Team& team, const Vec<X, m>& e, Vec<X, m>& lambda) {
    Vec<X, m> mine;
    solve_once(e, mine);
    if (refines) {
      Vec<X, n> x;
      Vec<X, m> more;
      combine(mine, x);
      solve_rest(e, x, more);
      for (int r = 0; r < m; ++r) mine[r] = select(weak, mine[r] + more[r], mine[r]);
    }
    if (!serves_all) fallback.multipliers(team, e, lambda);
    team.template for_each<m>(
        [&](int r) KALABA_LAMBDA { lambda[r] = serves_all ? mine[r] : select(served, mine[r], lambda[r]); });
  }

  /// Whether no right-hand side leaves a residual.
  KALABA_FN bool reaches_all() const { return serves_all; }
  KALABA_FN X squared_residual(const Vec<X, m>& e) {
    return serves_all ? X(0) : select(served, X(0), fallback.squared_residual(e));
  }
  /// The weight of a row in that.
  KALABA_FN X row_weight(int r) const { return fallback.row_weight(r); }

  KALABA_FN void left_null_vector(int k, Vec<X, m>& v) {
    for (int r = 0; r < m; ++r) v[r] = X(0);
    if (serves_all) return;
    Vec<X, m> other;
    fallback.left_null_vector(k, other);
    for (int r = 0; r < m; ++r) v[r] = select(served, v[r], other[r]);
  }

  KALABA_FN X rank() const { return serves_all ? X(m) : select(served, X(m), fallback.rank()); }

  /// The smallest singular value of rows of unit length, by inverse iteration.
  KALABA_FN X smallest_kept() {
    Vec<X, m> v;
    for (int i = 0; i < m; ++i) v[i] = X(1 + 0.37 * i);  // like no eigenvector
    X after(1);
    for (int pass = 0; pass < (m > 1 ? 64 : 1); ++pass) {
      const X size = rsqrt(dot(v, v));
      for (int i = 0; i < m; ++i) v[i] = v[i] * size * sqrt(square[i]);
      solve_in_order(v);
      for (int i = 0; i < m; ++i) v[i] = v[i] * sqrt(square[i]);
      after = dot(v, v);
    }
    const X value = rsqrt(sqrt(after));
    return serves_all ? value : select(served, value, fallback.smallest_kept());
  }
  KALABA_FN X largest_dropped() const { return serves_all ? X(0) : select(served, X(0), fallback.largest_dropped()); }

  /// A bound from below on that value, which it nears where it is small.
  KALABA_FN X least_value(double limit) const {
    return serves_all ? bound : select(served, bound, fallback.least_value(limit));
  }

 private:
  Vec<X, n> fallback_rate;  ///< workspace

  KALABA_FN static int place(int i, int j) { return Pattern::start(i) + j - Pattern::first(i); }
  KALABA_FN static int later(int a, int b) { return a < b ? b : a; }

  KALABA_FN X row_times(int r, const Vec<X, n>& x) const {
    X sum(0);
    for_entries<Pattern>(r, [&](int k, int j) KALABA_LAMBDA { sum = fma(rows.data[k], x[j], sum); });
    return sum;
  }

  /// L and D row by row: y_j = s_ij - sum_k<j L_jk y_k, L_ij = y_j / d_j, d_i = s_ii - sum L_ij y_j.
  KALABA_FN void eliminate() {
    Vec<X, n> spread;  // a row of B as a whole row
    for (int j = 0; j < n; ++j) spread[j] = X(0);
    count_up<m>(0, [&](int i) KALABA_LAMBDA {
      const int r = Pattern::order(i);
      X own(0);
      for_entries<Pattern>(r, [&](int k, int j) KALABA_LAMBDA {
        spread[j] = rows.data[k];
        own = fma(rows.data[k], rows.data[k], own);
      });
      count_between<m>(Pattern::first(i), i, [&](int j) KALABA_LAMBDA {
        X sum = row_times(Pattern::order(j), spread);
        count_between<m>(later(Pattern::first(i), Pattern::first(j)), j,
                         [&](int k) KALABA_LAMBDA { sum = fma(-lower[place(j, k)], lower[place(i, k)], sum); });
        lower[place(i, j)] = sum;
      });
      X pivot = own;
      count_between<m>(Pattern::first(i), i, [&](int j) KALABA_LAMBDA {
        const X y = lower[place(i, j)];
        const X entry = y * inverse_pivot[j];
        lower[place(i, j)] = entry;
        pivot = fma(-entry, y, pivot);
      });
      square[i] = own;
      inverse_pivot[i] = X(1) / pivot;
      for_entries<Pattern>(r, [&](int, int j) KALABA_LAMBDA { spread[j] = X(0); });
    });
  }

  /// Says where the factor is to be trusted.
  KALABA_FN void judge(const RankRule<X>& rule) {
    using Range = Limits<Scalar<X>>;
    X least = square[0];
    X largest = square[0];
    X least_pivot = inverse_pivot[0];
    KALABA_UNROLL
    for (int i = 1; i < m; ++i) {
      least = min_of(least, square[i]);
      largest = max_of(largest, square[i]);
      least_pivot = min_of(least_pivot, inverse_pivot[i]);
    }
    const X squared_bound = X(1) / trace();
    const X tolerance = max_of(rule.tolerance, rule.held);
    const X limit = max_of(X(least_served * least_served), X(4 * Pattern::coupled) * tolerance * tolerance);
    const MaskOf<X> in_range = both(X(Range::small) < least, largest < X(Range::large));
    const MaskOf<X> independent = both(both(X(0) < least_pivot, limit < squared_bound), !(rule.most < X(m)));
    served = both(in_range, independent);
    weak = squared_bound < X(refined_below * refined_below);
    bound = sqrt(squared_bound);
  }

  /// Of S~^-1, by Z = S^-1 from its last column to its first, within the envelope:
  /// Z_kj = -sum_l>j Z_kl L_lj,  Z_jj = 1/d_j - sum_k>j Z_kj L_kj.
  KALABA_FN X trace() const {
    Vec<X, entries> z;
    Vec<X, m> diagonal;
    X sum(0);
    count_down<m>(0, [&](int j) KALABA_LAMBDA {
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

  template <class Team>
  KALABA_NOINLINE MaskOf<X> fall_back(const Team& team, const RankRule<X>& rule) {
    team.template for_each<m>([&](int r) KALABA_LAMBDA { spread_row<Pattern>(rows, r, &fallback.rows(r, 0)); });
    return fallback.factorize(team, rule, false);
  }

  /// v := S^-1 v, both in the order of elimination
  KALABA_FN void solve_in_order(Vec<X, m>& v) const {
    count_up<m>(1, [&](int i) KALABA_LAMBDA {
      X sum = v[i];
      count_between<m>(Pattern::first(i), i, [&](int j) KALABA_LAMBDA { sum = fma(-lower[place(i, j)], v[j], sum); });
      v[i] = sum;
    });
    KALABA_UNROLL
    for (int i = 0; i < m; ++i) v[i] = v[i] * inverse_pivot[i];
    count_down<m>(1, [&](int i) KALABA_LAMBDA {
      const X known = v[i];
      count_between<m>(Pattern::first(i), i,
                       [&](int j) KALABA_LAMBDA { v[j] = fma(-lower[place(i, j)], known, v[j]); });
    });
  }

  /// x = B^T S^-1 e, refined where it is weak: x itself, as its rounding is less than that of a large S^-1 e.
  KALABA_FN void solve(const Vec<X, m>& e, Vec<X, n>& x) const {
    Vec<X, m> lambda;
    solve_once(e, lambda);
    combine(lambda, x);
    if (!refines) return;
    noinline_call([&]() KALABA_LAMBDA {
      Vec<X, m> rest;
      Vec<X, n> more;
      solve_rest(e, x, rest);
      combine(rest, more);
      for (int i = 0; i < n; ++i) x[i] = select(weak, x[i] + more[i], x[i]);
    });
  }
  /// more = S^-1 (e - B x)
  KALABA_FN void solve_rest(const Vec<X, m>& e, const Vec<X, n>& x, Vec<X, m>& more) const {
    Vec<X, m> rest;
    for (int r = 0; r < m; ++r) rest[r] = e[r] - row_times(r, x);
    solve_once(rest, more);
  }
  /// lambda = S^-1 e
  KALABA_FN void solve_once(const Vec<X, m>& e, Vec<X, m>& lambda) const {
    Vec<X, m> v;
    KALABA_UNROLL
    for (int i = 0; i < m; ++i) v[i] = e[Pattern::order(i)];
    solve_in_order(v);
    KALABA_UNROLL
    for (int i = 0; i < m; ++i) lambda[Pattern::order(i)] = v[i];
  }

  /// x = B^T lambda
  KALABA_FN void combine(const Vec<X, m>& lambda, Vec<X, n>& x) const {
    KALABA_UNROLL
    for (int j = 0; j < n; ++j) x[j] = X(0);
    count_up<m>(0, [&](int r) KALABA_LAMBDA {
      const X by = lambda[r];
      for_entries<Pattern>(r, [&](int k, int j) KALABA_LAMBDA { x[j] = fma(rows.data[k], by, x[j]); });
    });
  }
};

/// The direct method for rows of which nothing is known to be zero.
template <class X, int M, int N>
struct SparseLdlt : DirectInverse<X, DensePattern<M, N>, JacobiSvd<X, M, N>> {};

namespace detail {
template <class X, class Pattern, template <class, int, int> class InverseOf>
struct InverseOfRows {
  using type = UnitRows<X, Pattern::rows, Pattern::cols, InverseOf>;
};
template <class X, class Pattern>
struct InverseOfRows<X, Pattern, SparseLdlt> {
  using type = DirectInverse<X, Pattern, UnitRows<X, Pattern::rows, Pattern::cols, JacobiSvd>>;
};
}  // namespace detail

/// The pseudo-inverse of rows with a pattern, whatever their units.
template <class X, class Pattern, template <class, int, int> class InverseOf>
using InverseOfRows = typename detail::InverseOfRows<X, Pattern, InverseOf>::type;

}  // namespace kalaba
