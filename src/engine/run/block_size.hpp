#pragma once

#include "kalaba/options.hpp"
#include "kalaba/system.hpp"

namespace kalaba {

/// What a block's members are padded to, see Block: the packs of a swarm are of agents, not of members.
long padding_of(const SystemInfo& system);

/// Bytes that a run holds a member, in its block and what is observed of it: about.
double member_bytes(const SystemInfo& system, const Options& options);

/// Members held at once, at most: as many as fit options.memory_budget, in whole paddings.
long block_capacity(const SystemInfo& system, const Options& options, long members);

/// How many members each block of a run has. A run can be resumed behind a whole block: the first ones are small, and
/// the time they take tells how many members take some seconds. A member's numbers do not depend on its block.
class BlockSizes {
 public:
  /// At most `capacity`; always that many on a GPU, and where options.block_members asks for a number.
  BlockSizes(const SystemInfo& system, const Options& options, long capacity);

  long next() const { return size_; }
  /// A block of `members` took so long, s.
  void took(long members, double seconds);

 private:
  long capacity_;
  long padding_;
  long least_;  // to keep every thread busy
  long size_;
};

}  // namespace kalaba
