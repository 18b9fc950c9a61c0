#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "output/base/checkpoint.hpp"
#include "output/durable/run_lock.hpp"
#include "scenario/scenario.hpp"

namespace kalaba {

/// What the command line, or a program, asks to run.
struct RunWords {
  std::string scenario;                ///< "": that of the run which is resumed
  std::vector<std::string> overrides;  ///< with the shorthands
  std::string text;                    ///< the scenario itself, which messages then call `scenario`; "": that is a file
  GivenArrays arrays;                  ///< that the text names
  bool in_memory = false;              ///< there is no output file, and no need of one
  std::string resumed;                 ///< --resume FILE; "": a new run
  std::string shard;                   ///< --shard i/N; "": the whole ensemble
  bool checks_other_parts = false;     ///< refuse the shard where a part of a division into another number lies
  bool restarts = false;               ///< --restart
  long member = -1;                    ///< --member N; -1: all
  bool no_clobber = false;             ///< --no-clobber
  bool dry_run = false;                ///< --dry-run: takes no lock, and looks for nothing to resume
};

/// A run that is ready to go.
struct RunTask {
  Scenario scenario;
  Provenance provenance;
  RunPart part;
  std::unique_ptr<RunLock> lock;         ///< of the output; none without one
  std::optional<Checkpoint> checkpoint;  ///< to go on from
  bool no_clobber = false;               ///< a file that is made while the run goes on is left, too
  bool is_complete = false;              ///< there is nothing left to do; part.before is what a netCDF file tells
  std::vector<std::string> replaced;     ///< files that are there and will be written anew
};

/// Reads the scenario, takes the lock of its output and finds what there is to resume. Throws Error, naming the
/// difference where the run that is there is another one.
RunTask prepare_run(const RunWords& words);

/// Throws Error(file_error) where an unfinished run of this output is in the way, unless it is to be begun anew: hours
/// of work are not overwritten by a run that happens to have the same output.
void check_unfinished(const std::string& path, bool restarts);

}  // namespace kalaba
