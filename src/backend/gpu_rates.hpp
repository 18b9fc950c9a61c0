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
  int fp64;      ///< in double precision, likewise
  double clock;  ///< Hz, maximum
};
std::span<const GpuRates> known_gpus();

/// Upper bound of the members' steps per second of a GPU for these instructions, without any latency; 0 if the least
/// number of instructions of a step is not known.
double most_steps_per_second(const KernelResources& advance, const GpuRates& gpu);

}  // namespace kalaba
