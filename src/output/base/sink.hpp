#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "kalaba/run.hpp"

namespace kalaba {

/// What made an output, beyond what the run itself knows.
struct Provenance {
  std::string scenario;  ///< TOML text
  std::uint64_t seed = 0;
  std::string version;
  std::string commit;
  std::string compiler = {};  ///< and how it was told to build
  std::string machine = {};
  std::uint64_t inputs = 0;                     ///< fingerprint of the numbers that the scenario reads from other files
  std::string shard = {};                       ///< "2/4": which part of the ensemble the run integrates; "": all of it
  std::vector<std::string> varied_starts = {};  ///< coordinates and rates whose initial values members differ in
  std::vector<GridAxis> grid = {};              ///< that the members make, the last axis fastest
  std::vector<std::string> saltelli = {};       ///< of that design: "parameters.L", ... in the order of the members
};

/// Of such a grid; 1 where there is none.
inline long points_of(const std::vector<GridAxis>& grid) {
  long points = 1;
  for (const GridAxis& axis : grid) points *= axis.points;
  return points;
}

/// A sink that ends as one file. It grows as NAME.partial.ENDING and takes its name at finish, complete. An interrupted
/// run's keeps the name it has; without finish it is removed, or kept as it is where another process may go on with it.
class FileSink : public Sink {
 public:
  /// Makes what was written durable, and returns what `resume` needs to go on from here.
  virtual std::string save() = 0;
  /// Instead of begin: goes on from what save returned, in this process or another, whatever happened to the file
  /// since. The run is the same. Throws Error(file_error) where the file is not what it was.
  virtual void resume(const RunInfo& run, const std::string& state) = 0;
  /// Whether save may be called within a block, too: behind a frame.
  virtual bool saves_block_checkpoints() const { return false; }
  /// From now on the file is kept where finish is not called.
  virtual void keep() = 0;
  /// From now on finish fails where a file of the final name is there already; this one keeps its temporary name.
  virtual void leave_existing() = 0;
  /// Whether the unfinished file is still there and holds what save promised, as far as that shows without reading its
  /// numbers.
  virtual bool is_intact() const = 0;

  /// Where the file is, once finished.
  virtual std::string published_path() const = 0;
};

/// A sink by the file's ending: .nc (netCDF-4) or .csv. Throws Error on any other ending, a missing folder, a folder
/// under that name, or a place that cannot be written - at once, before anything is computed.
std::unique_ptr<FileSink> open_sink(const std::string& path, const Provenance& provenance);

}  // namespace kalaba
