#pragma once

#include <string>
#include <vector>

#include "scenario/scenario.hpp"

namespace kalaba {

/// Result of joining the parts of a run.
struct MergedRun {
  Scenario scenario;  ///< of the run itself, as load_run_text reads it
  Summary summary;
  std::string path;  ///< of the file
};

/// Joins the files of all shards of one run, in any order, to one netCDF file. Throws Error with the name of the shard
/// that does not fit or is missing, or of the output that cannot be written; `restarts`: an unfinished run of this
/// output may be overwritten.
MergedRun merge_run(const std::vector<std::string>& files, const std::string& path, bool restarts);

}  // namespace kalaba
