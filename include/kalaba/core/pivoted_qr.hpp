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

  /// Makes the k-th reflection from row k, whose squared norm from column k on is `square`, and applies it to the rows
  /// below.
  template <class Team>
  KALABA_FN void reflect(const Team& team, Mat<X, M, N>& rows, int k, const X& square) {
    const MaskOf<X> some = X(0) < square;
    const X head = rows(k, k);
    const X inverse_norm = rsqrt(select(some, square, X(1)));
    const X norm = square * inverse_norm;
    const X turned = select(head < X(0), norm, -norm);
    const X tau = reciprocal_where(some, fma(abs(head), norm, square));
    team.once([&]() KALABA_LAMBDA {
      rows(k, k) = select(some, head - turned, X(0));
      diagonal[k] = select(some, turned, X(0));
      factor[k] = tau;
    });
    team.template each<M>([&](int j) KALABA_LAMBDA {
      if (j > k) apply(rows, k, tau, &rows(j, 0));
    });
  }

  /// x := H_0 H_1 … H_{count-1} x
  KALABA_FN void restore(const Mat<X, M, N>& rows, X* x) const {
    count_down<count>(0, [&](int k) KALABA_LAMBDA { apply(rows, k, factor[k], x); });
  }
  /// x := H_{count-1} … H_1 H_0 x
  KALABA_FN void reduce(const Mat<X, M, N>& rows, X* x) const {
    count_up<count>(0, [&](int k) KALABA_LAMBDA { apply(rows, k, factor[k], x); });
  }

 private:
  KALABA_FN static void apply(const Mat<X, M, N>& rows, int k, const X& tau, X* x) {
    X along = rows(k, k) * x[k];
    count_up<N>(k + 1, [&](int i) KALABA_LAMBDA { along = fma(rows(k, i), x[i], along); });
    along = along * tau;
    count_up<N>(k, [&](int i) KALABA_LAMBDA { x[i] = fma(-along, rows(k, i), x[i]); });
  }
};

