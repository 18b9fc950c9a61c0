#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "kalaba/run.hpp"

namespace kalaba {

/// Origin of an output, in addition to the data of the run itself.
struct Provenance {
  std::string scenario;  ///< TOML text
  std::uint64_t seed = 0;
  std::string version;
  std::string commit;
  std::string compiler = {};  ///< with the compiler flags
  std::string machine = {};
  std::uint64_t inputs = 0;  ///< fingerprint of the numbers that the scenario reads from other files
  std::string shard = {};    ///< "2/4": the part of the ensemble that the run integrates; "": all of it
  std::vector<std::string> varied_starts = {};  ///< coordinates and rates whose starts differ between members
  std::vector<GridAxis> grid = {};              ///< axes of the members' grid, the last one fastest
  std::vector<std::string> saltelli = {};       ///< of that design, in the order of the members: "parameters.L", ...
};

/// Number of points of such a grid; 1 if it has no axes.
inline long points_of(const std::vector<GridAxis>& grid) {
  long points = 1;
  for (const GridAxis& axis : grid) points *= axis.points;
  return points;
}

/// Sink that writes one file. The file grows as NAME.partial.ENDING and is renamed at finish, when it is complete. The
/// file of an interrupted run keeps the temporary name. Without finish the file is removed, or kept if another process
/// may resume.
class FileSink : public Sink {
 public:
  /// Makes the written data durable, and returns the state for `resume`.
  virtual std::string save() = 0;
  /// Replaces begin: continues from the state that save returned, in this process or another, whatever was written to
  /// the file since. The run is the same. Throws Error(file_error) if the saved part of the file has changed.
  virtual void resume(const RunInfo& run, const std::string& state) = 0;
  /// Returns true if save may be called within a block, after a frame.
  virtual bool saves_block_checkpoints() const { return false; }
  /// Keeps the file if finish is not called.
  virtual void keep() = 0;
  /// Makes finish fail if a file of the final name exists; this file then keeps its temporary name.
  virtual void leave_existing() = 0;
  /// Returns true if the unfinished file still exists and contains the saved data, as far as can be checked without
  /// reading its numbers.
  virtual bool is_intact() const = 0;

  /// Path of the finished file.
  virtual std::string published_path() const = 0;
};

/// Opens a sink by the file's ending: .nc (netCDF-4) or .csv. Throws Error immediately, before any computation, for
/// other endings, a missing folder, a folder of that name, or a place that cannot be written.
std::unique_ptr<FileSink> open_sink(const std::string& path, const Provenance& provenance);

}  // namespace kalaba
