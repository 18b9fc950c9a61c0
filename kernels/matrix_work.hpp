#pragma once

#include "kalaba/core/inverse/jacobi_svd.hpp"
#include "kalaba/core/inverse/pivoted_qr.hpp"
#include "kalaba/core/model/status.hpp"

namespace kalaba {

/// Arrays of a batch of M x N matrices B, all with the batch index fastest and `stride` numbers per line:
///
///     entry (0, 0):  matrix 0, 1, 2, ... pad
///     entry (0, 1):  matrix 0, 1, 2, ... pad
///     ...
template <class T>
struct MatrixArrays {
  const T* b;          ///< in: M x N lines, row-major
  const T* e;          ///< in, for x: M
  T* x;                ///< out: B+ e, N
  T* inverse;          ///< out: B+, N x M, row-major
  T* singular_values;  ///< out, for an SVD: min(M, N), in descending order
  int* rank;           ///< out: 1
  Status* status;      ///< out: 1
  long count;          ///< matrices
  long stride;
};

/// Access to one matrix of a batch.
struct MatrixPlace {
  long stride;
  long index;

  template <class T>
  KALABA_FN T load(const T* from, int line) const {
    return from[line * stride + index];
  }
  template <class To, class X>
  KALABA_FN void store(To* to, int line, const X& value) const {
    to[line * stride + index] = static_cast<To>(value);
  }
};

struct MatrixShape {
  int rows;     ///< M
  int columns;  ///< N
};

/// Selects the outputs. A constant in a kernel, which then uses registers for the selected outputs only.
struct MatrixOutputs {
  bool x;
  bool inverse;
  bool singular_values;
  bool rank;
  bool status;
};

/// One matrix B, its factorization, and the outputs. InverseOf factorizes an R x C matrix that contains B from its
/// first entry on; the rest is zero. The SVD uses the transpose of a B with more rows than columns (then R >= N, C >=
/// M), which leaves the fewest rows to rotate. If an entry is not finite, all results are NaN, and the rank is 0.
template <class X, template <class, int, int> class InverseOf, int R, int C>
struct MatrixWork {
  using Inverse = InverseOf<X, R, C>;
  using Mask = MaskOf<X>;
  static constexpr bool by_svd = requires(Inverse inverse) { inverse.rotation.data; };

  Inverse inverse;
  Vec<X, R> left;   ///< e, or x of a transposed B
  Vec<X, C> right;  ///< x, or e of a transposed B
  Vec<X, R> along;

  /// Computes the outputs of a matrix (or one per lane). `place` is its location in the arrays.
  template <class Team, class T, class Place>
  KALABA_FN void run(const Team& team, const MatrixArrays<T>& arrays, const MatrixShape& shape,
                     const MatrixOutputs& requested, const Place& place, const X& tolerance) {
    const Mask broken = load_matrix(team, arrays.b, shape, place);
    const Mask converged = inverse.factorize(team, tolerance, false);
    if (requested.inverse) store_inverse(team, arrays.inverse, shape, place, broken);
    if (requested.rank) {
      const X rank = select(broken, X(0), inverse.rank());
      team.single([&]() KALABA_LAMBDA { place.store(arrays.rank, 0, rank); });
    }
    Mask failed = broken;
    if (requested.x) failed = either(failed, solve(team, arrays, shape, place, broken));
    if (requested.status) {
      const X unfinished = select(converged, X(0), X(static_cast<int>(Status::not_converged)));
      const X code = select(failed, X(static_cast<int>(Status::non_finite)), unfinished);
      team.single([&]() KALABA_LAMBDA { place.store(arrays.status, 0, code); });
    }
    if constexpr (by_svd) {
      if (requested.singular_values) store_values(team, arrays.singular_values, shape, place, broken);
    }
  }

 private:
  KALABA_FN static constexpr bool transposed(const MatrixShape& shape) { return by_svd && shape.rows > shape.columns; }
  KALABA_FN static X unless(const Mask& broken, const X& value) { return select(broken, sqrt(X(-1)), value); }

  /// Returns a mask that holds if that of any worker of the team does.
  template <class Team>
  KALABA_FN static Mask for_all(const Team& team, const Mask& mask) {
    if constexpr (Team::size == 1) {
      return mask;
    } else {
      return team.any(mask);
    }
  }

  /// Returns the lanes in which an entry is not finite.
  template <class Team, class T, class Place>
  KALABA_FN Mask load_matrix(const Team& team, const T* b, const MatrixShape& shape, const Place& place) {
    Mask broken = X(1) < X(0);
    team.template for_each<R * C>([&](int entry) KALABA_LAMBDA {
      const int i = transposed(shape) ? entry % C : entry / C;
      const int j = transposed(shape) ? entry / C : entry % C;
      X value(0);
      if (i < shape.rows && j < shape.columns) value = place.load(b, i * shape.columns + j);
      inverse.rows.data[entry] = value;
      broken = either(broken, !is_finite(value));
    });
    return for_all(team, broken);
  }

  template <int N, class Team, class T, class Place>
  KALABA_FN static Mask load_vector(const Team& team, const T* from, int count, const Place& place, Vec<X, N>& to) {
    Mask broken = X(1) < X(0);
    team.template for_each<N>([&](int i) KALABA_LAMBDA {
      X value(0);
      if (i < count) value = place.load(from, i);
      to[i] = value;
      broken = either(broken, !is_finite(value));
    });
    return for_all(team, broken);
  }

