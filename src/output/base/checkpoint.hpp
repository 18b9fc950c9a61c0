#pragma once

#include <optional>
#include <string>
#include <vector>

#include "kalaba/block_checkpoint.hpp"
#include "output/base/sink.hpp"

namespace kalaba {

/// State from which an interrupted run can be resumed.
struct Checkpoint {
  Provenance provenance;
  Backend backend = Backend::cpu;                   ///< backend of the run so far
  bool interpreted = false;                         ///< likewise, see RunInfo
  Summary summary;                                  ///< of the completed blocks
  std::vector<std::string> states;                  ///< results of FileSink::save, one per sink
  std::optional<BlockCheckpoint> block_checkpoint;  ///< state within an unfinished block

  /// Returns true if there is progress to resume from.
  bool has_progress() const { return summary.finished_members > 0 || block_checkpoint.has_value(); }
};

/// Path of the checkpoint of an output: "pendulum.partial.nc.checkpoint" for "pendulum.nc".
std::string checkpoint_path(const std::string& path);

/// Replaces the checkpoint of an output, durably and atomically: whenever the process or the machine stops, either the
/// old or the new one exists, complete. Throws Error(file_error).
void write_checkpoint(const std::string& path, const Checkpoint& checkpoint);

/// Reads the checkpoint of an output, if there is one. Throws Error(file_error) if it is damaged.
std::optional<Checkpoint> read_checkpoint(const std::string& path);

}  // namespace kalaba
