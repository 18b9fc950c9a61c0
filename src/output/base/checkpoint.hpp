#pragma once

#include <optional>
#include <string>
#include <vector>

#include "kalaba/block_checkpoint.hpp"
#include "output/base/sink.hpp"

namespace kalaba {

/// What it takes to go on with a run that was broken off.
struct Checkpoint {
  Provenance provenance;
  Backend backend = Backend::cpu;                   ///< that integrated so far
  bool interpreted = false;                         ///< likewise, see RunInfo
  Summary summary;                                  ///< of the blocks so far
  std::vector<std::string> states;                  ///< what FileSink::save returned, one a sink
  std::optional<BlockCheckpoint> block_checkpoint;  ///< where it is within a block

  /// Whether there is something to go on with.
  bool has_progress() const { return summary.finished_members > 0 || block_checkpoint.has_value(); }
};

/// Where the checkpoint of an output is: "pendulum.nc" has "pendulum.partial.nc.checkpoint".
std::string checkpoint_path(const std::string& path);

/// Replaces the checkpoint of an output, durably: whenever the process or the machine ends, the old one or the new one
/// is there, whole. Throws Error(file_error).
void write_checkpoint(const std::string& path, const Checkpoint& checkpoint);

/// The checkpoint of an output, if there is one. Throws Error(file_error) where it is damaged.
std::optional<Checkpoint> read_checkpoint(const std::string& path);

}  // namespace kalaba
