#pragma once

#include <memory>

#include "kalaba/system.hpp"

namespace kalaba {

/// The kernels of one model, method shape and precision that nvcc compiled into the program: addresses of __global__
/// functions with the parameters that kernels/member_kernels.cuh gives them.
struct CompiledKernels {
  const void* start = nullptr;
  const void* advance = nullptr;
  const void* observe = nullptr;
  int workers = 1;            ///< threads a member
  std::size_t workspace = 0;  ///< bytes of shared memory a member, where workers > 1
  /// The driver's handle (a CUfunction) of such an address on the current device; null where it fails.
  void* (*resolve)(const void* kernel) = nullptr;
};

/// The CUDA backend on kernels compiled beforehand. Throws Error(no_backend) where there is no device.
std::unique_ptr<Runner> make_compiled_cuda_runner(const SystemInfo& system, const CompiledKernels& kernels,
                                                  const Options& options);

}  // namespace kalaba
