#pragma once

#include <string>

#include "backend/cuda/compiler.hpp"
#include "backend/cuda/device.hpp"
#include "backend/cuda/member_kernels.hpp"
#include "kalaba/core/model/method.hpp"
#include "kernels/matrix_work.hpp"

namespace kalaba::cuda {

/// All inputs of the compilation of a kernel of kernels/pseudo_inverse.cuh, except the device.
struct MatrixProgram {
  std::string real;  ///< "float" or "double"
  PseudoInverse method;
  MatrixShape shape;
  MatrixOutputs requested;

  /// Returns the source text for `workers` threads per matrix. The kernel is kalaba_factorize(MatrixArrays<real>, real
  /// tolerance); the global kalaba_workspace is the shared memory per matrix in bytes.
  std::string text(int workers) const;
  /// "matrices 9x12 (svd)"
  std::string name() const;
  /// Number of rows that the threads of a tile share.
  int rows_to_share() const;
  /// Returns true if a matrix of this size may fit into the registers of one thread.
  bool may_fit_a_thread() const;
};

/// Returns the kernel of a program on the current device. It is compiled on first use and kept as long as the process
/// lives, because calls may be in progress on streams of the application. With workers = 0 the shape determines the
/// number of workers. Thread-safe.
Kernel matrix_kernel(const MatrixProgram& program, int workers);

}  // namespace kalaba::cuda
