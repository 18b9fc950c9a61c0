#pragma once

#include <cstddef>
#include <string>

#include "kalaba/core/base/moments.hpp"
#include "kalaba/core/base/sample.hpp"

struct CUstream_st;  // pointee of CUstream and cudaStream_t

namespace kalaba {

/// An observed batch in device memory, as written by observe_members:
///
///     status:     member 0, 1, 2, ... pad
///     values[0]:  member 0, 1, 2, ... pad
///     values[1]:  member 0, 1, 2, ... pad
///                 <------ stride ------->
struct ObservedBatch {
  const double* status;  ///< the Status of each member, as a number
  const double* values;
  int rows;      ///< of values, at most 65,535
  long stride;   ///< distance between two rows
  long first;    ///< index of the first member in the ensemble: a multiple of leaf_members
  long members;  ///< whole leaves, unless they are the last of the ensemble
};

/// Size of the samples for quantiles.
struct SampleSize {
  long kept = 0;   ///< numbers in a sample: a power of two up to leaf_members; 0: no samples
  long whole = 0;  ///< largest number of counted members for which unmerged leaves are returned, because their
                   ///< quantiles are exact
};

/// Receives the statistics of a batch, in host memory: for each row first the leaves, then the samples in the order of
/// their members. The arguments are valid during the call only.
class ReductionReceiver {
 public:
  virtual ~ReductionReceiver() = default;
  /// Number of members of the batch that are ok; called before all other functions.
  virtual void take_ok_members(long count) = 0;
  /// Moments of every leaf of the batch.
  virtual void take_leaves(int row, const Moments* leaves, long count) = 0;
  /// Node `index` of a level of the ensemble's tree, see plan_merge; sample.size numbers, ascending. Nodes in which no
  /// member counts are omitted.
  virtual void take_sample(int row, int level, long index, const Sample& sample, const double* numbers) = 0;
};

/// Reason why batches cannot be reduced on the current device; empty if they can.
std::string reduction_problem();

/// Device memory that reduce_batch needs for batches up to this one: 2.6 kB for each leaf of 4096 members and row, and
/// 20 bytes per member for samples. Thrust allocates about as much again while it sorts.
std::size_t reduction_workspace_bytes(const ObservedBatch& batch, const SampleSize& size);

/// Reduces a batch to its statistics; members that are not ok and numbers that are not finite do not count. The result
/// does not depend on the division of an ensemble into batches, and is equal to that of MomentsAccumulator and
/// QuantileSketch to the last bit. The device must be current. Works in `stream` and returns when the receiver has all
/// results. Throws std::exception if CUDA or Thrust fails, and std::invalid_argument if the batch does not start at a
/// leaf.
void reduce_batch(const ObservedBatch& batch, const SampleSize& size, void* workspace, std::size_t workspace_bytes,
                  CUstream_st* stream, ReductionReceiver& receiver);

/// Greatest positive number of all rows over the ok members; 0 if there is none. Otherwise like reduce_batch.
double greatest_of_ok(const ObservedBatch& batch, CUstream_st* stream);

}  // namespace kalaba
