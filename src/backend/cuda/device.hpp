#pragma once

#include <cuda.h>

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace kalaba::cuda {

/// Properties of a device.
struct DeviceInfo {
  int ordinal = 0;
  std::string name;          ///< "NVIDIA H200"
  int major = 0, minor = 0;  ///< compute capability
  int multiprocessors = 0;
  std::size_t total_memory = 0;             ///< bytes
  std::size_t shared_memory_per_block = 0;  ///< bytes, largest size that a kernel may opt in to

  /// Architecture in the compiler's notation: "sm_90".
  std::string architecture() const;
};

/// Queries the driver without taking resources of the device. Throws Error(no_backend) if the driver cannot be used.
DeviceInfo device_info(int ordinal);

/// Gives the primary context of a device back to the driver.
struct ReleasePrimaryContext {
  CUdevice device = 0;
  void operator()(CUcontext context) const noexcept;
};

/// A device in use: its primary context, which all code of this process on that device shares. Objects created on a
/// device must be destroyed before the Device.
class Device {
 public:
  /// Throws Error(no_backend) if the device is not available (for example, another process has exclusive use) and
  /// OutOfMemory if it has no memory for a context.
  explicit Device(int ordinal);

  const DeviceInfo& info() const { return info_; }
  /// Makes this device current for the calling thread. All objects of memory.hpp are created, used and destroyed with
  /// their device current.
  void make_current() const;
  /// Free memory in bytes. Makes the device current.
  std::size_t free_memory() const;

 private:
  DeviceInfo info_;
  std::unique_ptr<CUctx_st, ReleasePrimaryContext> context_;
};

/// Returns a device that this process holds from its first use to its end. Releasing the last reference to a primary
/// context resets it, which takes a large part of a second and invalidates the state of CUDA's libraries. Throws as
/// Device does.
std::shared_ptr<const Device> held_device(int ordinal);

/// Returns the numbers of the devices to use: the requested ones in the requested order, or all if the request is
/// empty. Throws Error(bad_input) for a number without a device or a repeated number, and Error(no_backend) if the
/// driver cannot be used.
std::vector<int> device_ordinals(const std::vector<int>& requested);

/// Returns one line per device, joined by line ends: "cuda 0: NVIDIA H200, 139 GiB, sm_90, 132 multiprocessors, driver
/// 13.0". Throws Error(no_backend) if the driver cannot be used.
std::string devices_text();

/// Device and context that CUDA's driver and runtime use for calls of this thread.
struct CurrentDevice {
  int ordinal = 0;
  unsigned long long context = 0;  ///< unique in this process; never reused
};

/// Returns them. Throws Error: bad_input if no device is current, no_backend if the driver cannot be used.
CurrentDevice current_device();

}  // namespace kalaba::cuda
