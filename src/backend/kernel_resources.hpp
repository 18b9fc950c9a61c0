#pragma once

#include <string>
#include <vector>

#include "kalaba/options.hpp"
#include "kalaba/system.hpp"

namespace kalaba {

/// Resources that a CUDA kernel needs.
struct KernelResources {
  std::string kernel;  ///< "kalaba_start", "kalaba_advance", "kalaba_observe"; for cusolver also "kalaba_stage", ...
  int threads_per_member = 1;
  int registers = 0;      ///< per thread
  int stack_bytes = 0;    ///< per thread: arrays indexed at run time, and spills
  int spilled_bytes = 0;  ///< per thread: stored and loaded because registers ran out, or around a call
  long instructions = 0;  ///< in the kernel's code
  long fp64 = 0;          ///< of these, sums, products and comparisons in double precision
  long local = 0;         ///< of these, loads and stores of local memory (stack, spills) and through generic addresses
  /// Number of instructions that a thread executes at least in a step of RK4 by kalaba_advance, if every inner loop is
  /// left as early as possible; 0 for a system without constraints, or if no such step was found in the kernel.
  long step_instructions = 0;
  long step_fp64 = 0;
  long step_local = 0;
};

/// Compiles the kernels of a system of the catalogue, or of a swarm, anew for an architecture ("sm_90"); no device is
/// used. With options.threads_per_member = 0, uses as many threads as a device would. Throws Error: no_backend if there
/// is no compiler or it does not support the architecture, internal_error with its log if it fails.
std::vector<KernelResources> kernel_resources(const System& system, const Options& options,
                                              const std::string& architecture);

}  // namespace kalaba
