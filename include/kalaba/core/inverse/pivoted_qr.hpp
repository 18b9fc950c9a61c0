#pragma once

#include "kalaba/core/inverse/dropped_pivots.hpp"
#include "kalaba/core/inverse/rank_rule.hpp"
#include "kalaba/core/inverse/rows.hpp"

namespace kalaba {

/// B+ by a complete orthogonal decomposition: Householder QR of B^T with row pivoting of B (P B = L Q^T), rank from the
/// pivots, and, if the rank is below M, a second triangularisation of the kept columns of L. Members of full rank use
/// the triangular solve only, and so do other members for right-hand sides in the range of B; the second one is
/// computed for right-hand sides outside it.
///
/// The rank is decided on the pivots, which follow the singular values within a modest factor. The remaining columns of
/// dropped pivots are not ignored (DroppedPivots): the result is that of the truncated SVD, also if a redundant row is
/// only nearly redundant.
template <class X, int M, int N>
struct PivotedQr : DroppedPivots<X, M, N> {
  using Triangle = DroppedPivots<X, M, N>;
  using Triangle::extent;
  using Triangle::kept;
  using Triangle::reflections;
  using Triangle::rows;

  Vec<X, M> norms;                  ///< workspace
  Vec<MaskOf<X>, M * M> swapped;    ///< [k M + j]: rows k and j were exchanged in the search for the k-th pivot
  Vec<X, extent> inverse_diagonal;  ///< 1 / diagonal of L, 0 for dropped pivots
  MaskOf<X> full;                   ///< rank M
  bool any_deficient;               ///< some member is not of full rank
  bool bends;                       ///< `bending` holds in some lane
  X scale;                          ///< rows are B times this factor

  /// Factorizes `rows`. Always converges.
  template <class Team>
  KALABA_FN MaskOf<X> factorize(const Team& team, const RankRule<X>& rule, bool /*warm*/) {
    squared_row_norms(team, rows, norms);
    return factorize_normed(team, rule);
  }
  /// Like factorize, if `norms` already holds the squared lengths of the rows.
  template <class Team>
  KALABA_FN MaskOf<X> factorize_normed(const Team& team, const RankRule<X>& rule) {
    return inlined_if<M <= 1>([&]() KALABA_LAMBDA { return decompose(team, rule); });
  }

  template <class Team>
  KALABA_FN void min_norm(const Team& team, const Vec<X, M>& e, Vec<X, N>& x) {
    Vec<X, M> y;
    coordinates(e, y);
    Vec<X, N> full_x;
    KALABA_UNROLL
    for (int i = 0; i < N; ++i) full_x[i] = i < extent ? y[i < extent ? i : 0] * scale : X(0);
    reflections.restore(rows, full_x.data);
    team.template for_each<N>([&](int i) KALABA_LAMBDA { x[i] = full_x[i]; });
  }

  template <class Team>
  KALABA_FN void project(const Team& team, Vec<X, N>& x) {
    Vec<X, N> part = x;
    reflections.reduce(rows, part.data);
    if (bends) {
      inlined_if<M <= 1>([&]() KALABA_LAMBDA { this->project_bent(part); });
    } else {
      KALABA_UNROLL
      for (int i = 0; i < N; ++i) part[i] = i < extent ? select(kept[i < extent ? i : 0], part[i], X(0)) : X(0);
    }
    reflections.restore(rows, part.data);
    team.template for_each<N>([&](int i) KALABA_LAMBDA { x[i] = part[i]; });
  }

  template <class Team>
  KALABA_FN void multipliers(const Team& team, const Vec<X, M>& e, Vec<X, M>& lambda) {
    Vec<X, M> y;
    coordinates(e, y);
    Vec<X, M> direct = y;
    count_down<extent>(0, [&](int k) KALABA_LAMBDA {  // L^T direct = y
      count_up<extent>(k + 1, [&](int i) KALABA_LAMBDA { direct[k] = fma(-rows(i, k), direct[i], direct[k]); });
      direct[k] = direct[k] * inverse_diagonal[k];
    });
    if (any_deficient) {
      this->need_second();
      Vec<X, M> least = y;
      if (bends) {
        Vec<X, M> bent;
        this->apply_dropped(y, bent);
        this->solve_kept(bent, least);
        count_up<extent>(0, [&](int k) KALABA_LAMBDA {
          least[k] = select(this->bending, select(kept[k], y[k] + least[k], X(0)), y[k]);
        });
      }
      this->solve_kept_transposed(least);
      count_up<M>(0, [&](int k) KALABA_LAMBDA { direct[k] = select(full, direct[k], least[k]); });
    }
    unpermute(direct);
    team.template for_each<M>([&](int i) KALABA_LAMBDA { lambda[i] = direct[i] * scale * scale; });
  }

