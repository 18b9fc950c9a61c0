#pragma once

#include <cstdint>
#include <memory>
#include <string>

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
};

/// A sink that ends as one file. It appears under its name at finish, complete; an interrupted run's appears as
/// NAME.partial.ENDING instead; without finish nothing appears.
class FileSink : public Sink {
 public:
  /// Where the file is, once finished.
  virtual std::string published_path() const = 0;
};

/// A sink by the file's ending: .nc (netCDF-4) or .csv. Throws Error on any other ending, a missing folder, a folder
/// under that name, or a place that cannot be written - at once, before anything is computed.
std::unique_ptr<FileSink> open_sink(const std::string& path, const Provenance& provenance);

}  // namespace kalaba
