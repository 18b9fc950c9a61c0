#pragma once

#include <string>

#include "kalaba/run.hpp"

namespace kalaba {

/// Position from which a run may continue within a block of members: for a large swarm, which is a block of its own.
struct BlockCheckpoint {
  long first = 0;     ///< first member of the block
  long members = 0;   ///< number of members of the block
  long step = 0;      ///< step of the time grid that the state belongs to
  long frame = 0;     ///< index of the first saved time that is not yet written
  std::string state;  ///< state of the block
};

/// A sink that stores such positions.
class BlockCheckpointSink {
 public:
  virtual ~BlockCheckpointSink() = default;
  /// Position from which the run continues within its first block; valid after begin. Null: that block begins at its
  /// start.
  virtual const BlockCheckpoint* block_checkpoint() const = 0;
  /// Returns true if it can store a position, and if it should store one now.
  virtual bool keeps_block_checkpoints() const = 0;
  virtual bool is_block_checkpoint_due() const = 0;
  /// Stores a position; every frame before it is written. `so_far` is the summary of the blocks before, with the
  /// largest values of this one.
  virtual void save_block_checkpoint(const Summary& so_far, BlockCheckpoint place) = 0;
};

}  // namespace kalaba