  template <int N, class Team, class T, class Place>
  KALABA_FN static void store_vector(const Team& team, const Vec<X, N>& from, const Mask& broken, int count,
                                     const Place& place, T* to) {
    team.template for_each<N>([&](int i) KALABA_LAMBDA {
      if (i < count) place.store(to, i, unless(broken, from[i]));
    });
  }

  /// Stores x; returns the lanes in which e is not finite.
  template <class Team, class T, class Place>
  KALABA_FN Mask solve(const Team& team, const MatrixArrays<T>& arrays, const MatrixShape& shape, const Place& place,
                       const Mask& broken) {
    if constexpr (by_svd) {
      if (transposed(shape)) {
        const Mask bad = load_vector(team, arrays.e, shape.rows, place, right);
        solve_transposed(team);
        store_vector(team, left, either(broken, bad), shape.columns, place, arrays.x);
        return bad;
      }
    }
    const Mask bad = load_vector(team, arrays.e, shape.rows, place, left);
    inverse.min_norm(team, left, right);
    store_vector(team, right, either(broken, bad), shape.columns, place, arrays.x);
    return bad;
  }

  /// left = ((B^T)+)^T right = sum v_k (r_k . right) / |r_k|^2, with the r_k the rotated rows of B^T.
  template <class Team>
  KALABA_FN void solve_transposed(const Team& team) {
    team.template for_each<R>([&](int k) KALABA_LAMBDA {
      X sum = inverse.rows(k, 0) * right[0];
      KALABA_UNROLL
      for (int j = 1; j < C; ++j) sum = fma(inverse.rows(k, j), right[j], sum);
      along[k] = sum * inverse.inverse_square[k] * inverse.scale;
    });
    team.template for_each<R>([&](int i) KALABA_LAMBDA {
      X sum = turn(0, i) * along[0];
      KALABA_UNROLL
      for (int k = 1; k < R; ++k) sum = fma(turn(k, i), along[k], sum);
      left[i] = sum;
    });
  }

  /// V^T; for a single row it is 1 and not stored.
  KALABA_FN X turn(int k, int i) const {
    if constexpr (R == 1) {
      return X(1);
    } else {
      return inverse.rotation(k, i);
    }
  }

  /// Stores the factorized matrix's pseudo-inverse, or its transpose if B was transposed.
  template <class Team, class T, class Place>
  KALABA_FN void store_inverse(const Team& team, T* to, const MatrixShape& shape, const Place& place,
                               const Mask& broken) {
    if constexpr (by_svd) {
      team.template for_each<R * C>([&](int entry) KALABA_LAMBDA {
        const int i = transposed(shape) ? entry / C : entry % C;
        const int j = transposed(shape) ? entry % C : entry / C;
        if (i >= shape.columns || j >= shape.rows) return;
        place.store(to, i * shape.rows + j, unless(broken, inverse_entry(entry % C, entry / C)));
      });
    } else {
      team.template for_each<R>([&](int j) KALABA_LAMBDA {
        if (j < shape.rows) store_inverse_column(j, to, shape, place, broken);
      });
    }
  }

  /// Entry of the pseudo-inverse: sum (r_k)_i (v_k)_j / |r_k|^2.
  KALABA_FN X inverse_entry(int i, int j) const {
    X sum(0);
    KALABA_UNROLL
    for (int k = 0; k < R; ++k) sum = fma(inverse.rows(k, i) * inverse.inverse_square[k], turn(k, j), sum);
    return sum * inverse.scale;
  }

  /// Computes B+ e_j, by one worker.
  template <class T, class Place>
  KALABA_FN void store_inverse_column(int j, T* to, const MatrixShape& shape, const Place& place, const Mask& broken) {
    Vec<X, R> unit;
    Vec<X, C> column;
    KALABA_UNROLL
    for (int i = 0; i < R; ++i) unit[i] = X(i == j ? 1 : 0);
    inverse.min_norm(Solo{}, unit, column);
    KALABA_UNROLL
    for (int i = 0; i < C; ++i) {
      if (i < shape.columns) place.store(to, i * shape.rows + j, unless(broken, column[i]));
    }
  }

  /// Sorts the squares by exchanges of neighbours, R rounds of disjoint pairs.
  template <class Team, class T, class Place>
  KALABA_FN void store_values(const Team& team, T* to, const MatrixShape& shape, const Place& place,
                              const Mask& broken) {
    Vec<X, R>& square = inverse.square;
    count_up<R>(0, [&](int round) KALABA_LAMBDA {
      team.template for_each<R / 2>([&](int pair) KALABA_LAMBDA {
        const int i = 2 * pair + round % 2;
        if (i + 1 >= R) return;
        const X larger = max_of(square[i], square[i + 1]);
        square[i + 1] = min_of(square[i], square[i + 1]);
        square[i] = larger;
      });
    });
    const int count = shape.rows < shape.columns ? shape.rows : shape.columns;
    team.template for_each<R>([&](int k) KALABA_LAMBDA {
      if (k < count) place.store(to, k, unless(broken, sqrt(square[k]) / inverse.scale));
    });
  }
};

}  // namespace kalaba
