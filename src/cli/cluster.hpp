#pragma once

#include <string>
#include <vector>

namespace kalaba {

/// Returns true if the environment determines which part of the ensemble this process integrates: "auto" or "auto/4".
bool is_assigned(const std::string& shard);

/// Returns that part, "2/4", from the environment variables of a task of an array (Slurm, Grid Engine, PBS, LSF), of a
/// rank of srun or mpirun (Open MPI, or an implementation with PMI), or of both. "auto/4" sets the number of parts, and
/// a task of an array has the part of its number; otherwise the size of the array is the number of parts. Throws
/// Error(bad_input) if no variable determines the part, or if the variables are ambiguous.
std::string assigned_shard(const std::string& shard);

enum class Scheduler : int { slurm, pbs };

/// A job on a cluster: an array of jobs, one per shard, and a job after them that merges.
struct ClusterJob {
  Scheduler scheduler = Scheduler::slurm;
  std::string program;             ///< kalaba, as a shell command
  std::vector<std::string> words;  ///< of kalaba run: the scenario and its overrides
  std::string output;              ///< .nc
  long shards = 1;
  std::string time;                  ///< limit of a job, in the scheduler's format; "": its default
  std::vector<std::string> options;  ///< of the scheduler, one per line: "--partition=long"
};

/// Each returns a batch script.
std::string array_script(const ClusterJob& job);
std::string merge_script(const ClusterJob& job);

/// "1:30:00" of "90m", "1.5h", "5400s" or "1:30:00" itself. Throws Error(bad_input) on anything else.
std::string time_limit(const std::string& text);

/// Quotes a word for a shell.
std::string shell_word(const std::string& word);

}  // namespace kalaba
