#pragma once

#include <functional>
#include <string>

#include "cli/merge_task.hpp"
#include "cli/run_task.hpp"

namespace kalaba {

/// The output that the shards of a run are merged to. Reads the scenario as each shard will, so that what is wrong is
/// said before they begin: throws Error.
std::string merged_output(RunWords words, long shards);

/// Threads for each of so many processes on this machine.
int threads_of_each(long processes);

/// What the shards of a run came to: merged where all have ended, or the code of one that has not.
struct LocalShards {
  ExitCode code = ExitCode::ok;
  MergedRun merged;  ///< where the code is ok or members_failed
};

/// Runs every shard in a process of its own on this machine and merges their files, which go. `run_shard` integrates
/// the words of one. Where a shard does not end, those files stay that `--resume` goes on with.
LocalShards run_local_shards(const RunWords& words, long shards,
                             const std::function<ExitCode(const RunWords&)>& run_shard);

}  // namespace kalaba
