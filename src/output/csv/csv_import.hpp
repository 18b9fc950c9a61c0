#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "kalaba/statistics.hpp"

namespace kalaba {

/// Content of the CSV tables of a run that its netCDF file, as written by `import_csv`, does not have.
struct ImportedTables {
  std::vector<std::string> files;          ///< names of the tables that were read, that of the run first
  std::vector<std::string> varied_starts;  ///< coordinates and rates whose initial values are columns
  EnsembleStatistics statistics;           ///< without fields if there is no table of statistics
  bool has_members = true;                 ///< false: the run saved statistics only
  std::string absent;                      ///< sentences for users: data of the run that the tables do not contain
};

/// Writes the tables of a run with the output NAME.csv as a netCDF file: the trajectories, NAME.members.csv, and
/// NAME.events.csv if it exists; likewise members.csv and events.csv beside the trajectories.csv of an export. The file
/// has the name of the table in place of that of the system; units and other text that the tables do not contain are
/// empty. Reads about numbers_at_once numbers of members at once, and writes from memory if there are at most eight
/// times as many. Throws Error(file_error) naming file and line if a table is unfinished or damaged, if tables do not
/// match, and if the file is no table of kalaba.
ImportedTables import_csv(const std::string& path, const std::string& netcdf_path,
                          std::size_t numbers_at_once = std::size_t{1} << 22);

}  // namespace kalaba