/// B+ by a complete orthogonal decomposition: Householder QR of B^T with row pivoting of B (P B = L Q^T), rank from the
/// pivots, and where the rank is below M a second triangularisation of the kept columns of L. Members of full rank use
/// the triangular solve alone, and so do others for right-hand sides that B can reach: the second one is made for those
/// that it cannot.
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
  Vec<MaskOf<X>, extent> kept;       ///< pivots above the threshold
  Vec<X, extent> inverse_diagonal;   ///< of L, 0 for dropped pivots
  Vec<X, extent> inverse_second;     ///< of T, likewise
  MaskOf<X> full;                    ///< rank M
  bool any_deficient;                ///< some member is not of full rank
  bool decomposed_again;             ///< `second` is there
  X scale;                           ///< rows are B times this

  /// Factorizes `rows`. Always converges.
  template <class Team>
  KALABA_FN MaskOf<X> factorize(const Team& team, X tolerance, bool /*warm*/) {
    return body<M <= 1>([&]() KALABA_LAMBDA { return decompose(team, tolerance); });
  }

  template <class Team>
  KALABA_FN void min_norm(const Team& team, const Vec<X, M>& e, Vec<X, N>& x) {
    Vec<X, M> y;
    coordinates(e, y);
    Vec<X, N> full_x;
    KALABA_UNROLL
    for (int i = 0; i < N; ++i) full_x[i] = i < extent ? y[i < extent ? i : 0] * scale : X(0);
    reflections.restore(rows, full_x.data);
    team.template each<N>([&](int i) KALABA_LAMBDA { x[i] = full_x[i]; });
  }

  template <class Team>
  KALABA_FN void project(const Team& team, Vec<X, N>& x) const {
    Vec<X, N> part = x;
    reflections.reduce(rows, part.data);
    KALABA_UNROLL
    for (int i = 0; i < N; ++i) part[i] = i < extent ? select(kept[i < extent ? i : 0], part[i], X(0)) : X(0);
    reflections.restore(rows, part.data);
    team.template each<N>([&](int i) KALABA_LAMBDA { x[i] = part[i]; });
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
      count_up<extent>(0, [&](int k) KALABA_LAMBDA {  // T least = y, then Z
        count_up<extent>(0, [&](int i) KALABA_LAMBDA {
          if (i < k) least[k] = fma(-second_rows(k, i), least[i], least[k]);
        });
        least[k] = least[k] * inverse_second[k];
      });
      for (int k = extent; k < M; ++k) least[k] = X(0);
      second.restore(second_rows, least.data);
      count_up<M>(0, [&](int k) KALABA_LAMBDA { direct[k] = select(full, direct[k], least[k]); });
    }
    unpermute(direct);
    team.template each<M>([&](int i) KALABA_LAMBDA { lambda[i] = direct[i] * scale * scale; });
  }

  KALABA_FN X unreachable(const Vec<X, M>& e) {
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

  /// The smallest pivot that is kept, the largest that is dropped; 0 where there is none.
  KALABA_FN X smallest_kept() const {
    X largest_inverse(0);
    count_up<extent>(0,
                     [&](int k) KALABA_LAMBDA { largest_inverse = max_of(largest_inverse, abs(inverse_diagonal[k])); });
    return reciprocal_where(X(0) < largest_inverse, largest_inverse) / scale;
  }
  KALABA_FN X largest_dropped() const {
    X largest(0);
    count_up<extent>(0, [&](int k) KALABA_LAMBDA {
      largest = max_of(largest, select(kept[k], X(0), abs(reflections.diagonal[k])));
    });
    return largest / scale;
  }

  KALABA_FN X rank() const {
    X count(0);
    count_up<extent>(0, [&](int k) KALABA_LAMBDA { count = count + select(kept[k], X(1), X(0)); });
    return count;
  }

 private:
  static constexpr Scalar<X> consistent = 100 * Limits<Scalar<X>>::epsilon;

  template <class Team>
  KALABA_FN MaskOf<X> decompose(const Team& team, const X& tolerance) {
    squared_row_norms(team, rows, norms);
    const X range = bring_into_range(team, rows, norms);
    team.once([&]() KALABA_LAMBDA { scale = range; });
    count_up<extent>(0, [&](int k) KALABA_LAMBDA {
      pivot(team, k);
      reflections.reflect(team, rows, k, X(norms[k]));
    });
    const X threshold = tolerance * abs(reflections.diagonal[0]);
    team.once([&]() KALABA_LAMBDA {
      count_up<extent>(0, [&](int k) KALABA_LAMBDA {
        const X pivot = abs(reflections.diagonal[k]);
        kept[k] = both(threshold < pivot, X(0) < pivot);
        inverse_diagonal[k] = reciprocal_where(kept[k], reflections.diagonal[k]);
      });
      full = extent == M ? kept[extent - 1] : X(1) < X(0);
    });
    const bool deficient = team.any(!full);
    team.once([&]() KALABA_LAMBDA {
      any_deficient = deficient;
      decomposed_again = false;
    });
    if constexpr (Team::size > 1 || KALABA_FOR_GPU) {  // the workers of a team ask one by one
      if (deficient) decompose_again(team);
    }
    return X(0) < X(1);
  }

  /// Brings the largest remaining row (by what the earlier reflections left of it) to place k.
  template <class Team>
  KALABA_FN void pivot(const Team& team, int k) {
    if (k > 0) {
      team.template each<M>([&](int j) KALABA_LAMBDA { norms[j] = tail_square(rows, j, k); });
    }
    count_up<M>(k + 1, [&](int j) KALABA_LAMBDA {
      const MaskOf<X> larger = norms[k] < norms[j];
      const X a = norms[k];
      const X b = norms[j];
      team.once([&]() KALABA_LAMBDA {
        swapped[k * M + j] = larger;
        norms[k] = select(larger, b, a);
        norms[j] = select(larger, a, b);
      });
      team.template each<N>([&](int i) KALABA_LAMBDA { exchange(larger, rows(k, i), rows(j, i)); });
    });
  }

  /// L without its dropped columns, transposed, triangularised from the other side.
  template <class Team>
  KALABA_FN void decompose_again(const Team& team) {
    team.template each<extent>([&](int k) KALABA_LAMBDA {
      count_up<M>(0, [&](int i) KALABA_LAMBDA {
        const X entry = i == k ? reflections.diagonal[k] : (i > k ? rows(i, k) : X(0));
        second_rows(k, i) = select(kept[k], entry, X(0));
      });
    });
    team.once([&]() KALABA_LAMBDA { decomposed_again = true; });
    count_up<extent>(0, [&](int k) KALABA_LAMBDA {
      second.reflect(team, second_rows, k, tail_square(second_rows, k, k));
      team.once([&]() KALABA_LAMBDA { inverse_second[k] = reciprocal_where(kept[k], second.diagonal[k]); });
    });
  }

  KALABA_FN void need_second() {
    if constexpr (!KALABA_FOR_GPU) {
      if (!decomposed_again) body<M <= 1>([&]() KALABA_LAMBDA { decompose_again(Solo{}); });
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
    if (!any(inconsistent)) return;
    need_second();
    second.reduce(second_rows, permuted.data);  // Z^T P e
    count_down<extent>(0, [&](int k) KALABA_LAMBDA {
      X sum = permuted[k];
      count_up<extent>(k + 1, [&](int i) KALABA_LAMBDA { sum = fma(-second_rows(i, k), permuted[i], sum); });
      permuted[k] = sum * inverse_second[k];
      y[k] = select(inconsistent, permuted[k], y[k]);
    });
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
