#pragma once

#include <optional>
#include <string>

#include "backend/cache/work_folder.hpp"

namespace kalaba {

/// An output to draw from: a file that is one, or what a scenario or model (.toml) comes to, which is run into a
/// temporary folder that vanishes with this.
class DrawnRun {
 public:
  /// Runs where there is something to run. Throws Error, of a run that is interrupted too.
  explicit DrawnRun(const std::string& file);

  const std::string& data() const { return data_; }
  /// `output`; or, where a run has none, the scenario's name with this ending.
  std::string beside(const std::string& output, const std::string& ending) const;

 private:
  std::string file_;
  std::string data_;
  std::optional<WorkFolder> folder_;  ///< none where there was nothing to run
};

}  // namespace kalaba
