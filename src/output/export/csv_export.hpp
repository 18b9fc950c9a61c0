#pragma once

#include <string>
#include <vector>

#include "output/netcdf/archive.hpp"

namespace kalaba {

/// Tables for pandas and R: a heading, then rows; numbers have 17 significant digits, or are "NaN" and "Inf". Throws
/// Error(file_error); tables appear atomically.

/// Writes one table: `member,time`, then every component of every saved field, one row per member and saved time,
/// ordered by member, as the CSV output of a run; the table of statistics if the file holds no trajectories.
void export_csv_table(const Archive& archive, const std::string& path);

/// Writes the tables of a file into a folder, which is created if missing; returns their paths:
///
///     trajectories.csv  as above
///     members.csv       member, its status and failure time, its parameters, and all other variables per member
///     statistics.csv    time, ok_members, then X_mean, X_std, ..., X_q0.05, ...: one row per saved time
///     columns.csv       column, unit, meaning: description of the columns of trajectories.csv
std::vector<std::string> export_csv_folder(const Archive& archive, const std::string& folder);

}  // namespace kalaba
