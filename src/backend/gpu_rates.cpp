#include "backend/gpu_rates.hpp"

#include <algorithm>

namespace kalaba {

// NVIDIA's data sheets and tuning guides: A100 (SXM), H100 (SXM), H200 (SXM), L40S.
std::span<const GpuRates> known_gpus() {
  static constexpr GpuRates gpus[] = {{"h200", "sm_90", 132, 128, 64, 1.98e9},
                                      {"h100", "sm_90", 132, 128, 64, 1.98e9},
                                      {"a100", "sm_80", 108, 128, 32, 1.41e9},
                                      {"l40s", "sm_89", 142, 128, 2, 2.52e9}};
  return gpus;
}

double most_steps_per_second(const KernelResources& advance, const GpuRates& gpu) {
  if (advance.step_instructions == 0) return 0;
  const double clocks = std::max(static_cast<double>(advance.step_instructions) / gpu.issued,
                                 static_cast<double>(advance.step_fp64) / gpu.fp64) *
                        advance.threads_per_member;
  return gpu.multiprocessors * gpu.clock / clocks;
}

}  // namespace kalaba
