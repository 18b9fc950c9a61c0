#pragma once

#include <cuda.h>

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "device_memory.hpp"
#include "module.hpp"
#include "stream.hpp"

namespace kalaba::emulated {

/// Objects by handle; a handle is an object's address.
template <class Object>
class Table {
 public:
  Object* add(std::shared_ptr<Object> object) {
    const std::lock_guard lock(mutex_);
    Object* handle = object.get();
    objects_[handle] = std::move(object);
    return handle;
  }
  std::shared_ptr<Object> find(const void* handle) const {
    const std::lock_guard lock(mutex_);
    const auto found = objects_.find(handle);
    return found == objects_.end() ? nullptr : found->second;
  }
  void remove(const void* handle) {
    const std::shared_ptr<Object> last = find(handle);  // so that its end does not come under the lock
    const std::lock_guard lock(mutex_);
    objects_.erase(handle);
  }
  std::vector<std::shared_ptr<Object>> all() const {
    const std::lock_guard lock(mutex_);
    std::vector<std::shared_ptr<Object>> objects;
    for (const auto& [handle, object] : objects_) objects.push_back(object);
    return objects;
  }
  void clear() {
    const std::vector<std::shared_ptr<Object>> last = all();
    const std::lock_guard lock(mutex_);
    objects_.clear();
  }

 private:
  mutable std::mutex mutex_;
  std::map<const void*, std::shared_ptr<Object>> objects_;
};

/// Recorded work of a stream, to be launched repeatedly.
struct Graph {
  std::vector<Work> work;
};

/// The primary context of a device. It stays in its place when it is released, so that a handle to it never dangles.
struct Context {
  DeviceMemory memory;
  Table<Stream> streams;
  Table<Event> events;
  Table<Module> modules;
  Table<Function> functions;
  Table<Graph> graphs;
  Table<Graph> executable_graphs;
  std::atomic<int> retained = 0;
  std::atomic<CUresult> fault = CUDA_SUCCESS;  ///< persists, as on a GPU, until the context is released

  /// Executes all queued work.
  void finish();
  /// Ends the context; reports resources that its owner did not release.
  void clear();
  /// Counts the launch of a kernel; returns true for the launch that must fail.
  bool fails(const std::string& kernel);

 private:
  std::mutex mutex_;
  std::string counted_fault_;
  long launches_ = 0;
};

struct Driver {
  static constexpr int most_devices = 16;

  std::atomic<bool> ready = false;  ///< after cuInit
  Context contexts[most_devices];   ///< of the devices
};

/// Never destroyed: streams may still be working when the process ends.
Driver& driver();
int device_count();
std::size_t device_memory();

/// Current context of the calling thread, or null.
Context*& current_context();

/// Description of the allocation that contains an address of any device, for signal handlers.
std::string describe_address(const void* address);

}  // namespace kalaba::emulated
