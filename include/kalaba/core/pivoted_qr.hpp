#pragma once

#include "kalaba/core/rows.hpp"

namespace kalaba {

/// Householder reflections H_0 … that turn the rows of a matrix into a lower triangle, T = matrix H_0 H_1 …
/// Row k keeps T(k, 0 … k-1) to the left and the k-th reflection's vector from column k on; T(k, k) is in `diagonal`.
template <class X, int M, int N>
struct Reflections {
  static constexpr int count = M < N ? M : N;

  Vec<X, M> diagonal;
  Vec<X, M> factor;  ///< H_k = I - factor_k v_k v_k^T

  /// Makes the k-th reflection from row k and applies it to the rows below.
  template <class Team>
  KALABA_FN void reflect(const Team& team, Mat<X, M, N>& rows, int k) {
    X square = rows(k, k) * rows(k, k);
    for (int i = k + 1; i < N; ++i) square = fma(rows(k, i), rows(k, i), square);
    const MaskOf<X> some = X(0) < square;
    const X head = rows(k, k);
    const X inverse_norm = rsqrt(select(some, square, X(1)));
    const X norm = square * inverse_norm;
    const X turned = select(head < X(0), norm, -norm);
    const X tau = reciprocal_where(some, fma(abs(head), norm, square));
    team.once([&] {
      rows(k, k) = select(some, head - turned, X(0));
      diagonal[k] = select(some, turned, X(0));
      factor[k] = tau;
    });
    team.template each<M>([&](int j) {
      if (j > k) apply(rows, k, tau, &rows(j, 0));
    });
  }

  /// x := H_0 H_1 … H_{count-1} x
  KALABA_FN void restore(const Mat<X, M, N>& rows, X* x) const {
    KALABA_UNROLL
    for (int k = count - 1; k >= 0; --k) apply(rows, k, factor[k], x);
  }
  /// x := H_{count-1} … H_1 H_0 x
  KALABA_FN void reduce(const Mat<X, M, N>& rows, X* x) const {
    KALABA_UNROLL
    for (int k = 0; k < count; ++k) apply(rows, k, factor[k], x);
  }

 private:
  KALABA_FN static void apply(const Mat<X, M, N>& rows, int k, const X& tau, X* x) {
    X along = rows(k, k) * x[k];
    for (int i = k + 1; i < N; ++i) along = fma(rows(k, i), x[i], along);
    along = along * tau;
    for (int i = k; i < N; ++i) x[i] = fma(-along, rows(k, i), x[i]);
  }
};

/// B+ by a complete orthogonal decomposition: Householder QR of B^T with row pivoting of B (P B = L Q^T), rank from the
/// pivots, and where the rank is below M a second triangularisation of the kept columns of L. Members of full rank use
/// the triangular solve alone.
///
/// The rank is the number of pivots above `tolerance` times the first; pivots follow the singular values within a
/// modest factor.
template <class X, int M, int N>
struct PivotedQr {
  static constexpr int extent = M < N ? M : N;  ///< the largest possible rank

  Mat<X, M, N> rows;                 ///< in: B; after: L and the reflections of Q
  Reflections<X, M, N> reflections;  ///< Q
  Mat<X, extent, M> second_rows;     ///< the kept columns of L, as rows; after: T and the reflections of Z
  Reflections<X, extent, M> second;  ///< Z, L_kept = Z T^T
  Vec<X, M> norms;                   ///< workspace
  Vec<MaskOf<X>, M * M> swapped;     ///< [k M + j]: rows k and j were exchanged when looking for the k-th pivot
  Vec<MaskOf<X>, M> kept;            ///< pivots above the threshold
  MaskOf<X> full;                    ///< rank M
  bool any_deficient;                ///< some member needs the second decomposition
  X scale;                           ///< rows are B times this

  /// Factorizes `rows`. Always converges.
  template <class Team>
  KALABA_BODY MaskOf<X> factorize(const Team& team, X tolerance, bool /*warm*/) {
    squared_row_norms(team, rows, norms);
    const X range = bring_into_range(team, rows, norms);
    team.once([&] { scale = range; });
    for (int k = 0; k < extent; ++k) {
      pivot(team, k);
      reflections.reflect(team, rows, k);
    }
    const X threshold = tolerance * abs(reflections.diagonal[0]);
    team.once([&] {
      for (int k = 0; k < M; ++k) {
        kept[k] = k < extent ? both(threshold < abs(diagonal(k)), X(0) < abs(diagonal(k))) : X(1) < X(0);
      }
      full = extent == M ? kept[M - 1] : X(1) < X(0);
    });
    const bool deficient = team.any(!full);
    team.once([&] { any_deficient = deficient; });
    if (deficient) decompose_again(team);
    return X(0) < X(1);
  }

  template <class Team>
  KALABA_FN void min_norm(const Team& team, const Vec<X, M>& e, Vec<X, N>& x) const {
    Vec<X, M> y;
    coordinates(e, y);
    Vec<X, N> full_x;
    KALABA_UNROLL
    for (int i = 0; i < N; ++i) full_x[i] = i < extent ? y[i < extent ? i : 0] * scale : X(0);
    reflections.restore(rows, full_x.data);
    team.template each<N>([&](int i) { x[i] = full_x[i]; });
  }

