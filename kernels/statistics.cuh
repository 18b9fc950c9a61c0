#pragma once

#include <thrust/count.h>
#include <thrust/for_each.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/sort.h>

#include <stdexcept>
#include <string>
#include <vector>

#include "kernels/statistics.hpp"

// The reduction of statistics.hpp by Thrust's algorithms, for any of its execution policies: a device's, or a host's.

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

/// A member's number, without the sign of a zero; not_counted where it does not count.
KALABA_FN double number_of(const ObservedBatch& batch, int row, long member) {
  const double value = batch.values[row * batch.stride + member] + 0.0;
  return batch.status[member] == 0 && is_counted(value) ? value : not_counted;
}

KALABA_FN long count_of(long members, long size) { return (members + size - 1) / size; }

struct IsOk {
  KALABA_FN bool operator()(double status) const { return status == 0; }
};

/// The first number of a leaf that counts, 0 where there is none. `index` counts leaves, rows of them one by one.
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

/// The sums of a lane. `index` counts lanes, leaves of them one by one: neighbours read neighbouring members.
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

/// The moments of a leaf from those of its lanes, which it uses up.
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

/// A row's numbers and the leaf of each; those behind the batch's last member do not count.
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

/// The sample that a sorted leaf is.
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

/// Every two samples become one; `first` is the place in its level of the first result. `index` counts the numbers of
/// the results.
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

/// The arrays in the workspace, one behind the other.
class ReductionWorkspace {
 public:
  ReductionWorkspace(const ObservedBatch& batch, const SampleSize& size, void* memory)
      : memory_(static_cast<char*>(memory)) {
    const long leaves = batch.rows * count_of(batch.members, leaf_members);
    origins = take<double>(leaves);
    lanes = take<LeafLane>(leaves * leaf_lanes);
    moments = take<Moments>(leaves);
    if (size.kept == 0) return;
    const long nodes = count_of(batch.members, size.kept);
    for (int i = 0; i < 2; ++i) {
      numbers[i] = take<double>(nodes * size.kept);
      samples[i] = take<Sample>(nodes);
    }
    leaf_numbers = take<int>(nodes * size.kept);
  }

  double* origins = nullptr;
  LeafLane* lanes = nullptr;
  Moments* moments = nullptr;
  double* numbers[2] = {};
  Sample* samples[2] = {};
  int* leaf_numbers = nullptr;
  std::size_t bytes = 0;

 private:
  template <class T>
  T* take(long count) {
    constexpr std::size_t alignment = 256;
    char* const here = memory_ == nullptr ? nullptr : memory_ + bytes;
    bytes += (static_cast<std::size_t>(count) * sizeof(T) + alignment - 1) / alignment * alignment;
    return reinterpret_cast<T*>(here);
  }

  char* memory_;  // nullptr: only the bytes are counted
};

/// One reduction as it goes. fetch(to, from, bytes) copies to the host when all before it is done.
template <class Policy, class Fetch>
class Reduction {
 public:
  Reduction(const Policy& policy, const Fetch& fetch, const ObservedBatch& batch, const SampleSize& size,
            const ReductionWorkspace& workspace, ReductionReceiver& receiver)
      : policy_(policy), fetch_(fetch), batch_(batch), size_(size), workspace_(workspace), receiver_(receiver) {}

  void run() {
    receiver_.take_ok_members(thrust::count_if(policy_, batch_.status, batch_.status + batch_.members, IsOk{}));
    const long leaves = count_of(batch_.members, leaf_members);
    const long all = batch_.rows * leaves;
    for_each(all, FindOrigin{batch_, workspace_.origins});
    for_each(all * leaf_lanes, SumLane{batch_, workspace_.origins, workspace_.lanes});
    for_each(all, CombineLanes{workspace_.origins, workspace_.lanes, workspace_.moments});
    const std::vector<Moments> moments = copy(workspace_.moments, all);
    for (int row = 0; row < batch_.rows; ++row) {
      const Moments* first = moments.data() + row * leaves;
      receiver_.take_leaves(row, first, leaves);
      double count = 0;
      for (long leaf = 0; leaf < leaves; ++leaf) count += first[leaf].count;
      if (size_.kept > 0 && count > 0) sample(row, count <= static_cast<double>(size_.whole));
    }
  }

 private:
  /// The nodes of a level that the batch holds: begin ... end - 1 of the ensemble's.
  struct Level {
    int level;
    long begin;
    long end;
    const double* numbers;
    const Sample* samples;
  };

