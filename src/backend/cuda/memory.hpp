#pragma once

#include <cuda.h>

#include <cstddef>
#include <memory>
#include <string>
#include <vector>
#include "backend/cuda/driver.hpp"

namespace kalaba::cuda {

// Owners of the driver's objects. Each belongs to the device that was current when it was created, and is used and
// destroyed with that device current (Device::make_current). They are movable and not copyable; a moved-from object
// owns nothing. Constructors and calls throw as `check` does; destructors never throw.

/// Releases a handle to the driver.
struct Release {
  void operator()(CUstream stream) const noexcept;
  void operator()(CUevent event) const noexcept;
  void operator()(CUmodule module) const noexcept;
};
struct ReleaseDeviceMemory {
  void operator()(void* address) const noexcept;
};
struct ReleasePinnedMemory {
  void operator()(void* address) const noexcept;
};

/// Memory of a device, not initialised.
class DeviceBuffer {
 public:
  DeviceBuffer() = default;
  /// Throws OutOfMemory. Zero bytes are an empty buffer.
  explicit DeviceBuffer(std::size_t bytes);

  std::size_t bytes() const { return memory_ ? bytes_ : 0; }
  CUdeviceptr address() const { return reinterpret_cast<CUdeviceptr>(memory_.get()); }
  /// Device address for kernels; the host cannot access it.
  template <class T>
  T* data() const {
    return static_cast<T*>(memory_.get());
  }

 private:
  std::size_t bytes_ = 0;
  std::unique_ptr<void, ReleaseDeviceMemory> memory_;
};

/// Page-locked host memory, not initialised; copies between it and a device are asynchronous.
class PinnedBuffer {
 public:
  PinnedBuffer() = default;
  /// Throws OutOfMemory. Zero bytes are an empty buffer.
  explicit PinnedBuffer(std::size_t bytes);

  std::size_t bytes() const { return memory_ ? bytes_ : 0; }
  template <class T>
  T* data() const {
    return static_cast<T*>(memory_.get());
  }

 private:
  std::size_t bytes_ = 0;
  std::unique_ptr<void, ReleasePinnedMemory> memory_;
};

class Event;

/// Sequence of work that a device executes in order, concurrently with other streams.
class Stream {
 public:
  Stream();
  CUstream get() const { return stream_.get(); }
  /// Waits until all work so far is done. Throws the error of that work.
  void synchronize() const;
  /// Makes later work wait for the work recorded in `event`; has no effect if nothing was recorded.
  void wait(const Event& event) const;

 private:
  std::unique_ptr<CUstream_st, Release> stream_;
};

/// A point in the work of a stream.
class Event {
 public:
  enum class Kind { ordering, timing };
  explicit Event(Kind kind = Kind::ordering);
  CUevent get() const { return event_.get(); }
  void record(const Stream& stream) const;
  /// Waits until the stream has reached the point. Throws the error of its work.
  void synchronize() const;
  /// Seconds between two points that were reached, both of kind `timing`; the resolution is about half a microsecond.
  double seconds_since(const Event& earlier) const;

 private:
  std::unique_ptr<CUevent_st, Release> event_;
};

/// A variable of a module.
struct Global {
  CUdeviceptr address = 0;
  std::size_t bytes = 0;
};

/// Compiled kernels on a device.
class Module {
 public:
  /// Throws Error(no_backend) if the driver cannot load the compiler's output because it is older than the compiler.
  explicit Module(const std::vector<char>& cubin);
  /// Returns a kernel (extern "C"), valid as long as the module lives. Throws Error(internal_error) if there is none of
  /// that name.
  CUfunction function(const std::string& name) const;
  /// Returns a variable (extern "C"). Throws Error(internal_error) if there is none of that name.
  Global global(const std::string& name) const;

 private:
  std::unique_ptr<CUmod_st, Release> module_;
};

/// Returns a global `long` of a module. Waits for the device.
inline long number_of(const Module& module, const std::string& name) {
  long number = 0;
  const Stream stream;
  check(driver().cuMemcpyDtoHAsync(&number, module.global(name).address, sizeof number, stream.get()),
        "reading the variable " + name);
  stream.synchronize();
  return number;
}

}  // namespace kalaba::cuda
