#pragma once

#include <cuda.h>

#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "guarded_memory.hpp"

namespace kalaba::emulated {

/// Memory of one device. The host cannot access it: it is open only while a stream executes work.
class DeviceMemory {
 public:
  /// Opens the memory during its lifetime.
  class Window {
   public:
    explicit Window(DeviceMemory& memory) : memory_(memory) { memory_.open(); }
    ~Window() { memory_.close(); }
    Window(const Window&) = delete;
    Window& operator=(const Window&) = delete;

   private:
    DeviceMemory& memory_;
  };

  /// Throws Failure (out of memory) if the total exceeds `limit` bytes.
  CUdeviceptr allocate(std::size_t size, std::size_t limit);
  /// Throws Failure for an address that allocate did not return, and for writes outside the allocation.
  void free(CUdeviceptr address);
  void free_all();
  /// Adds a variable of a module, which is not allocated here and always accessible.
  void add_variable(CUdeviceptr address, std::size_t size);
  void remove_variable(CUdeviceptr address);

  bool holds(CUdeviceptr address) const;
  /// Throws Failure unless the bytes belong to one allocation.
  void check(CUdeviceptr address, std::size_t size) const;
  std::size_t used() const;
  std::size_t allocations() const;
  /// Description of an address for a message; empty if it is not near any allocation. Does not wait for a lock, so that
  /// signal handlers may call it.
  std::string describe(const void* address) const;

 private:
  using Allocations = std::map<CUdeviceptr, std::unique_ptr<GuardedMemory>>;

  void open();
  void close();

  mutable std::mutex mutex_;
  Allocations allocations_;
  std::map<CUdeviceptr, std::size_t> variables_;
  std::size_t used_ = 0;
  int windows_ = 0;
};

}  // namespace kalaba::emulated
