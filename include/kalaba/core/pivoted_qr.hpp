#pragma once

#include "kalaba/core/rank_rule.hpp"
#include "kalaba/core/reflections.hpp"
#include "kalaba/core/rows.hpp"
#include "kalaba/core/tridiagonal.hpp"

namespace kalaba {

/// B+ by a complete orthogonal decomposition: Householder QR of B^T with row pivoting of B (P B = L Q^T), rank from the
/// pivots, and where the rank is below M a second triangularisation of the kept columns of L. Members of full rank use
/// the triangular solve alone, and so do others for right-hand sides that B can reach: the second one is made for those
/// that it cannot.
///
/// The rank is decided on the pivots, which follow the singular values within a modest factor. What a dropped pivot
/// leaves in its columns D of L is not thrown away: the r largest singular values of L belong to the right subspace
/// [I; W^T] with W = L_kept+ D, but for the cube of |D| over the least value that is kept. So the answer is the one of
/// the truncated SVD, also where a redundant row is redundant only nearly. Where the pivots have no gap there, neither
/// do the singular values, and what is cut off is left out.
template <class X, int M, int N>
struct PivotedQr {
  static constexpr int extent = M < N ? M : N;  ///< the largest possible rank

  Mat<X, M, N> rows;                 ///< in: B; after: L and the reflections of Q
  Reflections<X, M, N> reflections;  ///< Q
  Mat<X, extent, M> second_rows;     ///< the kept columns of L, as rows; after: T and the reflections of Z
  Reflections<X, extent, M> second;  ///< Z, L_kept = Z T^T
  Vec<X, M> norms;                   ///< workspace
  Vec<MaskOf<X>, M * M> swapped;     ///< [k M + j]: rows k and j were exchanged when looking for the k-th pivot
  Vec<MaskOf<X>, extent> kept;       ///< pivots above the threshold
  Vec<X, extent> inverse_diagonal;   ///< of L, 0 for dropped pivots
  Vec<X, extent> inverse_second;     ///< of T, likewise
  MaskOf<X> full;                    ///< rank M
  bool any_deficient;                ///< some member is not of full rank
  MaskOf<X> bending;                 ///< where a dropped pivot is above rounding, and far below the kept ones
  bool bends;                        ///< somewhere
  bool decomposed_again;             ///< `second` is there
  X scale;                           ///< rows are B times this

  /// Factorizes `rows`. Always converges.
  template <class Team>
  KALABA_FN MaskOf<X> factorize(const Team& team, const RankRule<X>& rule, bool /*warm*/) {
    squared_row_norms(team, rows, norms);
    return factorize_normed(team, rule);
  }
  /// The same where `norms` holds the squared lengths of the rows.
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
      inlined_if<M <= 1>([&]() KALABA_LAMBDA { project_bent(part); });
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
      need_second();
      Vec<X, M> least = y;
      if (bends) {
        Vec<X, M> bent;
        apply_dropped(y, bent);
        solve_kept(bent, least);
        count_up<extent>(
            0, [&](int k) KALABA_LAMBDA { least[k] = select(bending, select(kept[k], y[k] + least[k], X(0)), y[k]); });
      }
      solve_kept_transposed(least);
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

  /// Left singular vector k of B where it is dropped, else 0: Z's columns behind those of T.
  KALABA_FN void left_null_vector(int k, Vec<X, M>& v) {
    need_second();
    for (int i = 0; i < M; ++i) v[i] = X(i == k ? 1 : 0);
    second.restore(second_rows, v.data);
    unpermute(v);
    const MaskOf<X> dropped = k < extent ? !kept[k < extent ? k : 0] : X(0) < X(1);
    for (int i = 0; i < M; ++i) v[i] = select(dropped, v[i], X(0));
  }

  /// The smallest pivot that is kept, the largest that is dropped; 0 where there is none.
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

