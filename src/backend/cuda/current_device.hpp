#pragma once

namespace kalaba::cuda {

/// Device and context that CUDA's driver and runtime use for calls of this thread.
struct CurrentDevice {
  int ordinal = 0;
  unsigned long long context = 0;  ///< unique in this process; never reused
};

/// Returns them. Throws Error: bad_input if no device is current, no_backend if the driver cannot be used.
CurrentDevice current_device();

}  // namespace kalaba::cuda
