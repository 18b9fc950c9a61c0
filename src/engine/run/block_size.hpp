#pragma once

#include "kalaba/options.hpp"
#include "kalaba/system.hpp"

namespace kalaba {

/// Returns the number of members to which a block is padded, see Block: the packs of a swarm consist of agents, not of
/// members.
long padding_of(const SystemInfo& system);

/// Returns the approximate bytes per member that a run holds in its block and its observation.
double member_bytes(const SystemInfo& system, const Options& options);

/// Returns the largest number of members held at the same time: as many as fit options.memory_budget and, on the CPU,
/// its caches, in whole paddings.
long block_capacity(const SystemInfo& system, const Options& options, long members);

/// Chooses the number of members of each block of a run. A run can be resumed after a whole block: the first blocks are
/// small, and their computing time determines how many members take some seconds. A member's results do not depend on
/// its block.
class BlockSizes {
 public:
  /// At most `capacity`; always `capacity` on a GPU, and if options.block_members sets a number.
  BlockSizes(const SystemInfo& system, const Options& options, long capacity);

  long next() const { return size_; }
  /// Records the time that a block of `members` took, in seconds.
  void took(long members, double seconds);

 private:
  long capacity_;
  long padding_;
  long least_;  // enough members for every thread
  long size_;
};

}  // namespace kalaba
