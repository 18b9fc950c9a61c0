#include "kernels/statistics.hpp"

#include <cuda_runtime_api.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>

#include <cub/device/device_segmented_sort.cuh>
#include <stdexcept>
#include <string>
#include <vector>

#include "kernels/statistics.cuh"

namespace kalaba {
namespace {

constexpr int block_threads = 256;

void check(cudaError_t result, const char* doing) {
  if (result == cudaSuccess) return;
  throw std::runtime_error(std::string(doing) + ": " + cudaGetErrorName(result) + ", " + cudaGetErrorString(result));
}

long count_of(long members, long size) { return (members + size - 1) / size; }

unsigned blocks_for(long threads) { return static_cast<unsigned>(count_of(threads, block_threads)); }

/// Where a leaf of `kept` numbers begins.
struct LeafBegin {
  long kept;
  __host__ __device__ long operator()(long leaf) const { return leaf * kept; }
};

/// Sorts every leaf; without workspace, says how much is needed.
void sort_leaves(void* workspace, std::size_t& bytes, const double* numbers, double* sorted, long kept, long leaves,
                 cudaStream_t stream) {
  const auto begins = thrust::make_transform_iterator(thrust::counting_iterator<long>(0), LeafBegin{kept});
  check(cub::DeviceSegmentedSort::SortKeys(workspace, bytes, numbers, sorted, kept * leaves, leaves, begins, begins + 1,
                                           stream),
        "sorting leaves of statistics");
}

/// The arrays in the workspace, one behind the other.
class Workspace {
 public:
  Workspace(const ObservedBatch& batch, const SampleSize& size, void* memory) : memory_(static_cast<char*>(memory)) {
    moments = take<Moments>(batch.rows * count_of(batch.members, leaf_members));
    if (size.kept > 0) {
      const long leaves = count_of(batch.members, size.kept);
      for (int i = 0; i < 2; ++i) {
        numbers[i] = take<double>(leaves * size.kept);
        samples[i] = take<Sample>(leaves);
      }
      sort_leaves(nullptr, sort_bytes, numbers[0], numbers[1], size.kept, leaves, nullptr);
      sort = take<char>(static_cast<long>(sort_bytes));
    }
  }

  Moments* moments = nullptr;
  double* numbers[2] = {};
  Sample* samples[2] = {};
  void* sort = nullptr;
  std::size_t sort_bytes = 0;
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

/// One reduction as it goes.
class Reduction {
 public:
  Reduction(const ObservedBatch& batch, const SampleSize& size, const Workspace& workspace, cudaStream_t stream,
            ReductionReceiver& receiver)
      : batch_(batch), size_(size), workspace_(workspace), stream_(stream), receiver_(receiver) {}

  void run() {
    const long leaves = count_of(batch_.members, leaf_members);
    const dim3 grid(static_cast<unsigned>(leaves), static_cast<unsigned>(batch_.rows));
    sum_leaves<<<grid, leaf_lanes, 0, stream_>>>(batch_, workspace_.moments);
    check(cudaGetLastError(), "summing leaves of statistics");
    std::vector<Moments> moments(static_cast<std::size_t>(batch_.rows * leaves));
    copy(moments.data(), workspace_.moments, moments.size());
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
    gather_numbers<<<blocks_for(count), block_threads, 0, stream_>>>(batch_, row, count, workspace_.numbers[0]);
    std::size_t bytes = workspace_.sort_bytes;
    sort_leaves(workspace_.sort, bytes, workspace_.numbers[0], workspace_.numbers[1], size_.kept, leaves, stream_);
    describe_leaves<<<blocks_for(leaves), block_threads, 0, stream_>>>(workspace_.numbers[1], size_.kept, leaves,
                                                                       workspace_.samples[1]);
    check(cudaGetLastError(), "describing leaves of statistics");
    const long first = batch_.first / size_.kept;
    Level level{0, first, first + leaves, workspace_.numbers[1], workspace_.samples[1]};
    if (whole) {
      hand_over_leaves(row, level);
    } else {
      merge(row, level);
    }
  }

  void hand_over_leaves(int row, const Level& level) {
    std::vector<Sample> samples(static_cast<std::size_t>(level.end - level.begin));
    copy(samples.data(), level.samples, samples.size());
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
      if (level.begin % 2 != 0) hand_over(row, fetch(level, level.begin));
      if (level.end % 2 != 0 && level.end > level.begin + level.begin % 2) {
        ends.push_back(fetch(level, level.end - 1));
      }
      const long skipped = level.begin % 2;
      const long begin = (level.begin + 1) / 2;
      const long end = level.end / 2;
      if (begin < end) {
        merge_pairs<<<static_cast<unsigned>(end - begin), block_threads, 0, stream_>>>(
            level.numbers + skipped * size_.kept, level.samples + skipped, size_.kept, begin, workspace_.numbers[to],
            workspace_.samples[to]);
        check(cudaGetLastError(), "merging samples of statistics");
      }
      level = {level.level + 1, begin, end, workspace_.numbers[to], workspace_.samples[to]};
    }
    for (auto node = ends.rbegin(); node != ends.rend(); ++node) hand_over(row, *node);
  }

  Node fetch(const Level& level, long index) const {
    Sample sample;
    copy(&sample, level.samples + (index - level.begin), 1);
    return fetch(level, index, sample);
  }

  Node fetch(const Level& level, long index, const Sample& sample) const {
    Node node{level.level, index, sample, std::vector<double>(static_cast<std::size_t>(sample.size))};
    copy(node.numbers.data(), level.numbers + (index - level.begin) * size_.kept, node.numbers.size());
    return node;
  }

  void hand_over(int row, const Node& node) {
    if (node.sample.size > 0) receiver_.take_sample(row, node.level, node.index, node.sample, node.numbers.data());
  }

  template <class T>
  void copy(T* to, const T* from, std::size_t count) const {
    if (count == 0) return;
    check(cudaMemcpyAsync(to, from, count * sizeof(T), cudaMemcpyDeviceToHost, stream_), "copying statistics back");
    check(cudaStreamSynchronize(stream_), "reducing a batch to statistics");
  }

  ObservedBatch batch_;
  SampleSize size_;
  const Workspace& workspace_;
  cudaStream_t stream_;
  ReductionReceiver& receiver_;
};

}  // namespace

std::size_t reduction_workspace_bytes(const ObservedBatch& batch, const SampleSize& size) {
  return Workspace(batch, size, nullptr).bytes;
}

void reduce_batch(const ObservedBatch& batch, const SampleSize& size, void* workspace, std::size_t workspace_bytes,
                  CUstream_st* stream, ReductionReceiver& receiver) {
  if (batch.first % leaf_members != 0) {
    throw std::invalid_argument("statistics: expected a batch from a multiple of " + std::to_string(leaf_members) +
                                " members on, found member " + std::to_string(batch.first));
  }
  const Workspace arrays(batch, size, workspace);
  if (arrays.bytes > workspace_bytes) {
    throw std::invalid_argument("statistics: expected " + std::to_string(arrays.bytes) + " bytes of workspace, found " +
                                std::to_string(workspace_bytes));
  }
  Reduction(batch, size, arrays, stream, receiver).run();
}

}  // namespace kalaba
