#pragma once

#include "kernels/launch.cuh"
#include "kernels/swarm_work.hpp"

namespace kalaba {

/// Adds the contributions of up to SwarmCut::tile sources to T targets. In single precision they are summed separately
/// first.
template <class Work, int T>
__device__ __forceinline__ void add_sources(const double* p, const typename Work::Source (&targets)[T],
                                            const typename Work::Source* sources, int count,
                                            AgentSums<double, Work::dimension> (&sums)[T]) {
  using Real = typename Work::Number;
  AgentSums<Real, Work::dimension> part[T];
  KALABA_UNROLL
  for (int t = 0; t < T; ++t) part[t].clear();
  for (int j = 0; j < count; ++j) {
    const typename Work::Source source = sources[j];
    KALABA_UNROLL
    for (int t = 0; t < T; ++t) add_pair<typename Work::Law>(p, targets[t].agent, source.agent, part[t]);
  }
  KALABA_UNROLL
  for (int t = 0; t < T; ++t) {
    KALABA_UNROLL
    for (int d = 0; d < Work::dimension; ++d) {
      sums[t].gradient[d] += static_cast<double>(part[t].gradient[d]);
      sums[t].rate[d] += static_cast<double>(part[t].rate[d]);
    }
    sums[t].coincident += static_cast<double>(part[t].coincident);
  }
}

/// Parameters of the law, in registers.
template <class Work>
struct LawParameters {
  static constexpr int count = Work::places.kappa - 1;
  double p[count];

  __device__ __forceinline__ explicit LawParameters(const Work& work) {
    KALABA_UNROLL
    for (int i = 0; i < count; ++i) p[i] = work.parameters[work.places.law() + i];
  }
};

/// Sums the totals of all threads of the block, in a fixed order; every thread gets the result. `room`: one element per
/// warp.
template <int D>
__device__ SwarmTotals<D> total_of_block(SwarmTotals<D> own, SwarmTotals<D>* room) {
  constexpr int lanes = 32;
  constexpr unsigned all = 0xffffffffU;
  for (int by = lanes / 2; by > 0; by /= 2) {
    SwarmTotals<D> other;
    KALABA_UNROLL
    for (int k = 0; k < SwarmTotals<D>::size; ++k) other.number[k] = __shfl_xor_sync(all, own.number[k], by);
    own.add(other);
  }
  __syncthreads();
  if (threadIdx.x % lanes == 0) room[threadIdx.x / lanes] = own;
  __syncthreads();
  SwarmTotals<D> total = room[0];
  for (unsigned warp = 1; warp < blockDim.x / lanes; ++warp) total.add(room[warp]);
  return total;
}

/// Finds the second agent at the position of the first coincident agent.
template <class Work>
__device__ double find_other(const typename Work::Totals& totals, const typename Work::Source* sources, long count,
                             typename Work::Totals* room) {
  using Totals = typename Work::Totals;
  Totals found;
  found.clear();
  const long first = static_cast<long>(totals.number[Totals::coincident]);
  for (long j = first + 1 + threadIdx.x; j < count; j += blockDim.x) {
    if (coincide(sources[first], sources[j])) found.note(Totals::coincident, j);
  }
  return total_of_block(found, room).number[Totals::coincident];
}

}  // namespace kalaba
