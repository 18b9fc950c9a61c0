// The driver's functions for memory and copies.

#include <algorithm>
#include <bit>
#include <cstring>
#include <mutex>
#include <utility>

#include "api.hpp"
#include "environment.hpp"

using namespace kalaba::emulated;

namespace kalaba::emulated {

void check_device_memory(Context& context, CUdeviceptr address, std::size_t size) {
  for (const Context& other : driver().contexts) {
    if (&other != &context && other.memory.holds(address)) {
      throw Failure{CUDA_ERROR_INVALID_CONTEXT, "the memory is of another context"};
    }
  }
  context.memory.check(address, size);
}

long push(Context& context, Stream& stream, Work work) {
  work.run = [&context, run = std::move(work.run)](BlockRunner& blocks) {
    if (context.fault.load(std::memory_order_relaxed) == CUDA_SUCCESS) run(blocks);
  };
  return stream.push(std::move(work));
}

}  // namespace kalaba::emulated

namespace {

/// Memory of the host that cuMemAllocHost gave.
struct HostMemory {
  std::mutex mutex;
  std::map<const void*, std::unique_ptr<GuardedMemory>> allocations;
};

HostMemory& host_memory() {
  static HostMemory& only = *new HostMemory;
  return only;
}

void* address_of(CUdeviceptr address) { return std::bit_cast<void*>(address); }

/// The checks of a copy or a fill, and its place in the stream.
template <class Run>
CUresult push_transfer(const char* call, CUdeviceptr device, std::size_t size, CUstream handle, const void* host,
                       const Run& run) {
  return answer_in_context(call, [&](Context& context) {
    const auto stream = find_stream(context, handle);
    if (size == 0) return CUDA_SUCCESS;
    check_device_memory(context, device, size);
    const auto in_window = [&context, run](BlockRunner& /*blocks*/) {
      const DeviceMemory::Window window(context.memory);
      run();
    };
    push(context, *stream, {call, in_window, host, size});
    return CUDA_SUCCESS;
  });
}

}  // namespace

extern "C" {

CUresult CUDAAPI cuMemGetInfo(std::size_t* unused, std::size_t* total) {
  return answer_in_context("cuMemGetInfo", [&](Context& context) {
    need(unused);
    need(total);
    *total = device_memory();
    *unused = *total - std::min(*total, context.memory.used());
    return CUDA_SUCCESS;
  });
}

CUresult CUDAAPI cuMemAlloc(CUdeviceptr* address, std::size_t size) {
  return answer_in_context("cuMemAlloc", [&](Context& context) {
    refuse_recording();
    need(address);
    if (fault().starts_with("memory:") && size > std::stoull(fault().substr(7))) return CUDA_ERROR_OUT_OF_MEMORY;
    *address = context.memory.allocate(size, device_memory());
    return CUDA_SUCCESS;
  });
}

CUresult CUDAAPI cuMemFree(CUdeviceptr address) {
  return answer_with_end_of("cuMemFree", [&](Context& context) {
    refuse_recording();
    for (const Context& other : driver().contexts) {
      if (&other != &context && other.memory.holds(address)) {
        throw Failure{CUDA_ERROR_INVALID_CONTEXT, "the memory is of another context"};
      }
    }
    context.finish();  // a GPU's driver waits here as well
    context.memory.free(address);
  });
}

CUresult CUDAAPI cuMemAllocHost(void** address, std::size_t size) {
  return answer_in_context("cuMemAllocHost", [&](Context& /*context*/) {
    refuse_recording();
    need(address);
    if (size == 0) throw Failure{CUDA_ERROR_INVALID_VALUE, "no bytes requested"};
    auto memory = std::make_unique<GuardedMemory>(size);
    *address = memory->data();
    const std::lock_guard lock(host_memory().mutex);
    host_memory().allocations[*address] = std::move(memory);
    return CUDA_SUCCESS;
  });
}

CUresult CUDAAPI cuMemFreeHost(void* address) {
  return answer_with_end_of("cuMemFreeHost", [&](Context& /*context*/) {
    refuse_recording();
    const std::lock_guard lock(host_memory().mutex);
    const auto found = host_memory().allocations.find(address);
    if (found == host_memory().allocations.end()) {
      throw Failure{CUDA_ERROR_INVALID_VALUE, "not an allocation, or freed before"};
    }
    for (const Context& context : driver().contexts) {
      if (context.fault != CUDA_SUCCESS) continue;  // none of its copies will come any more
      for (const auto& stream : context.streams.all()) {
        if (stream->uses(address, found->second->size())) {
          throw Failure{CUDA_ERROR_INVALID_VALUE, "a copy in a stream has not been waited for and still uses it"};
        }
      }
    }
    const std::string damage = found->second->damage();
    host_memory().allocations.erase(found);
    if (!damage.empty()) throw Failure{CUDA_ERROR_INVALID_VALUE, damage};
  });
}

CUresult CUDAAPI cuMemcpyHtoDAsync(CUdeviceptr to, const void* from, std::size_t size, CUstream stream) {
  return push_transfer("cuMemcpyHtoDAsync", to, size, stream, from, [=] { std::memcpy(address_of(to), from, size); });
}

CUresult CUDAAPI cuMemcpyDtoHAsync(void* to, CUdeviceptr from, std::size_t size, CUstream stream) {
  return push_transfer("cuMemcpyDtoHAsync", from, size, stream, to, [=] { std::memcpy(to, address_of(from), size); });
}

CUresult CUDAAPI cuMemsetD8Async(CUdeviceptr to, unsigned char value, std::size_t size, CUstream stream) {
  return push_transfer("cuMemsetD8Async", to, size, stream, nullptr, [=] { std::memset(address_of(to), value, size); });
}

}  // extern "C"
