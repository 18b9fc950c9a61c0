#pragma once

#include "kernels/swarm.cuh"

namespace kalaba {

// Bodies of the kernels that advance swarms of many blocks, with one launch per phase: begin and finish, then for every
// evaluation pairs, advance and finish. blockIdx.z, or y in a kernel without segments, is the member.

/// Sources, in two buffers that evaluations use alternately: those of an evaluation are still valid when it is checked.
template <class Work>
__device__ typename Work::Source* swarm_sources(const SwarmBatch& batch, long member, int buffer) {
  return static_cast<typename Work::Source*>(batch.sources) + (buffer * batch.members + member) * batch.stride;
}
/// Index of the buffer that an evaluation reads; the four stages begin and end with the first buffer.
__device__ inline int buffer_of(SwarmMove move) {
  const int stage = static_cast<int>(move);
  return stage < 4 ? stage % 2 : 0;
}

/// Calls work(i, totals) for the agents of this block's chunk, and stores their totals.
template <class Work, class Visit>
__device__ __forceinline__ void for_my_chunk(const SwarmBatch& batch, const Work& work, long member,
                                             const Visit& visit) {
  using Totals = typename Work::Totals;
  Totals totals;
  totals.clear();
  const long begin = blockIdx.x * SwarmCut::chunk;
  const long end = begin + SwarmCut::chunk < work.count ? begin + SwarmCut::chunk : work.count;
  for (long i = begin + threadIdx.x; i < end; i += blockDim.x) visit(i, totals);
  totals = total_of_block(totals, shared_workspace<Totals>());
  if (threadIdx.x == 0) reinterpret_cast<Totals*>(batch.totals)[member * gridDim.x + blockIdx.x] = totals;
}

template <class Work>
__device__ __forceinline__ void begin_chunk(const SwarmBatch& batch) {
  const long member = blockIdx.y;
  Work work;
  work.read(batch, member);
  typename Work::Source* const sources = swarm_sources<Work>(batch, member, 0);
  for_my_chunk(batch, work, member, [&](long i, typename Work::Totals& totals) {
    work.begin(i, totals);
    sources[i] = work.source(i);
  });
}

/// Sums T targets per thread over one segment of the sources.
template <class Work, int T>
__device__ __forceinline__ void sum_pairs(const SwarmBatch& batch, SwarmMove move) {
  constexpr int D = Work::dimension;
  const long member = blockIdx.z;
  if (batch.records[member].active == 0) return;
  Work work;
  work.read(batch, member);
  const long base = blockIdx.x * static_cast<long>(T * blockDim.x) + threadIdx.x;
  if (base - threadIdx.x >= work.count) return;
  const LawParameters<Work> law(work);
  const typename Work::Source* const sources = swarm_sources<Work>(batch, member, buffer_of(move));
  typename Work::Source targets[T];
  AgentSums<double, D> sums[T];
  KALABA_UNROLL
  for (int t = 0; t < T; ++t) {
    const long i = base + t * static_cast<long>(blockDim.x);
    targets[t] = sources[i < work.count ? i : work.count - 1];
    sums[t].clear();
  }
  auto* const tile = shared_workspace<typename Work::Source>();
  const long segment = SwarmCut{batch.stride}.tiles_a_segment() * SwarmCut::tile;
  const long end = (blockIdx.y + 1) * segment < work.count ? (blockIdx.y + 1) * segment : work.count;
  for (long first = blockIdx.y * segment; first < end; first += SwarmCut::tile) {
    const int count = static_cast<int>(end - first < SwarmCut::tile ? end - first : SwarmCut::tile);
    __syncthreads();
    for (int j = static_cast<int>(threadIdx.x); j < count; j += static_cast<int>(blockDim.x)) {
      tile[j] = sources[first + j];
    }
    __syncthreads();
    add_sources<Work, T>(law.p, targets, tile, count, sums);
  }
  double* to = batch.sums + (member * gridDim.y + blockIdx.y) * (2 * D + 1) * batch.stride;
  KALABA_UNROLL
  for (int t = 0; t < T; ++t) {
    const long i = base + t * static_cast<long>(blockDim.x);
    if (i >= work.count) continue;
    KALABA_UNROLL
    for (int d = 0; d < D; ++d) {
      to[d * batch.stride + i] = sums[t].gradient[d];
      to[(D + d) * batch.stride + i] = sums[t].rate[d];
    }
    to[2 * D * batch.stride + i] = sums[t].coincident;
  }
}

template <class Work>
__device__ __forceinline__ void drive_chunk(const SwarmBatch& batch, SwarmMove move, double dt) {
  constexpr int D = Work::dimension;
  const long member = blockIdx.y;
  if (batch.records[member].active == 0) return;
  Work work;
  work.read(batch, member);
  work.read_totals(batch.records[member]);
  const long segments = SwarmCut{batch.stride}.segments();
  const double* const from = batch.sums + member * segments * (2 * D + 1) * batch.stride;
  const int after = move == SwarmMove::project ? 0 : 1 - buffer_of(move);
  typename Work::Source* const sources = swarm_sources<Work>(batch, member, after);
  for_my_chunk(batch, work, member, [&](long i, typename Work::Totals& totals) {
    AgentSums<double, D> sums;
    sums.clear();
    for (long segment = 0; segment < segments; ++segment) {
      const double* const part = from + segment * (2 * D + 1) * batch.stride + i;
      KALABA_UNROLL
      for (int d = 0; d < D; ++d) {
        sums.gradient[d] += part[d * batch.stride];
        sums.rate[d] += part[(D + d) * batch.stride];
      }
      sums.coincident += part[2 * D * batch.stride];
    }
    work.advance(i, sums, move, dt, totals);
    sources[i] = work.source(i);
  });
}

/// One block per member.
template <class Work>
__device__ __forceinline__ void judge_swarm(const SwarmBatch& batch, SwarmMove move, double t, bool looking) {
  using Totals = typename Work::Totals;
  const long member = blockIdx.y;
  SwarmRecord& record = batch.records[member];
  if (move != SwarmMove::begin && record.active == 0) return;
  Work work;
  work.read(batch, member);
  auto* const room = shared_workspace<Totals>();
  const long chunks = SwarmCut{batch.stride}.chunks();
  Totals totals;
  totals.clear();
  for (long chunk = threadIdx.x; chunk < chunks; chunk += blockDim.x) {
    totals.add(reinterpret_cast<const Totals*>(batch.totals)[member * chunks + chunk]);
  }
  totals = total_of_block(totals, room);
  double other = 0;
  if (totals.has(Totals::coincident)) {
    other = find_other<Work>(totals, swarm_sources<Work>(batch, member, buffer_of(move)), work.count, room);
  }
  __syncthreads();  // all threads have read the record
  if (threadIdx.x == 0) finish(record, totals, other, work.parameters[work.places.settled()], move, t, looking);
}

/// Makes the state that is evaluated next the current one.
template <class Work>
__device__ __forceinline__ void commit_chunk(const SwarmBatch& batch) {
  const long member = blockIdx.y;
  if (batch.records[member].active == 0) return;
  Work work;
  work.read(batch, member);
  const long begin = blockIdx.x * SwarmCut::chunk;
  const long end = begin + SwarmCut::chunk < work.count ? begin + SwarmCut::chunk : work.count;
  for (long i = begin + threadIdx.x; i < end; i += blockDim.x) work.commit(i);
}

}  // namespace kalaba
