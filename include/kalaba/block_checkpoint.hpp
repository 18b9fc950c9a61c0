#pragma once

#include <string>

#include "kalaba/run.hpp"

namespace kalaba {

/// Where a run may go on within a block of members: what a large swarm, which is a block of its own, needs.
struct BlockCheckpoint {
  long first = 0;     ///< member of the block
  long members = 0;   ///< of it
  long step = 0;      ///< of the time grid, that the state is at
  long frame = 0;     ///< the first saved time that is not yet written
  std::string state;  ///< of the block
};

/// A sink that keeps such places.
class BlockCheckpointSink {
 public:
  virtual ~BlockCheckpointSink() = default;
  /// After begin: where the run goes on within its first block. Null: that block begins at its start.
  virtual const BlockCheckpoint* block_checkpoint() const = 0;
  /// Whether it can keep a place, and wants one now.
  virtual bool keeps_block_checkpoints() const = 0;
  virtual bool wants_block_checkpoint() const = 0;
  /// Every frame before the place is written. `so_far` is of the blocks before, and the worst of this one.
  virtual void save_block_checkpoint(const Summary& so_far, BlockCheckpoint place) = 0;
};

}  // namespace kalaba