  template <class Team>
  KALABA_FN void project(const Team& team, Vec<X, N>& x) const {
    Vec<X, N> part = x;
    reflections.reduce(rows, part.data);
    KALABA_UNROLL
    for (int i = 0; i < N; ++i) part[i] = i < extent ? select(kept[i < extent ? i : 0], part[i], X(0)) : X(0);
    reflections.restore(rows, part.data);
    team.template each<N>([&](int i) { x[i] = part[i]; });
  }

  template <class Team>
  KALABA_FN void multipliers(const Team& team, const Vec<X, M>& e, Vec<X, M>& lambda) const {
    Vec<X, M> y;
    coordinates(e, y);
    Vec<X, M> direct = y;
    for (int k = extent - 1; k >= 0; --k) {  // L^T direct = y
      for (int i = k + 1; i < extent; ++i) direct[k] = direct[k] - rows(i, k) * direct[i];
      direct[k] = direct[k] * reciprocal_where(kept[k], diagonal(k));
    }
    if (any_deficient) {
      Vec<X, M> least = y;
      for (int k = 0; k < M; ++k) {  // T least = y, then Z
        if (k >= extent) {
          least[k] = X(0);
          continue;
        }
        for (int i = 0; i < k; ++i) least[k] = least[k] - second_rows(k, i) * least[i];
        least[k] = least[k] * reciprocal_where(kept[k], second.diagonal[k]);
      }
      second.restore(second_rows, least.data);
      for (int k = 0; k < M; ++k) direct[k] = select(full, direct[k], least[k]);
    }
    unpermute(direct);
    team.template each<M>([&](int i) { lambda[i] = direct[i] * scale * scale; });
  }

  KALABA_FN X unreachable(const Vec<X, M>& e) const {
    if (!any_deficient) return X(0);
    Vec<X, M> y;
    coordinates(e, y);
    Vec<X, M> rest = e;
    permute(rest);
    X sum(0);
    for (int k = 0; k < M; ++k) {  // e - L y
      for (int i = 0; i < (k < extent ? k : extent); ++i) rest[k] = rest[k] - rows(k, i) * y[i];
      if (k < extent) rest[k] = rest[k] - diagonal(k) * y[k];
      sum = sum + rest[k] * rest[k];
    }
    return select(full, X(0), sum);
  }

  KALABA_FN X rank() const {
    X count(0);
    for (int k = 0; k < M; ++k) count = count + select(kept[k], X(1), X(0));
    return count;
  }

 private:
  KALABA_FN X diagonal(int k) const { return reflections.diagonal[k]; }

  /// Brings the largest remaining row (by what the earlier reflections left of it) to place k.
  template <class Team>
  KALABA_FN void pivot(const Team& team, int k) {
    if (k > 0) {
      team.template each<M>([&](int j) {
        X square(0);
        for (int i = k; i < N; ++i) square = fma(rows(j, i), rows(j, i), square);
        norms[j] = square;
      });
    }
    for (int j = k + 1; j < M; ++j) {
      const MaskOf<X> larger = norms[k] < norms[j];
      const X a = norms[k];
      const X b = norms[j];
      team.once([&] {
        swapped[k * M + j] = larger;
        norms[k] = select(larger, b, a);
        norms[j] = select(larger, a, b);
      });
      team.template each<N>([&](int i) { exchange(larger, rows(k, i), rows(j, i)); });
    }
  }

  /// L without its dropped columns, transposed, triangularised from the other side.
  template <class Team>
  KALABA_FN void decompose_again(const Team& team) {
    team.template each<extent>([&](int k) {
      for (int i = 0; i < M; ++i) {
        const X entry = i == k ? diagonal(k) : (i > k ? rows(i, k) : X(0));
        second_rows(k, i) = select(kept[k], entry, X(0));
      }
    });
    for (int k = 0; k < extent; ++k) second.reflect(team, second_rows, k);
  }

  /// y: the least-squares solution of L_kept y = P e, 0 for dropped columns.
  KALABA_FN void coordinates(const Vec<X, M>& e, Vec<X, M>& y) const {
    Vec<X, M> permuted = e;
    permute(permuted);
    y = permuted;
    for (int k = 0; k < extent; ++k) {
      for (int i = 0; i < k; ++i) y[k] = y[k] - rows(k, i) * y[i];
      y[k] = y[k] * reciprocal_where(kept[k], diagonal(k));
    }
    for (int k = extent; k < M; ++k) y[k] = X(0);
    if (!any_deficient) return;
    second.reduce(second_rows, permuted.data);  // Z^T P e
    for (int k = extent - 1; k >= 0; --k) {
      X sum = permuted[k];
      for (int i = k + 1; i < extent; ++i) sum = sum - second_rows(i, k) * permuted[i];
      permuted[k] = sum * reciprocal_where(kept[k], second.diagonal[k]);
      y[k] = select(full, y[k], permuted[k]);
    }
  }

  template <class Mask>
  KALABA_FN static void exchange(const Mask& mask, X& a, X& b) {
    const X old = a;
    a = select(mask, b, old);
    b = select(mask, old, b);
  }
  KALABA_FN void permute(Vec<X, M>& e) const {
    for (int k = 0; k < extent; ++k) {
      for (int j = k + 1; j < M; ++j) exchange(swapped[k * M + j], e[k], e[j]);
    }
  }
  KALABA_FN void unpermute(Vec<X, M>& e) const {
    for (int k = extent - 1; k >= 0; --k) {
      for (int j = M - 1; j > k; --j) exchange(swapped[k * M + j], e[k], e[j]);
    }
  }
};

}  // namespace kalaba
