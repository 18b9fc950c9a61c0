#pragma once

#include "kernels/launch.cuh"
#include "kernels/matrix_work.hpp"

namespace kalaba {

/// Body of the kernel that factorizes a batch of matrices; `Work` is a MatrixWork. A kernel compiled at run time passes
/// shape and outputs as constants, and the branches on them are eliminated.
template <class Work, int Workers, class T>
__device__ __forceinline__ void factorize_matrices(const MatrixArrays<T>& arrays, const MatrixShape& shape,
                                                   const MatrixOutputs& requested, T tolerance) {
  for_my_member<Work, Workers>(arrays.count, [&](const auto& team, Work& work, long index) {
    work.run(team, arrays, shape, requested, MatrixPlace{arrays.stride, index}, tolerance);
  });
}

}  // namespace kalaba