  KALABA_FN X squared_residual(const Vec<X, M>& e) {
    if (!any_deficient) return X(0);
    Vec<X, M> y;
    coordinates(e, y);
    Vec<X, M> rest = e;
    permute(rest);
    X sum(0);
    count_up<M>(0, [&](int k) KALABA_LAMBDA {  // e - L y
      count_up<extent>(0, [&](int i) KALABA_LAMBDA {
        if (i < k) rest[k] = fma(-rows(k, i), y[i], rest[k]);
        if (i == k) rest[k] = fma(-reflections.diagonal[k], y[k], rest[k]);
      });
      sum = fma(rest[k], rest[k], sum);
    });
    return select(full, X(0), sum);
  }

  /// Left singular vector k of B if it is dropped, else 0: the columns of Z after those of T.
  KALABA_FN void left_null_vector(int k, Vec<X, M>& v) {
    this->need_second();
    for (int i = 0; i < M; ++i) v[i] = X(i == k ? 1 : 0);
    this->second.restore(this->second_rows, v.data);
    unpermute(v);
    const MaskOf<X> dropped = k < extent ? !kept[k < extent ? k : 0] : X(0) < X(1);
    for (int i = 0; i < M; ++i) v[i] = select(dropped, v[i], X(0));
  }

  /// Smallest kept and largest dropped pivot; 0 if there is none.
  KALABA_FN X smallest_kept() const {
    const X inverse = largest_inverse();
    return reciprocal_where(X(0) < inverse, inverse) / scale;
  }
  KALABA_FN X largest_dropped() const {
    X largest(0);
    count_up<extent>(0, [&](int k) KALABA_LAMBDA {
      largest = max_of(largest, select(kept[k], X(0), abs(reflections.diagonal[k])));
    });
    return largest / scale;
  }

  /// Smallest kept singular value if a pivot is below `limit`, else `limit`: pivots themselves are discontinuous when
  /// rows are exchanged.
  KALABA_FN X least_value(double limit) {
    const MaskOf<X> small = X(1) < largest_inverse() * (scale * X(limit));
    if (!any(small)) return X(limit);
    return select(small, this->least_kept_value() / scale, X(limit));
  }

  KALABA_FN X rank() const {
    X count(0);
    count_up<extent>(0, [&](int k) KALABA_LAMBDA { count = count + select(kept[k], X(1), X(0)); });
    return count;
  }

 private:
  static constexpr Scalar<X> consistent = 100 * Limits<Scalar<X>>::epsilon;
  static constexpr Scalar<X> tie = 1024 * Limits<Scalar<X>>::epsilon;  ///< rows of equal length keep their order
  static constexpr Scalar<X> negligible = 4 * Limits<Scalar<X>>::epsilon;
  static constexpr double gap = 0.1;  ///< largest ratio of a dropped pivot to the kept ones for which bending converges

  /// of the kept pivots
  KALABA_FN X largest_inverse() const {
    X largest(0);
    count_up<extent>(0, [&](int k) KALABA_LAMBDA { largest = max_of(largest, abs(inverse_diagonal[k])); });
    return largest;
  }

  template <class Team>
  KALABA_FN MaskOf<X> decompose(const Team& team, const RankRule<X>& rule) {
    const X range = bring_into_range(team, rows, norms);
    team.single([&]() KALABA_LAMBDA { scale = range; });
    count_up<extent>(0, [&](int k) KALABA_LAMBDA {
      pivot(team, k);
      reflections.reflect(team, rows, k, X(norms[k]));
    });
    team.single([&]() KALABA_LAMBDA {
      const X rank = rank_by(team, rule);
      count_up<extent>(0, [&](int k) KALABA_LAMBDA {
        kept[k] = X(k) < rank;  // the pivots descend
        inverse_diagonal[k] = reciprocal_where(kept[k], reflections.diagonal[k]);
      });
      full = extent == M ? kept[extent - 1] : X(1) < X(0);
    });
    const bool deficient = team.any(!full);
    const X dropped = largest_dropped();
    const MaskOf<X> above_rounding = X(negligible) * abs(reflections.diagonal[0]) < dropped * scale;
    const MaskOf<X> left = both(!full, both(above_rounding, dropped < X(gap) * smallest_kept()));
    const bool some_left = deficient && team.any(left);
    team.single([&]() KALABA_LAMBDA {
      any_deficient = deficient;
      this->bending = left;
      bends = some_left;
      this->decomposed_again = false;
    });
    if constexpr (Team::size > 1 || KALABA_FOR_GPU) {  // the workers of a team call the solvers one by one
      if (deficient) this->decompose_again(team);
    }
    return X(0) < X(1);
  }

