#pragma once

#include <functional>
#include <string>

#include "cli/merge_task.hpp"
#include "cli/run_task.hpp"

namespace kalaba {

/// Returns the output file to which the shards of a run are merged. Reads the scenario as each shard will, so that
/// faults are reported before the shards start: throws Error.
std::string merged_output(RunWords words, long shards);

/// Returns the number of threads of each of `processes` processes on this machine.
int threads_of_each(long processes);

/// Result of the shards of a run: merged if all have ended, else the code of one that has not.
struct LocalShards {
  ExitCode code = ExitCode::ok;
  MergedRun merged;  ///< if the code is ok or members_failed
};

/// Runs every shard in a separate process on this machine, merges their files and removes them. `run_shard` integrates
/// the arguments of one shard. If a shard does not end, the files that `--resume` needs are kept.
LocalShards run_local_shards(const RunWords& words, long shards,
                             const std::function<ExitCode(const RunWords&)>& run_shard);

}  // namespace kalaba
