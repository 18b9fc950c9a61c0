#pragma once

// For a .cu file: the kernels of a model, compiled by nvcc into the program. (A system with device_code needs none of
// this: its kernels are compiled when it runs.)
//
//   // bead.cu
//   #include <kalaba/cuda.hpp>
//   #include "bead.hpp"
//   kalaba::System::CudaFactory bead_on_cuda() { return &kalaba::cuda_runner<Bead>; }
//
//   // main.cpp
//   kalaba::System system = kalaba::make_system<Bead>();
//   system.cuda = bead_on_cuda();

#include <cuda_runtime_api.h>

#include <type_traits>

#include "kalaba/backend/compiled_kernels.hpp"
#include "kalaba/core/energy.hpp"
#include "kalaba/error.hpp"
#include "kernels/member_kernels.cuh"

namespace kalaba {
namespace detail {

template <class Work, int Workers>
__global__ void __launch_bounds__(128) start_kernel(Batch batch, Method method, double time, int project) {
  start_members<Work, Workers>(batch, method, time, project != 0);
}
template <class Work, int Workers>
__global__ void __launch_bounds__(128)
    advance_kernel(Batch batch, Method method, TimeGrid time, long first_step, long steps) {
  advance_members<Work, Workers>(batch, method, time, first_step, steps);
}
template <class Work, int Workers>
__global__ void __launch_bounds__(128)
    observe_kernel(Batch batch, Method method, double time, unsigned fields, double* out) {
  observe_members<Work, Workers>(batch, method, time, fields, out);
}

inline void* device_function(const void* kernel) {
  cudaFunction_t function = nullptr;
  return cudaGetFuncBySymbol(&function, kernel) == cudaSuccess ? function : nullptr;
}

template <class Work, int Workers>
CompiledKernels compiled_kernels() {
  const auto address = [](auto* kernel) { return reinterpret_cast<const void*>(kernel); };
  return {address(&start_kernel<Work, Workers>),
          address(&advance_kernel<Work, Workers>),
          address(&observe_kernel<Work, Workers>),
          Workers,
          sizeof(Work),
          &device_function};
}

}  // namespace detail

/// A runner on kernels that nvcc compiles for this model, in one precision, with Workers threads a member (1, 4, 8, 16
/// or 32). Throws Error: no_backend where there is no device or the program holds no kernels for it, bad_input where
/// the options ask for another precision or number of threads.
template <class Stated, class X = double, int Workers = 1>
std::unique_ptr<Runner> cuda_runner(const SystemInfo& system, const Options& options) {
  using M = WithTerms<Stated>;
  constexpr bool is_single = std::is_same_v<X, float>;
  if ((options.precision == Precision::single_precision) != is_single) {
    throw Error(ExitCode::bad_input, system.name + ": its kernels were compiled in " +
                                         (is_single ? "single" : "double") +
                                         " precision, and the options ask for the other");
  }
  if (options.threads_per_member != 0 && options.threads_per_member != Workers) {
    throw Error(ExitCode::bad_input,
                system.name + ": its kernels were compiled for threads_per_member = " + std::to_string(Workers));
  }
  if (adapts(options.method.integrator)) {
    throw Error(ExitCode::bad_input, system.name +
                                         ": its kernels were compiled for the integrator rk4; an adaptive one needs a "
                                         "system with device_code, whose kernels are compiled when it runs");
  }
  if (options.method.pseudo_inverse == PseudoInverse::ldlt) {
    throw Error(ExitCode::bad_input, system.name +
                                         ": its kernels were compiled for the pseudo-inverses svd and qr; ldlt needs a "
                                         "system with device_code, whose kernels are compiled when it runs");
  }
  const CompiledKernels kernels = options.method.pseudo_inverse == PseudoInverse::qr
                                      ? detail::compiled_kernels<MemberWork<M, X, PivotedQr>, Workers>()
                                      : detail::compiled_kernels<MemberWork<M, X, JacobiSvd>, Workers>();
  return make_compiled_cuda_runner(system, kernels, options);
}

}  // namespace kalaba
