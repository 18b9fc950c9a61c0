#pragma once

#include "kernels/statistics.hpp"

namespace kalaba {

/// Behind every number that counts when sorted.
inline constexpr double not_counted = __builtin_huge_val();

/// The sums of one lane of a leaf, or of several.
struct LeafLane {
  double count;
  double sum;
  double squares;
  double least;
  double greatest;

  __device__ void add(double value, double origin) {
    count += 1;
    add_difference(value - origin, sum, squares);
    least = value < least ? value : least;
    greatest = value > greatest ? value : greatest;
  }
  __device__ void add(const LeafLane& other) {
    count += other.count;
    sum += other.sum;
    squares += other.squares;
    least = other.least < least ? other.least : least;
    greatest = other.greatest > greatest ? other.greatest : greatest;
  }
};

/// A member's number, without the sign of a zero; not_counted where it does not count.
__device__ inline double number_of(const ObservedBatch& batch, int row, long member) {
  const double value = batch.values[row * batch.stride + member] + 0.0;
  return batch.status[member] == 0 && is_counted(value) ? value : not_counted;
}

/// A block a leaf (x) and row (y), a thread a lane.
__global__ void sum_leaves(ObservedBatch batch, Moments* moments) {
  __shared__ long places[leaf_lanes];
  __shared__ LeafLane lanes[leaf_lanes];
  const int lane = static_cast<int>(threadIdx.x);
  const int row = static_cast<int>(blockIdx.y);
  const long begin = static_cast<long>(blockIdx.x) * leaf_members;
  const long end = begin + leaf_members < batch.members ? begin + leaf_members : batch.members;

  long mine = begin + lane;
  while (mine < end && number_of(batch, row, mine) == not_counted) mine += leaf_lanes;
  places[lane] = mine;
  for (int half = leaf_lanes / 2; half > 0; half /= 2) {
    __syncthreads();
    if (lane < half && places[lane + half] < places[lane]) places[lane] = places[lane + half];
  }
  __syncthreads();
  const double origin = places[0] < end ? number_of(batch, row, places[0]) : 0;

  LeafLane sums = {0, 0, 0, origin, origin};
  for (long member = mine; member < end; member += leaf_lanes) {
    const double value = number_of(batch, row, member);
    if (value != not_counted) sums.add(value, origin);
  }
  lanes[lane] = sums;
  for (int half = leaf_lanes / 2; half > 0; half /= 2) {
    __syncthreads();
    if (lane < half) lanes[lane].add(lanes[lane + half]);
  }
  if (lane != 0) return;
  const LeafLane& all = lanes[0];
  moments[static_cast<long>(row) * gridDim.x + blockIdx.x] =
      leaf_moments(all.count, origin, all.sum, all.squares, all.least, all.greatest);
}

/// A row's numbers, for `count` members: those behind the batch's last do not count.
__global__ void gather_numbers(ObservedBatch batch, int row, long count, double* numbers) {
  const long member = static_cast<long>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (member >= count) return;
  numbers[member] = member < batch.members ? number_of(batch, row, member) : not_counted;
}

/// The samples that sorted leaves are: a thread a leaf.
__global__ void describe_leaves(const double* sorted, long kept, long leaves, Sample* samples) {
  const long leaf = static_cast<long>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (leaf >= leaves) return;
  const double* numbers = sorted + leaf * kept;
  long low = 0;
  long high = kept;
  while (low < high) {
    const long middle = (low + high) / 2;
    const bool counted = numbers[middle] != not_counted;
    low = counted ? middle + 1 : low;
    high = counted ? high : middle;
  }
  samples[leaf] = {low, static_cast<double>(low), 1, 0, 0};
}

/// Every two samples become one: a block a pair. `index` is the first one's of the results in their level.
__global__ void merge_pairs(const double* numbers, const Sample* samples, long kept, long index, double* merged,
                            Sample* merged_samples) {
  const long pair = blockIdx.x;
  const double* left = numbers + 2 * pair * kept;
  const double* right = left + kept;
  const SampleMerge plan = plan_merge(samples[2 * pair], samples[2 * pair + 1], kept, index + pair);
  for (long i = threadIdx.x; i < plan.result.size; i += blockDim.x) {
    merged[pair * kept + i] = merged_number(left, plan.left, right, plan.right, plan.both.place(i));
  }
  if (threadIdx.x == 0) merged_samples[pair] = plan.result;
}

}  // namespace kalaba
