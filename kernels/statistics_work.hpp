#pragma once

#include "kernels/statistics.hpp"

// Work of the reduction of statistics.cuh on one leaf, lane or number: functors of its index.

namespace kalaba {

/// Sorted after every number that counts.
inline constexpr double not_counted = __builtin_huge_val();

/// Sums of one lane of a leaf, or of several.
struct LeafLane {
  double count;
  double sum;
  double squares;
  double least;
  double greatest;

  KALABA_FN void add(double value, double origin) {
    count += 1;
    add_difference(value - origin, sum, squares);
    least = value < least ? value : least;
    greatest = value > greatest ? value : greatest;
  }
  KALABA_FN void add(const LeafLane& other) {
    count += other.count;
    sum += other.sum;
    squares += other.squares;
    least = other.least < least ? other.least : least;
    greatest = other.greatest > greatest ? other.greatest : greatest;
  }
};

/// A member's number, without the sign of a zero; not_counted if it does not count.
KALABA_FN double number_of(const ObservedBatch& batch, int row, long member) {
  const double value = batch.values[row * batch.stride + member] + 0.0;
  return batch.status[member] == 0 && is_counted(value) ? value : not_counted;
}

KALABA_FN long count_of(long members, long size) { return (members + size - 1) / size; }

struct IsOk {
  KALABA_FN bool operator()(double status) const { return status == 0; }
};

/// Greatest number of a member over all rows: at least 0, and 0 if it is not ok.
struct GreatestOfMember {
  ObservedBatch batch;

  KALABA_FN double operator()(long member) const {
    double greatest = 0;
    for (int row = 0; row < batch.rows && batch.status[member] == 0; ++row) {
      const double value = batch.values[row * batch.stride + member];
      greatest = greatest < value ? value : greatest;
    }
    return greatest;
  }
};

struct Greater {
  KALABA_FN double operator()(double a, double b) const { return a < b ? b : a; }
};

/// First number of a leaf that counts, 0 if there is none. `index` counts leaves, row by row.
struct FindOrigin {
  ObservedBatch batch;
  double* origins;

  KALABA_FN void operator()(long index) const {
    const long leaves = count_of(batch.members, leaf_members);
    const int row = static_cast<int>(index / leaves);
    const long begin = index % leaves * leaf_members;
    double origin = not_counted;
    for (long i = begin; origin == not_counted && i < begin + leaf_members && i < batch.members; ++i) {
      origin = number_of(batch, row, i);
    }
    origins[index] = origin == not_counted ? 0 : origin;
  }
};

/// Sums of a lane. `index` counts lanes, leaf by leaf: neighbouring threads read neighbouring members.
struct SumLane {
  ObservedBatch batch;
  const double* origins;
  LeafLane* lanes;

  KALABA_FN void operator()(long index) const {
    const long leaves = count_of(batch.members, leaf_members);
    const long leaf = index / leaf_lanes;
    const int row = static_cast<int>(leaf / leaves);
    const long begin = leaf % leaves * leaf_members;
    const double origin = origins[leaf];
    LeafLane sums = {0, 0, 0, origin, origin};
    for (long i = begin + index % leaf_lanes; i < begin + leaf_members && i < batch.members; i += leaf_lanes) {
      const double value = number_of(batch, row, i);
      if (value != not_counted) sums.add(value, origin);
    }
    lanes[index] = sums;
  }
};

/// Moments of a leaf from those of its lanes, which are overwritten.
struct CombineLanes {
  const double* origins;
  LeafLane* lanes;
  Moments* moments;

  KALABA_FN void operator()(long leaf) const {
    LeafLane* const mine = lanes + leaf * leaf_lanes;
    for (int half = leaf_lanes / 2; half > 0; half /= 2) {
      for (int lane = 0; lane < half; ++lane) mine[lane].add(mine[lane + half]);
    }
    const LeafLane& all = mine[0];
    moments[leaf] = leaf_moments(all.count, origins[leaf], all.sum, all.squares, all.least, all.greatest);
  }
};

/// Numbers of a row and the leaf of each; numbers after the batch's last member do not count.
struct GatherNumber {
  ObservedBatch batch;
  int row;
  long kept;
  double* numbers;
  int* leaves;

  KALABA_FN void operator()(long member) const {
    numbers[member] = member < batch.members ? number_of(batch, row, member) : not_counted;
    leaves[member] = static_cast<int>(member / kept);
  }
};

/// Sample of a sorted leaf.
struct DescribeLeaf {
  const double* sorted;
  long kept;
  Sample* samples;

  KALABA_FN void operator()(long leaf) const {
    const double* const numbers = sorted + leaf * kept;
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
};

/// Merges every two samples into one; `first` is the position of the first result in its level. `index` counts the
/// numbers of the results.
struct MergePairs {
  const double* numbers;
  const Sample* samples;
  long kept;
  long first;
  double* merged;
  Sample* merged_samples;

  KALABA_FN void operator()(long index) const {
    const long pair = index / kept;
    const long i = index % kept;
    const SampleMerge plan = plan_merge(samples[2 * pair], samples[2 * pair + 1], kept, first + pair);
    const double* const left = numbers + 2 * pair * kept;
    if (i < plan.result.size) {
      merged[index] = merged_number(left, plan.left, left + kept, plan.right, plan.both.place(i));
    }
    if (i == 0) merged_samples[pair] = plan.result;
  }
};

}  // namespace kalaba
