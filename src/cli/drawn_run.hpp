#pragma once

#include <optional>
#include <string>

#include "backend/cache/work_folder.hpp"
#include "output/csv/csv_import.hpp"

namespace kalaba {

/// An output to draw: an existing file, or the result of a scenario or model (.toml), which is run into a temporary
/// folder that the destructor removes.
class DrawnRun {
 public:
  enum class Tables { read, imported };
  /// Runs a scenario or model, and writes CSV tables that are to be imported as a netCDF file into the folder. Throws
  /// Error, also if the run is interrupted.
  explicit DrawnRun(const std::string& file, Tables tables = Tables::read);

  const std::string& data() const { return data_; }
  /// Empty if no tables were imported.
  const std::optional<ImportedTables>& tables() const { return tables_; }
  /// Returns `output`; if it is empty, the name of the scenario or table with this ending.
  std::string beside(const std::string& output, const std::string& ending) const;

 private:
  /// Path of this name in the temporary folder.
  std::string temporary(const std::string& ending);

  std::string file_;
  std::string data_;
  std::optional<ImportedTables> tables_;
  std::optional<WorkFolder> folder_;  ///< none if nothing was run or imported
};

}  // namespace kalaba