  /// Computes the exact rank only if some lane may be rank deficient.
  template <class Team>
  KALABA_FN X rank_by(const Team& /*team*/, const RankRule<X>& rule) const {
    const X first = abs(reflections.diagonal[0]);
    const MaskOf<X> clear = both(rule.tolerance * first < abs(reflections.diagonal[extent - 1]), X(0) < first);
    if (all(both(clear, !(rule.most < X(extent))))) return X(extent);
    Vec<X, extent> pivots;
    count_up<extent>(0, [&](int k) KALABA_LAMBDA { pivots[k] = abs(reflections.diagonal[k]); });
    return rule.template rank_of<false>(pivots, first);
  }

  /// Moves the largest remaining row (by its norm after the earlier reflections) to position k.
  template <class Team>
  KALABA_FN void pivot(const Team& team, int k) {
    if (k > 0) {
      team.template for_each<M>([&](int j) KALABA_LAMBDA { norms[j] = this->tail_square(rows, j, k); });
    }
    count_up<M>(k + 1, [&](int j) KALABA_LAMBDA {
      const MaskOf<X> larger = X(1 + tie) * norms[k] < norms[j];
      const X a = norms[k];
      const X b = norms[j];
      team.single([&]() KALABA_LAMBDA {
        swapped[k * M + j] = larger;
        norms[k] = select(larger, b, a);
        norms[j] = select(larger, a, b);
      });
      team.template for_each<N>([&](int i) KALABA_LAMBDA { exchange(larger, rows(k, i), rows(j, i)); });
    });
  }

  /// y: least-squares solution of L_kept y = P e, 0 for dropped columns.
  KALABA_FN void coordinates(const Vec<X, M>& e, Vec<X, M>& y) {
    Vec<X, M> permuted = e;
    permute(permuted);
    X size(0);
    X missed(0);
    count_up<M>(0, [&](int k) KALABA_LAMBDA {
      X left = permuted[k];
      count_up<extent>(0, [&](int i) KALABA_LAMBDA {
        if (i < k) left = fma(-rows(k, i), y[i], left);
      });
      y[k] = k < extent ? left * inverse_diagonal[k < extent ? k : 0] : X(0);
      size = fma(permuted[k], permuted[k], size);
      missed = fma(left, k < extent ? select(kept[k < extent ? k : 0], X(0), left) : left, missed);
    });
    if (!any_deficient) return;
    // Residuals below the rounding of e are consistent.
    const MaskOf<X> inconsistent = both(!full, !(missed <= X(consistent * consistent) * size));
    if (any(inconsistent)) {
      this->need_second();
      Vec<X, M> least;
      this->solve_kept(permuted, least);
      count_up<extent>(0, [&](int k) KALABA_LAMBDA { y[k] = select(inconsistent, least[k], y[k]); });
    }
    if (bends) inlined_if<M <= 1>([&]() KALABA_LAMBDA { this->bend(permuted, y); });
  }

  template <class Mask>
  KALABA_FN static void exchange(const Mask& mask, X& a, X& b) {
    const X old = a;
    a = select(mask, b, old);
    b = select(mask, old, b);
  }
  KALABA_FN void permute(Vec<X, M>& e) const {
    count_up<extent>(0, [&](int k) KALABA_LAMBDA {
      count_up<M>(k + 1, [&](int j) KALABA_LAMBDA { exchange(swapped[k * M + j], e[k], e[j]); });
    });
  }
  KALABA_FN void unpermute(Vec<X, M>& e) const {
    count_down<extent>(0, [&](int k) KALABA_LAMBDA {
      count_down<M>(k + 1, [&](int j) KALABA_LAMBDA { exchange(swapped[k * M + j], e[k], e[j]); });
    });
  }
};

}  // namespace kalaba
