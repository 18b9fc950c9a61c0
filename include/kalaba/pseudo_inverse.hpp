#pragma once

// Pseudo-inverses of batches of small matrices, on a GPU or on the CPU:
//
//   const kalaba::MatrixBatch batch{.rows = 9, .columns = 12, .count = n, .stride = n};
//   kalaba::solve_min_norm(kalaba::OnDevice{stream}, batch, b, e, x);  // x = B+ e; device arrays

#include <variant>

#include "kalaba/core/model/method.hpp"
#include "kalaba/core/model/status.hpp"

struct CUstream_st;  // pointee of CUDA's CUstream and cudaStream_t

namespace kalaba {

/// `count` matrices B of one shape. Every array of a call has the matrix index fastest and `stride` numbers per line,
/// with one line for each entry of its matrix or vector, row by row; for example for a 2 x 2 B:
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

/// The arrays are in host memory, and the CPU computes. A call returns when it is done.
struct OnHost {
  int threads = 0;  ///< 0: one per CPU that this process may use
};

/// The arrays are in the memory of the device that is current in the calling thread. A call enqueues its work on the
/// stream and returns. The first call for a shape compiles its kernel (or loads it from the cache on disk); it must not
/// be made while the stream is being captured into a graph.
struct OnDevice {
  CUstream_st* stream = nullptr;
  int threads_per_matrix = 0;  ///< 1, 4, 8, 16 or 32; 0: chosen by the shape
};

using MatrixMemory = std::variant<OnHost, OnDevice>;

/// Algorithm and tolerance for the pseudo-inverses of a batch.
struct PseudoInverseOptions {
  PseudoInverse method = PseudoInverse::svd;  ///< svd or qr
  /// Singular values (pivots, for qr) at or below this times the largest count as zero. 0: max(M, N) epsilon of the
  /// arrays' precision, as in NumPy and Octave.
  double rank_tolerance = 0;
};

/// Input and output arrays; outputs that are not needed are null. The arrays must not overlap. Matrices are
/// independent: if B (or e, for x) contains a NaN or an infinity, the results of that matrix are NaN, its rank (for
/// such a B) is 0 and its status is non_finite; if the Jacobi sweeps reach their bound, the status is not_converged.
template <class T>
struct PseudoInverseArrays {
  const T* b = nullptr;          ///< in: B, M x N
  const T* e = nullptr;          ///< in, for x: M
  T* x = nullptr;                ///< out: B+ e, N: the smallest of the vectors x that minimise |B x - e|
  T* inverse = nullptr;          ///< out: B+, N x M
  T* singular_values = nullptr;  ///< out, svd only: min(M, N), in descending order
  int* rank = nullptr;           ///< out: number of nonzero singular values
  Status* status = nullptr;      ///< out: ok, non_finite or not_converged
};

/// Factorizes every matrix once and computes all requested outputs. T is float or double. For a B of full rank the
/// relative errors are of the order of max(M, N) epsilon times its condition number. Throws Error: bad_input (shape,
/// stride, tolerance, method, missing arrays, no current device), no_backend (this build or machine has no CUDA),
/// internal_error (the device failed, with CUDA's message).
template <class T>
void factorize(const MatrixMemory& memory, const MatrixBatch& batch, const PseudoInverseArrays<T>& arrays,
               const PseudoInverseOptions& options = {});

/// @cond
extern template void factorize(const MatrixMemory&, const MatrixBatch&, const PseudoInverseArrays<float>&,
                               const PseudoInverseOptions&);
extern template void factorize(const MatrixMemory&, const MatrixBatch&, const PseudoInverseArrays<double>&,
                               const PseudoInverseOptions&);
/// @endcond

/// Computes x = B+ e.
template <class T>
void solve_min_norm(const MatrixMemory& memory, const MatrixBatch& batch, const T* b, const T* e, T* x,
                    const PseudoInverseOptions& options = {}, Status* status = nullptr) {
  factorize<T>(memory, batch, {.b = b, .e = e, .x = x, .status = status}, options);
}

/// Computes B+.
template <class T>
void pseudo_inverse(const MatrixMemory& memory, const MatrixBatch& batch, const T* b, T* inverse,
                    const PseudoInverseOptions& options = {}, Status* status = nullptr) {
  factorize<T>(memory, batch, {.b = b, .inverse = inverse, .status = status}, options);
}

/// Computes the min(M, N) singular values, in descending order.
template <class T>
void singular_values(const MatrixMemory& memory, const MatrixBatch& batch, const T* b, T* values,
                     Status* status = nullptr) {
  factorize<T>(memory, batch, {.b = b, .singular_values = values, .status = status});
}

/// Computes the number of nonzero singular values (or pivots).
template <class T>
void rank(const MatrixMemory& memory, const MatrixBatch& batch, const T* b, int* rank,
          const PseudoInverseOptions& options = {}, Status* status = nullptr) {
  factorize<T>(memory, batch, {.b = b, .rank = rank, .status = status}, options);
}

}  // namespace kalaba
