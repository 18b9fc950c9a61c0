#pragma once

// Pseudo-inverses of many small matrices at once, on a GPU or on the CPU:
//
//   const kalaba::MatrixBatch batch{.rows = 9, .columns = 12, .count = n, .stride = n};
//   kalaba::solve_min_norm(kalaba::OnDevice{stream}, batch, b, e, x);  // x = B+ e; arrays of the device

#include <variant>

#include "kalaba/core/method.hpp"
#include "kalaba/core/status.hpp"

struct CUstream_st;  // what CUDA's CUstream and cudaStream_t point at

namespace kalaba {

/// `count` matrices B of one shape. Every array of a call has the matrix fastest and `stride` numbers a line, and a
/// line for each entry of what it holds, row by row; here of a 2 x 2 B:
///
///     B(0,0):  matrix 0, 1, 2, ... pad
///     B(0,1):  matrix 0, 1, 2, ... pad
///     B(1,0):  matrix 0, 1, 2, ... pad
///     B(1,1):  matrix 0, 1, 2, ... pad
///              <----- stride ----->
///
/// so entry (i, j) of matrix k is data[(i * columns + j) * stride + k]. Padding is neither read nor written.
struct MatrixBatch {
  static constexpr int largest = 64;

  int rows = 0;     ///< M, 1 … largest
  int columns = 0;  ///< N, 1 … largest
  long count = 0;
  long stride = 0;  ///< at least count
};

/// The arrays lie in the host's memory, and the CPU computes. A call returns when it is done.
struct OnHost {
  int threads = 0;  ///< 0: one a CPU that this process may use
};

/// The arrays lie in the memory of the device that is current to the calling thread. A call puts its work on the
/// stream and returns; the first one of a shape compiles its kernel (or finds it in the cache on disk), which it must
/// not do while the stream is being captured into a graph.
struct OnDevice {
  CUstream_st* stream = nullptr;
  int threads_per_matrix = 0;  ///< 1, 4, 8, 16 or 32; 0: chosen by the shape
};

using MatrixMemory = std::variant<OnHost, OnDevice>;

/// How pseudo-inverses of a batch are made.
struct PseudoInverseOptions {
  PseudoInverse method = PseudoInverse::svd;  ///< svd or qr
  /// Singular values (pivots, for qr) at or below this times the largest count as zero. 0: max(M, N) epsilon of the
  /// arrays' precision, as NumPy and Octave have it.
  double rank_tolerance = 0;
};

/// What to read and what to fill; the outputs not wanted stay null. They may overlap nothing. One matrix never disturbs
/// another: where B (or e, for x) holds a NaN or an infinity, that matrix's results are NaN, its rank (of such a B) is
/// 0 and its status is non_finite; where the bounded Jacobi sweeps did not suffice, it is not_converged.
template <class T>
struct PseudoInverseArrays {
  const T* b = nullptr;          ///< in: B, M x N
  const T* e = nullptr;          ///< in, for x: M
  T* x = nullptr;                ///< out: B+ e, the least of the vectors that bring B x nearest to e, N
  T* inverse = nullptr;          ///< out: B+, N x M
  T* singular_values = nullptr;  ///< out, svd only: min(M, N), the largest first
  int* rank = nullptr;           ///< out: singular values that count as not zero
  Status* status = nullptr;      ///< out: ok, non_finite or not_converged
};

/// Factorizes every matrix once and fills all that is wanted. T is float or double. For a B of full rank the relative
/// errors are of the order of max(M, N) epsilon times its condition number.
/// Throws Error: bad_input (shape, stride, tolerance, method, missing arrays, no device current), no_backend (this
/// build or machine has no CUDA), internal_error (the device failed, with CUDA's words).
template <class T>
void factorize(const MatrixMemory& memory, const MatrixBatch& batch, const PseudoInverseArrays<T>& arrays,
               const PseudoInverseOptions& options = {});

extern template void factorize(const MatrixMemory&, const MatrixBatch&, const PseudoInverseArrays<float>&,
                               const PseudoInverseOptions&);
extern template void factorize(const MatrixMemory&, const MatrixBatch&, const PseudoInverseArrays<double>&,
                               const PseudoInverseOptions&);

/// x = B+ e
template <class T>
void solve_min_norm(const MatrixMemory& memory, const MatrixBatch& batch, const T* b, const T* e, T* x,
                    const PseudoInverseOptions& options = {}, Status* status = nullptr) {
  factorize<T>(memory, batch, {.b = b, .e = e, .x = x, .status = status}, options);
}

/// B+ itself
template <class T>
void pseudo_inverse(const MatrixMemory& memory, const MatrixBatch& batch, const T* b, T* inverse,
                    const PseudoInverseOptions& options = {}, Status* status = nullptr) {
  factorize<T>(memory, batch, {.b = b, .inverse = inverse, .status = status}, options);
}

/// The min(M, N) singular values, the largest first
template <class T>
void singular_values(const MatrixMemory& memory, const MatrixBatch& batch, const T* b, T* values,
                     Status* status = nullptr) {
  factorize<T>(memory, batch, {.b = b, .singular_values = values, .status = status});
}

/// How many singular values (or pivots) count as not zero
template <class T>
void rank(const MatrixMemory& memory, const MatrixBatch& batch, const T* b, int* rank,
          const PseudoInverseOptions& options = {}, Status* status = nullptr) {
  factorize<T>(memory, batch, {.b = b, .rank = rank, .status = status}, options);
}

}  // namespace kalaba