  /// The smallest singular value that counts where a pivot is below `limit`, else `limit`: pivots themselves jump when
  /// rows change places.
  KALABA_FN X least_value(double limit) {
    const MaskOf<X> small = X(1) < largest_inverse() * (scale * X(limit));
    if (!any(small)) return X(limit);
    need_second();
    // Lanczos on (L_kept^T L_kept)^-1, whose largest eigenvalues lie far apart.
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
    return select(small, rsqrt(max_of(small_matrix.largest_eigenvalue(), X(1e-30))) / scale, X(limit));
  }

  KALABA_FN X rank() const {
    X count(0);
    count_up<extent>(0, [&](int k) KALABA_LAMBDA { count = count + select(kept[k], X(1), X(0)); });
    return count;
  }

 private:
  static constexpr Scalar<X> consistent = 100 * Limits<Scalar<X>>::epsilon;
  static constexpr Scalar<X> tie = 1024 * Limits<Scalar<X>>::epsilon;  ///< of equal lengths the first row goes first
  static constexpr Scalar<X> negligible = 4 * Limits<Scalar<X>>::epsilon;
  static constexpr int lanczos_steps = extent < 8 ? extent : 8;
  static constexpr double gap = 0.1;  ///< from a dropped pivot to the kept ones, so that bending converges

  /// of the pivots that are kept
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
        kept[k] = X(k) < rank;  // the pivots fall
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
      bending = left;
      bends = some_left;
      decomposed_again = false;
    });
    if constexpr (Team::size > 1 || KALABA_FOR_GPU) {  // the workers of a team ask one by one
      if (deficient) decompose_again(team);
    }
    return X(0) < X(1);
  }

  /// Looks closer only where a lane may not be of full rank.
  template <class Team>
  KALABA_FN X rank_by(const Team& /*team*/, const RankRule<X>& rule) const {
    const X first = abs(reflections.diagonal[0]);
    const MaskOf<X> clear = both(rule.tolerance * first < abs(reflections.diagonal[extent - 1]), X(0) < first);
    if (all(both(clear, !(rule.most < X(extent))))) return X(extent);
    Vec<X, extent> pivots;
    count_up<extent>(0, [&](int k) KALABA_LAMBDA { pivots[k] = abs(reflections.diagonal[k]); });
    return rule.template rank_of<false>(pivots, first);
  }

  /// Brings the largest remaining row (by what the earlier reflections left of it) to place k.
  template <class Team>
  KALABA_FN void pivot(const Team& team, int k) {
    if (k > 0) {
      team.template for_each<M>([&](int j) KALABA_LAMBDA { norms[j] = tail_square(rows, j, k); });
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

  /// L without its dropped columns, transposed, triangularised from the other side.
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

  /// y: the least-squares solution of L_kept y = P e, 0 for dropped columns.
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
    // Below the rounding of e itself.
    const MaskOf<X> inconsistent = both(!full, !(missed <= X(consistent * consistent) * size));
    if (any(inconsistent)) {
      need_second();
      Vec<X, M> least;
      solve_kept(permuted, least);
      count_up<extent>(0, [&](int k) KALABA_LAMBDA { y[k] = select(inconsistent, least[k], y[k]); });
    }
    if (bends) inlined_if<M <= 1>([&]() KALABA_LAMBDA { bend(permuted, y); });
  }

  /// y: the least-squares solution of L_kept y = e.
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
  /// The dropped part of y := W^T (its kept part)
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

  /// Brings y from the subspace of the kept columns to that of the largest singular values.
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
      Vec<X, M> along = rest;  // (L_kept^T L_kept)^-1 W D^T rest: what D W^T of the rest still has along it
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
  /// The same for a projection of x = Q^T (a rate).
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

  /// |row j from column k on|^2
  template <int Rows, int Cols>
  KALABA_FN static X tail_square(const Mat<X, Rows, Cols>& rows, int j, int k) {
    X square(0);
    count_up<Cols>(k, [&](int i) KALABA_LAMBDA { square = fma(rows(j, i), rows(j, i), square); });
    return square;
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
