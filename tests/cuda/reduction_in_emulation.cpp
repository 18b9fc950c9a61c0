// In the place of kernels/statistics.cu where the GPU is an emulated one, whose driver runs no Thrust: what was
// observed is copied, in the order of the stream, and reduced by the same algorithms for a host.

#define THRUST_DEVICE_SYSTEM THRUST_DEVICE_SYSTEM_CPP

#include <thrust/system/cpp/execution_policy.h>

#include <cstring>
#include <vector>

#include "backend/cuda/driver.hpp"
#include "kernels/statistics.cuh"

namespace kalaba {
namespace {

/// A batch on the host.
class Copied {
 public:
  Copied(const ObservedBatch& batch, CUstream_st* stream)
      : status_(static_cast<std::size_t>(batch.members)),
        values_(static_cast<std::size_t>((batch.rows - 1) * batch.stride + batch.members)),
        batch_(batch) {
    copy(status_, batch.status, stream);
    copy(values_, batch.values, stream);
    cuda::check(cuda::driver().cuStreamSynchronize(stream), "copying a batch");
    batch_.status = status_.data();
    batch_.values = values_.data();
  }

  const ObservedBatch& batch() const { return batch_; }

 private:
  static void copy(std::vector<double>& to, const double* from, CUstream_st* stream) {
    cuda::check(cuda::driver().cuMemcpyDtoHAsync(to.data(), reinterpret_cast<CUdeviceptr>(from),
                                                 to.size() * sizeof(double), stream),
                "copying a batch");
  }

  std::vector<double> status_;
  std::vector<double> values_;
  ObservedBatch batch_;
};

}  // namespace

std::string reduction_problem() { return ""; }

std::size_t reduction_workspace_bytes(const ObservedBatch& batch, const SampleSize& size) {
  return ReductionWorkspace(batch, size, nullptr).bytes;
}

void reduce_batch(const ObservedBatch& batch, const SampleSize& size, void* workspace, std::size_t workspace_bytes,
                  CUstream_st* stream, ReductionReceiver& receiver) {
  std::vector<char> stands_in(workspace == nullptr ? 0 : workspace_bytes);
  const auto fetch = [](void* to, const void* from, std::size_t bytes) { std::memcpy(to, from, bytes); };
  reduce_batch_with(thrust::cpp::par, fetch, Copied(batch, stream).batch(), size, stands_in.data(), stands_in.size(),
                    receiver);
}

double greatest_of_ok(const ObservedBatch& batch, CUstream_st* stream) {
  return greatest_of_ok_with(thrust::cpp::par, Copied(batch, stream).batch());
}

}  // namespace kalaba
