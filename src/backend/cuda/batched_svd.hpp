#pragma once

#include <cstddef>
#include <memory>

#include "backend/cuda/memory.hpp"
#include "kalaba/options.hpp"

namespace kalaba::cuda {

/// Device memory of the matrices of a batch and of the results: matrix after matrix, each in column-major order, in
/// numbers of the precision.
struct SvdArrays {
  void* a;       ///< in: length x extent; destroyed
  void* values;  ///< out: extent
  void* u;       ///< out: length x u_columns
  void* v;       ///< out: extent x extent
  int* info;     ///< out: 0 if it converged
};

/// Singular value decompositions A = U diag(values) V^T of many matrices by cuSOLVER, for the device that is current in
/// the constructor. Up to 32 x 32 by gesvdjBatched, the batched Jacobi method. Larger matrices by gesvdaStridedBatched,
/// which uses A^T A: even in double precision its values and vectors have only about single-precision accuracy.
class BatchedSvd {
 public:
  virtual ~BatchedSvd() = default;
  virtual int u_columns() const = 0;
  /// Allocates workspace for `count` matrices; throws OutOfMemory.
  virtual void reserve(long count) = 0;
  /// Enqueues the decompositions of at most as many matrices as reserved.
  virtual void enqueue(const SvdArrays& arrays, long count, const Stream& stream) = 0;
};

/// Returns the SVD of matrices with `length` rows and `extent` columns, 1 <= extent <= length. Throws Error(no_backend)
/// if there is no cuSOLVER.
std::unique_ptr<BatchedSvd> make_batched_svd(int length, int extent, Precision precision);

}  // namespace kalaba::cuda
