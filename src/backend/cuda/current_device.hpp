#pragma once

namespace kalaba::cuda {

/// What the calling thread's calls mean to CUDA's driver and runtime.
struct CurrentDevice {
  int ordinal = 0;
  unsigned long long context = 0;  ///< no other context of this process ever has the same
};

/// Throws Error: bad_input where no device is current, no_backend where the driver cannot be used.
CurrentDevice current_device();

}  // namespace kalaba::cuda
