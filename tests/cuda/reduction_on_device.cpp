// Memory of a GPU for the reduce_batch of kernels/statistics.cu.

#include <cuda_runtime_api.h>

#include <stdexcept>

#include "reduction_place.hpp"

namespace kalaba::test {
namespace {

void check(cudaError_t result) {
  if (result != cudaSuccess) throw std::runtime_error(cudaGetErrorString(result));
}

}  // namespace

std::string reduction_problem() {
  int devices = 0;
  const cudaError_t result = cudaGetDeviceCount(&devices);
  return result == cudaSuccess ? "" : cudaGetErrorString(result);
}

std::shared_ptr<void> reduction_memory(const void* from, std::size_t bytes) {
  void* memory = nullptr;
  check(cudaMalloc(&memory, bytes));
  const std::shared_ptr<void> owner(memory, [](void* address) { cudaFree(address); });
  check(from == nullptr ? cudaMemset(memory, 0xFF, bytes) : cudaMemcpy(memory, from, bytes, cudaMemcpyHostToDevice));
  return owner;
}

}  // namespace kalaba::test
