#include <cuda_runtime_api.h>
#include <thrust/system/cuda/execution_policy.h>

#include "kernels/statistics.cuh"

namespace kalaba {
namespace {

__global__ void nothing() {}

/// Copies to the host when the stream has come so far.
struct FetchBehind {
  cudaStream_t stream;

  void operator()(void* to, const void* from, std::size_t bytes) const {
    check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToHost, stream), "copying statistics back");
    check(cudaStreamSynchronize(stream), "reducing a batch to statistics");
  }

 private:
  static void check(cudaError_t result, const char* doing) {
    if (result == cudaSuccess) return;
    throw std::runtime_error(std::string(doing) + ": " + cudaGetErrorName(result) + ", " + cudaGetErrorString(result));
  }
};

}  // namespace

std::string reduction_problem() {
  // Asks the runtime to load what nvcc compiled: there may be nothing for this device, or a driver too old for it.
  cudaFuncAttributes attributes;
  const cudaError_t result = cudaFuncGetAttributes(&attributes, nothing);
  static_cast<void>(cudaGetLastError());  // which Thrust would come across
  return result == cudaSuccess ? "" : std::string(cudaGetErrorName(result)) + ", " + cudaGetErrorString(result);
}

std::size_t reduction_workspace_bytes(const ObservedBatch& batch, const SampleSize& size) {
  return ReductionWorkspace(batch, size, nullptr).bytes;
}

void reduce_batch(const ObservedBatch& batch, const SampleSize& size, void* workspace, std::size_t workspace_bytes,
                  CUstream_st* stream, ReductionReceiver& receiver) {
  reduce_batch_with(thrust::cuda::par.on(stream), FetchBehind{stream}, batch, size, workspace, workspace_bytes,
                    receiver);
}

double greatest_of_ok(const ObservedBatch& batch, CUstream_st* stream) {
  return greatest_of_ok_with(thrust::cuda::par.on(stream), batch);
}

}  // namespace kalaba