  struct Node {
    int level;
    long index;
    Sample sample;
    std::vector<double> numbers;
  };

  void sample(int row, bool whole) {
    const long leaves = count_of(batch_.members, size_.kept);
    const long count = leaves * size_.kept;
    double* const numbers = workspace_.numbers[1];
    for_each(count, GatherNumber{batch_, row, size_.kept, numbers, workspace_.leaf_numbers});
    // Each leaf by itself: all by number, then in their order by leaf.
    thrust::sort_by_key(policy_, numbers, numbers + count, workspace_.leaf_numbers);
    thrust::stable_sort_by_key(policy_, workspace_.leaf_numbers, workspace_.leaf_numbers + count, numbers);
    for_each(leaves, DescribeLeaf{numbers, size_.kept, workspace_.samples[1]});
    const long first = batch_.first / size_.kept;
    const Level level{0, first, first + leaves, numbers, workspace_.samples[1]};
    if (whole) {
      hand_over_leaves(row, level);
    } else {
      merge(row, level);
    }
  }

  void hand_over_leaves(int row, const Level& level) {
    const std::vector<Sample> samples = copy(level.samples, level.end - level.begin);
    for (long leaf = 0; leaf < level.end - level.begin; ++leaf) {
      const Sample& sample = samples[static_cast<std::size_t>(leaf)];
      if (sample.size > 0) hand_over(row, fetch(level, level.begin + leaf, sample));
    }
  }

  /// Merges level after level. A node whose sibling lies outside the batch is handed over; those at the end follow, the
  /// last of the batch at last, so that all come in the order of their members.
  void merge(int row, Level level) {
    std::vector<Node> ends;
    for (int to = 0; level.begin < level.end; to = 1 - to) {
      const long skipped = level.begin % 2;
      if (skipped != 0) hand_over(row, fetch(level, level.begin));
      if (level.end % 2 != 0 && level.end > level.begin + skipped) ends.push_back(fetch(level, level.end - 1));
      const long begin = (level.begin + 1) / 2;
      const long end = level.end / 2;
      if (begin < end) {
        for_each((end - begin) * size_.kept,
                 MergePairs{level.numbers + skipped * size_.kept, level.samples + skipped, size_.kept, begin,
                            workspace_.numbers[to], workspace_.samples[to]});
      }
      level = {level.level + 1, begin, end, workspace_.numbers[to], workspace_.samples[to]};
    }
    for (auto node = ends.rbegin(); node != ends.rend(); ++node) hand_over(row, *node);
  }

  Node fetch(const Level& level, long index) const {
    return fetch(level, index, copy(level.samples + (index - level.begin), 1).front());
  }
  Node fetch(const Level& level, long index, const Sample& sample) const {
    return {level.level, index, sample, copy(level.numbers + (index - level.begin) * size_.kept, sample.size)};
  }

  void hand_over(int row, const Node& node) {
    if (node.sample.size > 0) receiver_.take_sample(row, node.level, node.index, node.sample, node.numbers.data());
  }

  template <class Work>
  void for_each(long count, const Work& work) const {
    thrust::for_each_n(policy_, thrust::counting_iterator<long>(0), count, work);
  }

  template <class T>
  std::vector<T> copy(const T* from, long count) const {
    std::vector<T> values(static_cast<std::size_t>(count));
    if (count > 0) fetch_(values.data(), from, values.size() * sizeof(T));
    return values;
  }

  Policy policy_;
  Fetch fetch_;
  ObservedBatch batch_;
  SampleSize size_;
  const ReductionWorkspace& workspace_;
  ReductionReceiver& receiver_;
};

/// reduce_batch of statistics.hpp by a policy.
template <class Policy, class Fetch>
void reduce_batch_with(const Policy& policy, const Fetch& fetch, const ObservedBatch& batch, const SampleSize& size,
                       void* workspace, std::size_t workspace_bytes, ReductionReceiver& receiver) {
  if (batch.first % leaf_members != 0) {
    throw std::invalid_argument("statistics: expected a batch from a multiple of " + std::to_string(leaf_members) +
                                " members on, found member " + std::to_string(batch.first));
  }
  const ReductionWorkspace arrays(batch, size, workspace);
  if (arrays.bytes > workspace_bytes) {
    throw std::invalid_argument("statistics: expected " + std::to_string(arrays.bytes) + " bytes of workspace, found " +
                                std::to_string(workspace_bytes));
  }
  Reduction<Policy, Fetch>(policy, fetch, batch, size, arrays, receiver).run();
}

}  // namespace kalaba
