#pragma once

#include "kernels/swarm.cuh"

namespace kalaba {

/// A swarm that one block advances through any number of steps, with its agents in the block's shared memory:
///
///   rows | sources | totals, one per warp | record
template <class Work>
class SwarmInBlock {
 public:
  static constexpr int D = Work::dimension;
  using Totals = typename Work::Totals;
  using Source = typename Work::Source;
  static constexpr int rows = 6;
  static constexpr int most_warps = 8;

  // Bytes of shared memory: per agent (rows are a stride long), and in addition to the agents
  static constexpr long agent_bytes = rows * D * static_cast<long>(sizeof(double)) + static_cast<long>(sizeof(Source));
  static constexpr long other_bytes =
      most_warps * static_cast<long>(sizeof(Totals)) + static_cast<long>(sizeof(SwarmRecord));

  /// Loads the swarm of this block.
  __device__ explicit SwarmInBlock(const SwarmBatch& batch) : batch_(batch) {
    work_.read(batch, blockIdx.x);
    stored_ = work_.rows;
    work_.rows = shared_workspace<double>();
    work_.pitch = batch.stride;
    sources_ = reinterpret_cast<Source*>(work_.rows + rows * D * batch.stride);
    room_ = reinterpret_cast<Totals*>(sources_ + batch.stride);
    record_ = reinterpret_cast<SwarmRecord*>(room_ + most_warps);
    for (int d = 0; d < D; ++d) {
      for (long i = threadIdx.x; i < work_.count; i += blockDim.x) {
        work_.at(SwarmRow::x, d, i) = stored(SwarmRow::x, d, i);
        work_.at(SwarmRow::w, d, i) = stored(SwarmRow::w, d, i);
      }
    }
    if (threadIdx.x == 0) *record_ = batch.records[blockIdx.x];
    __syncthreads();
  }

  /// Computes the totals of the current state. This function and the next ones return true if the swarm continues, with
  /// the same result in every thread.
  __device__ bool begin(double t, bool looking) {
    Totals totals;
    totals.clear();
    for (long i = threadIdx.x; i < work_.count; i += blockDim.x) work_.begin(i, totals);
    return conclude(totals, SwarmMove::begin, t, looking);
  }
  template <int T>
  __device__ bool step(double t, double dt, bool projects) {
    for (int move = 0; move < 4; ++move) {
      if (!evaluate<T>(static_cast<SwarmMove>(move), t, dt, false)) return false;
    }
    return !projects || evaluate<T>(SwarmMove::project, t, dt, false);
  }
  template <int T>
  __device__ bool evaluate(SwarmMove move, double t, double dt, bool looking) {
    work_.read_totals(*record_);
    for (long i = threadIdx.x; i < work_.count; i += blockDim.x) sources_[i] = work_.source(i);
    __syncthreads();
    const LawParameters<Work> law(work_);
    Totals totals;
    totals.clear();
    for (long base = threadIdx.x; base < work_.count; base += T * static_cast<long>(blockDim.x)) {
      Source targets[T];
      AgentSums<double, D> sums[T];
      KALABA_UNROLL
      for (int t = 0; t < T; ++t) {
        const long i = base + t * static_cast<long>(blockDim.x);
        targets[t] = sources_[i < work_.count ? i : base];
        sums[t].clear();
      }
      for (long first = 0; first < work_.count; first += SwarmCut::tile) {
        const long left = work_.count - first;
        const int count = static_cast<int>(left < SwarmCut::tile ? left : SwarmCut::tile);
        add_sources<Work, T>(law.p, targets, sources_ + first, count, sums);
      }
      KALABA_UNROLL
      for (int t = 0; t < T; ++t) {
        const long i = base + t * static_cast<long>(blockDim.x);
        if (i < work_.count) work_.advance(i, sums[t], move, dt, totals);
      }
    }
    return conclude(totals, move, t, looking);
  }
  /// Makes the state that is evaluated next the current one.
  __device__ void commit() {
    for (long i = threadIdx.x; i < work_.count; i += blockDim.x) work_.commit(i);
  }

  /// Stores the rows first ... last.
  __device__ void store(SwarmRow first, SwarmRow last) {
    for (int row = static_cast<int>(first); row <= static_cast<int>(last); ++row) {
      for (int d = 0; d < D; ++d) {
        for (long i = threadIdx.x; i < work_.count; i += blockDim.x) {
          stored(static_cast<SwarmRow>(row), d, i) = work_.at(static_cast<SwarmRow>(row), d, i);
        }
      }
    }
    if (threadIdx.x == 0) batch_.records[blockIdx.x] = *record_;
  }

 private:
  __device__ double& stored(SwarmRow row, int d, long i) const {
    return stored_[(static_cast<int>(row) * D + d) * batch_.pitch + i];
  }
  __device__ bool conclude(const Totals& own, SwarmMove move, double t, bool looking) {
    const Totals totals = total_of_block(own, room_);
    const double other = totals.has(Totals::coincident) ? find_other<Work>(totals, sources_, work_.count, room_) : 0;
    if (threadIdx.x == 0) {
      finish(*record_, totals, other, work_.parameters[work_.places.settled()], move, t, looking);
    }
    __syncthreads();
    return record_->active != 0;
  }

  const SwarmBatch& batch_;
  Work work_;
  double* stored_;
  Source* sources_;
  Totals* room_;
  SwarmRecord* record_;
};

// Bodies of the kernels, with one block per swarm; T: targets that a thread sums at once.

template <class Work, int T>
__device__ __forceinline__ void start_swarm(const SwarmBatch& batch, double time, bool project) {
  SwarmInBlock<Work> swarm(batch);
  const SwarmMove move = project ? SwarmMove::project : SwarmMove::look;
  if (swarm.begin(time, false) && swarm.template evaluate<T>(move, time, 0, false)) swarm.commit();
  swarm.store(SwarmRow::x, SwarmRow::w);
}

template <class Work, int T>
__device__ __forceinline__ void advance_swarm(const SwarmBatch& batch, const TimeGrid& time, bool projects,
                                              long first_step, long steps) {
  SwarmInBlock<Work> swarm(batch);
  bool active = swarm.begin(time.at(first_step), false);
  for (long step = first_step; active && step < first_step + steps; ++step) {
    active = swarm.template step<T>(time.at(step), time.dt, projects);
  }
  if (active) swarm.commit();
  swarm.store(SwarmRow::x, SwarmRow::w);
}

template <class Work, int T>
__device__ __forceinline__ void look_at_swarm(const SwarmBatch& batch) {
  SwarmInBlock<Work> swarm(batch);
  if (swarm.begin(0, true)) swarm.template evaluate<T>(SwarmMove::look, 0, 0, true);
  swarm.store(SwarmRow::next_x, SwarmRow::next_w);
}

}  // namespace kalaba
