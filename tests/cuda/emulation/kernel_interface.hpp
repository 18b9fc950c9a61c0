#pragma once

// Interface between the emulated driver and the kernels compiled for it. Included by the driver and by the shim that is
// prepended to every kernel: plain structs only, no library.

namespace kalaba_emulated {

struct Index {
  unsigned x, y, z;
};

/// Index of a thread in its launch.
struct Place {
  Index thread, block, block_size, grid_size;
};

/// Functions of the driver for the running thread.
struct Services {
  const Place* (*place)();
  void* (*shared_memory)();
  void (*synchronize_block)();
  void (*synchronize_warp)(unsigned mask);
  unsigned (*ballot)(unsigned mask, bool vote);
  unsigned long long (*shuffle)(unsigned mask, unsigned long long value, int source_lane);
};

/// Kernel, exported under kernel_prefix + its name.
struct Kernel {
  int parameters;
  const unsigned long* sizes;         ///< of the parameters, in bytes
  int most_threads;                   ///< from __launch_bounds__; 0 if not given
  void (*place_thread_locals)();      ///< called before the first call on a host thread
  void (*call)(void* const* values);  ///< runs the current thread of the services
};

constexpr char kernel_prefix[] = "kalaba_emulated_kernel_";
constexpr char services_symbol[] = "kalaba_emulated_services";

constexpr unsigned long largest_shared_memory = 227UL * 1024;  ///< bytes a block of a Hopper GPU may opt in to
constexpr unsigned long default_shared_memory = 48UL * 1024;   ///< bytes without opting in
constexpr int most_threads_a_block = 1024;
constexpr int warp_size = 32;

}  // namespace kalaba_emulated
