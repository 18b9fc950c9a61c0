#include <cuda_runtime_api.h>
#include <thrust/system/cuda/execution_policy.h>

#include "kernels/statistics.cuh"

namespace kalaba {
namespace {

__global__ void nothing() {}

void check(cudaError_t result, const char* doing) {
  if (result == cudaSuccess) return;
  throw std::runtime_error(std::string(doing) + ": " + cudaGetErrorName(result) + ", " + cudaGetErrorString(result));
}

/// Allocates Thrust's temporaries in stream order, so that allocation and release do not wait for other streams.
class StreamMemory {
 public:
  using value_type = char;

  explicit StreamMemory(cudaStream_t stream) : stream_(stream) {}

  char* allocate(std::ptrdiff_t bytes) const {
    void* memory = nullptr;
    check(cudaMallocAsync(&memory, static_cast<std::size_t>(bytes), stream_), "taking memory to reduce statistics in");
    return static_cast<char*>(memory);
  }
  void deallocate(char* memory, std::size_t) const {
    static_cast<void>(cudaFreeAsync(memory, stream_));  // if it fails, the stream's next call fails too
  }

 private:
  cudaStream_t stream_;
};

/// Copies to the host when the preceding work of the stream is done.
struct FetchBehind {
  cudaStream_t stream;

  void operator()(void* to, const void* from, std::size_t bytes) const {
    check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToHost, stream), "copying statistics back");
    check(cudaStreamSynchronize(stream), "reducing a batch to statistics");
  }
};

}  // namespace

std::string reduction_problem() {
  // Loads the code that nvcc compiled: there may be none for this device, or the driver may be too old for it.
  cudaFuncAttributes attributes;
  cudaError_t result = cudaFuncGetAttributes(&attributes, nothing);
  int device = 0;
  int has_pools = 0;
  if (result == cudaSuccess) result = cudaGetDevice(&device);
  if (result == cudaSuccess) result = cudaDeviceGetAttribute(&has_pools, cudaDevAttrMemoryPoolsSupported, device);
  static_cast<void>(cudaGetLastError());  // clears the error, which Thrust would report
  if (result != cudaSuccess) return std::string(cudaGetErrorName(result)) + ", " + cudaGetErrorString(result);
  return has_pools != 0 ? "" : "this device has no memory pools";
}

std::size_t reduction_workspace_bytes(const ObservedBatch& batch, const SampleSize& size) {
  return ReductionWorkspace(batch, size, nullptr).bytes;
}

void reduce_batch(const ObservedBatch& batch, const SampleSize& size, void* workspace, std::size_t workspace_bytes,
                  CUstream_st* stream, ReductionReceiver& receiver) {
  StreamMemory memory(stream);
  reduce_batch_with(thrust::cuda::par(memory).on(stream), FetchBehind{stream}, batch, size, workspace, workspace_bytes,
                    receiver);
}

double greatest_of_ok(const ObservedBatch& batch, CUstream_st* stream) {
  StreamMemory memory(stream);
  return greatest_of_ok_with(thrust::cuda::par(memory).on(stream), batch);
}

}  // namespace kalaba
