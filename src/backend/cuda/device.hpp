#pragma once

#include <cuda.h>

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace kalaba::cuda {

/// What a device is.
struct DeviceInfo {
  int ordinal = 0;
  std::string name;          ///< "NVIDIA H200"
  int major = 0, minor = 0;  ///< compute capability
  int multiprocessors = 0;
  std::size_t total_memory = 0;             ///< bytes
  std::size_t shared_memory_per_block = 0;  ///< bytes, the most that a kernel may opt in to

  /// The architecture as the compiler names it: "sm_90".
  std::string architecture() const;
};

/// Asks the driver; takes nothing of the device. Throws Error(no_backend) where the driver cannot be used.
DeviceInfo device_info(int ordinal);

/// Gives the primary context of a device back to the driver.
struct ReleasePrimaryContext {
  CUdevice device = 0;
  void operator()(CUcontext context) const noexcept;
};

/// A device held for use: its primary context, which everything of this process on that device shares. What was made
/// on a device must go before the Device does.
class Device {
 public:
  /// Throws Error(no_backend) where the device cannot be had (another process holds it for itself, say) and OutOfMemory
  /// where it has no room for a context.
  explicit Device(int ordinal);

  const DeviceInfo& info() const { return info_; }
  /// Makes the calls of this thread mean this device. Everything in memory.hpp is made, used and destroyed so.
  void make_current() const;
  /// Bytes that nobody holds now. Makes the device current.
  std::size_t free_memory() const;

 private:
  DeviceInfo info_;
  std::unique_ptr<CUctx_st, ReleasePrimaryContext> context_;
};

/// A device that this process holds from its first use to its end: releasing the last hold on a primary context resets
/// it, which takes a good part of a second and pulls it from under CUDA's own libraries. Throws what Device does.
std::shared_ptr<const Device> held_device(int ordinal);

/// The devices to use, by number: those asked for in the order asked, or all where none is. Throws Error(bad_input) for
/// a number that no device has or that comes twice, and Error(no_backend) where the driver cannot be used.
std::vector<int> device_ordinals(const std::vector<int>& asked);

/// One line a device, joined by line ends: "cuda 0: NVIDIA H200, 139 GiB, sm_90, 132 multiprocessors, driver 13.0".
/// Throws Error(no_backend) where the driver cannot be used.
std::string devices_text();

}  // namespace kalaba::cuda
