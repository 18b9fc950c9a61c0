#pragma once

#include <cuda.h>

#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "guarded_memory.hpp"

namespace kalaba::emulated {

/// The memory of one device. The host cannot touch it: it is open only while a stream works with it.
class DeviceMemory {
 public:
  /// Opens the memory while it lives.
  class Window {
   public:
    explicit Window(DeviceMemory& memory) : memory_(memory) { memory_.open(); }
    ~Window() { memory_.close(); }
    Window(const Window&) = delete;
    Window& operator=(const Window&) = delete;

   private:
    DeviceMemory& memory_;
  };

  /// Throws Failure, out of memory, beyond `limit` bytes in all.
  CUdeviceptr allocate(std::size_t size, std::size_t limit);
  /// Throws Failure at an address that allocate did not give, and where something was written around it.
  void free(CUdeviceptr address);
  void free_all();
  /// A variable of a module, which is not allocated here and always open.
  void add_variable(CUdeviceptr address, std::size_t size);
  void remove_variable(CUdeviceptr address);

  bool holds(CUdeviceptr address) const;
  /// Throws Failure unless the bytes are of one allocation.
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
