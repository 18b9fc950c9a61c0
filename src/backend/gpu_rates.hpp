#pragma once

#include <span>

#include "backend/kernel_resources.hpp"

namespace kalaba {

/// Limits of the arithmetic throughput of a GPU, from its data sheet.
struct GpuRates {
  const char* name;
  const char* architecture;
  int multiprocessors;
  int issued;    ///< instructions of threads, per multiprocessor and clock
  int fp64;      ///< of them in double precision
  double clock;  ///< Hz, at most
};
std::span<const GpuRates> known_gpus();

/// Steps of members a second that a GPU cannot exceed with these instructions, had they nothing to wait for; 0 where
/// the least instructions of a step are not known.
double most_steps_per_second(const KernelResources& advance, const GpuRates& gpu);

}  // namespace kalaba
