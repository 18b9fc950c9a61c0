#pragma once

#include <optional>
#include <string>

#include "backend/cache/work_folder.hpp"

namespace kalaba {

/// An output to draw: an existing file, or the result of a scenario or model (.toml), which is run into a temporary
/// folder that the destructor removes.
class DrawnRun {
 public:
  /// Runs a scenario or model. Throws Error, also if the run is interrupted.
  explicit DrawnRun(const std::string& file);

  const std::string& data() const { return data_; }
  /// Returns `output`; if it is empty, the scenario's name with this ending.
  std::string beside(const std::string& output, const std::string& ending) const;

 private:
  std::string file_;
  std::string data_;
  std::optional<WorkFolder> folder_;  ///< none if nothing was run
};

}  // namespace kalaba
