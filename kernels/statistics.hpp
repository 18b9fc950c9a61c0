#pragma once

#include <cstddef>
#include <string>

#include "kalaba/core/moments.hpp"
#include "kalaba/core/sample.hpp"

struct CUstream_st;  // what CUstream and cudaStream_t point to

namespace kalaba {

/// An observed batch in device memory, as observe_members leaves it:
///
///     status:     member 0, 1, 2, ... pad
///     values[0]:  member 0, 1, 2, ... pad
///     values[1]:  member 0, 1, 2, ... pad
///                 <------ stride ------->
struct ObservedBatch {
  const double* status;  ///< a Status each, as a number
  const double* values;
  int rows;      ///< of values, 65,535 at most
  long stride;   ///< between two of them
  long first;    ///< index of the first member in the ensemble: a multiple of leaf_members
  long members;  ///< whole leaves, unless they are the last of the ensemble
};

/// Samples for quantiles.
struct SampleSize {
  long kept = 0;   ///< numbers a sample keeps: a power of two up to leaf_members; 0: no samples
  long whole = 0;  ///< up to as many numbers that count, leaves come as they are, since quantiles of so few are exact
};

/// Takes what is left of a batch, in host memory. For each row first the leaves, then the samples in the order of their
/// members. What is passed is gone after the call.
class ReductionReceiver {
 public:
  virtual ~ReductionReceiver() = default;
  /// How many members of the batch are ok; comes before all others.
  virtual void take_ok_members(long count) = 0;
  /// The moments of every leaf of the batch.
  virtual void take_leaves(int row, const Moments* leaves, long count) = 0;
  /// Node `index` of a level of the ensemble's tree, see plan_merge; sample.size numbers, ascending. Nodes in which no
  /// member counts are left out.
  virtual void take_sample(int row, int level, long index, const Sample& sample, const double* numbers) = 0;
};

/// Why batches cannot be reduced on the current device; empty where they can.
std::string reduction_problem();

/// Device memory that reduce_batch needs for batches up to this one: 2.6 kB for each leaf of 4096 members and row, and
/// for samples 20 bytes a member. Thrust takes about as much more while it sorts.
std::size_t reduction_workspace_bytes(const ObservedBatch& batch, const SampleSize& size);

/// Reduces a batch to its statistics; members that are not ok and numbers that are not finite do not count. The result
/// does not depend on how an ensemble is cut into batches, and is that of MomentsAccumulator and QuantileSketch to the
/// last bit. The device must be current. Works in `stream` and returns when all is taken. Throws std::exception where
/// CUDA or Thrust fails, std::invalid_argument where the batch does not start with a leaf.
void reduce_batch(const ObservedBatch& batch, const SampleSize& size, void* workspace, std::size_t workspace_bytes,
                  CUstream_st* stream, ReductionReceiver& receiver);

/// The greatest number of all rows that is of an ok member and above 0; 0 where there is none. Else as reduce_batch.
double greatest_of_ok(const ObservedBatch& batch, CUstream_st* stream);

}  // namespace kalaba
