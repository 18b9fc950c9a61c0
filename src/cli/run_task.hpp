#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "output/base/checkpoint.hpp"
#include "output/durable/run_lock.hpp"
#include "scenario/scenario.hpp"

namespace kalaba {

/// Arguments of the command line, or of a program, for a run.
struct RunWords {
  std::string scenario;                ///< "": that of the resumed run
  std::vector<std::string> overrides;  ///< with the shorthands
  std::string text;                    ///< the scenario itself, named `scenario` in messages; "": `scenario` is a file
  GivenArrays arrays;                  ///< arrays that the text names
  bool in_memory = false;              ///< there is no output file
  std::string resumed;                 ///< --resume FILE; "": a new run
  std::string shard;                   ///< --shard i/N; "": the whole ensemble
  bool checks_other_parts = false;     ///< refuse the shard if a part of a division into another number exists
  bool restarts = false;               ///< --restart
  long member = -1;                    ///< --member N; -1: all
  bool no_clobber = false;             ///< --no-clobber
  bool dry_run = false;                ///< --dry-run: takes no lock and does not search for a run to resume
};

/// A run that is ready to start.
struct RunTask {
  Scenario scenario;
  Provenance provenance;
  RunPart part;
  std::unique_ptr<RunLock> lock;         ///< lock of the output; null without an output
  std::optional<Checkpoint> checkpoint;  ///< checkpoint to continue from
  bool no_clobber = false;               ///< a file that appears during the run is kept, too
  bool is_complete = false;              ///< nothing is left to compute; part.before is the summary in a netCDF file
  std::vector<std::string> replaced;     ///< existing files that will be overwritten
};

/// Reads the scenario, takes the lock of its output and finds the run to resume. Throws Error with the difference if
/// the existing run is another one.
RunTask prepare_run(const RunWords& words);

/// Throws Error(file_error) if an unfinished run of this output exists, unless it is to be restarted: a run that
/// happens to have the same output must not overwrite hours of work.
void check_unfinished(const std::string& path, bool restarts);

}  // namespace kalaba
