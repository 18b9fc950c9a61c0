#pragma once

#include <filesystem>
#include <string>

namespace kalaba {

/// An output to draw from: a file that is one, or what a scenario or model (.toml) comes to, which is run into a
/// temporary folder that vanishes with this.
class DrawnRun {
 public:
  /// Runs where there is something to run. Throws Error, of a run that is interrupted too.
  explicit DrawnRun(const std::string& file);
  ~DrawnRun();
  DrawnRun(const DrawnRun&) = delete;
  DrawnRun& operator=(const DrawnRun&) = delete;

  const std::string& data() const { return data_; }
  /// `output`; or, where a run has none, the scenario's name with this ending.
  std::string beside(const std::string& output, const std::string& ending) const;

 private:
  std::string file_;
  std::string data_;
  std::filesystem::path folder_;  ///< to be removed; empty: none
};

}  // namespace kalaba
