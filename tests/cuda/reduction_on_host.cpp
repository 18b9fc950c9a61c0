// reduce_batch by Thrust's algorithms for a host: what statistics.cu does on a device, line by line the same code.

#define THRUST_DEVICE_SYSTEM THRUST_DEVICE_SYSTEM_CPP

#include <thrust/system/cpp/execution_policy.h>

#include <cstring>

#include "kernels/statistics.cuh"
#include "reduction_place.hpp"

namespace kalaba {

std::size_t reduction_workspace_bytes(const ObservedBatch& batch, const SampleSize& size) {
  return ReductionWorkspace(batch, size, nullptr).bytes;
}

void reduce_batch(const ObservedBatch& batch, const SampleSize& size, void* workspace, std::size_t workspace_bytes,
                  CUstream_st* /*stream*/, ReductionReceiver& receiver) {
  const auto fetch = [](void* to, const void* from, std::size_t bytes) { std::memcpy(to, from, bytes); };
  reduce_batch_with(thrust::cpp::par, fetch, batch, size, workspace, workspace_bytes, receiver);
}

double greatest_of_ok(const ObservedBatch& batch, CUstream_st* /*stream*/) {
  return greatest_of_ok_with(thrust::cpp::par, batch);
}

namespace test {

std::string reduction_problem() { return ""; }

std::shared_ptr<void> reduction_memory(const void* from, std::size_t bytes) {
  const std::shared_ptr<char[]> memory(new char[bytes]);
  if (from != nullptr) {
    std::memcpy(memory.get(), from, bytes);
  } else {
    std::memset(memory.get(), 0xFF, bytes);  // as doubles: not a number
  }
  return {memory, memory.get()};
}

}  // namespace test
}  // namespace kalaba
