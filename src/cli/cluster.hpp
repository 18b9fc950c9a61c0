#pragma once

#include <string>
#include <vector>

namespace kalaba {

/// Whether the environment is to say which part of the ensemble this process integrates: "auto" or "auto/4".
bool is_assigned(const std::string& shard);

/// Returns that part, "2/4", from the variables that a task of an array (Slurm, Grid Engine, PBS, LSF), a rank of srun
/// or mpirun (Open MPI, or what speaks PMI), or both are started with. "auto/4" states how many parts there are, and a
/// task of an array has the part of its number; else the array's size does. Throws Error(bad_input) where nothing
/// states the part, or not without doubt.
std::string assigned_shard(const std::string& shard);

enum class Scheduler : int { slurm, pbs };

/// What is to run on a cluster: an array of jobs, each a shard, and a job behind them that merges.
struct ClusterJob {
  Scheduler scheduler = Scheduler::slurm;
  std::string program;             ///< kalaba, as a shell starts it
  std::vector<std::string> words;  ///< of kalaba run: the scenario and its overrides
  std::string output;              ///< .nc
  long shards = 1;
  std::string time;                  ///< limit of a job, as the scheduler writes it; "": its default
  std::vector<std::string> options;  ///< of the scheduler, a line each: "--partition=long"
};

/// A batch script each.
std::string array_script(const ClusterJob& job);
std::string merge_script(const ClusterJob& job);

/// "1:30:00" of "90m", "1.5h", "5400s" or "1:30:00" itself. Throws Error(bad_input) on anything else.
std::string time_limit(const std::string& text);

/// A word that a shell reads back as it is.
std::string shell_word(const std::string& word);

}  // namespace kalaba
