#pragma once

#include <thrust/count.h>
#include <thrust/for_each.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/sort.h>
#include <thrust/transform_reduce.h>

#include <stdexcept>
#include <string>
#include <vector>

#include "kernels/statistics_work.hpp"

// Reduction of statistics.hpp by Thrust's algorithms, for any of its execution policies: of a device or of a host.

namespace kalaba {

/// Arrays in the workspace, one after another.
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

/// State of one reduction. fetch(to, from, bytes) copies to the host when all preceding work is done.
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
  /// Nodes of a level in the batch: begin ... end - 1 of those of the ensemble.
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
    // Sorts each leaf by itself: all numbers by value, then stably by leaf.
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

  /// Merges level after level. A node whose sibling is outside the batch is passed to the receiver; those at the end of
  /// a level follow in reverse order of levels, so that all nodes come in the order of their members.
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

/// reduce_batch of statistics.hpp for any policy.
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

/// greatest_of_ok of statistics.hpp for any policy.
template <class Policy>
double greatest_of_ok_with(const Policy& policy, const ObservedBatch& batch) {
  const thrust::counting_iterator<long> members(0);
  return thrust::transform_reduce(policy, members, members + batch.members, GreatestOfMember{batch}, 0.0, Greater{});
}

}  // namespace kalaba
