#include <stdexcept>

#include "kernels/statistics.hpp"

// Replaces kernels/statistics.cu in a build without nvcc.

namespace kalaba {
namespace {

[[noreturn]] void refuse() { throw std::logic_error(reduction_problem()); }

}  // namespace

std::string reduction_problem() {
  return "this build has no kernels for it: nvcc was not found when it was configured";
}

std::size_t reduction_workspace_bytes(const ObservedBatch& /*batch*/, const SampleSize& /*size*/) { refuse(); }

void reduce_batch(const ObservedBatch& /*batch*/, const SampleSize& /*size*/, void* /*workspace*/,
                  std::size_t /*workspace_bytes*/, CUstream_st* /*stream*/, ReductionReceiver& /*receiver*/) {
  refuse();
}

double greatest_of_ok(const ObservedBatch& /*batch*/, CUstream_st* /*stream*/) { refuse(); }

}  // namespace kalaba
