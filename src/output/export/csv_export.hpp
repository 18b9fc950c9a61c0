#pragma once

#include <string>
#include <vector>

#include "output/netcdf/archive.hpp"

namespace kalaba {

/// Tables as pandas and R read them: a header, a row a thing, every number with 17 significant digits, "NaN" and "Inf"
/// where it is not finite. Errors are Error(file_error); a table appears complete or not at all.

/// One table: `member,time`, then every component of every saved field, a row a member and saved time, ordered by
/// member, as the CSV output of a run; the table of statistics where the file holds no trajectories.
void export_csv_table(const Archive& archive, const std::string& path);

/// The tables of a file in a folder, which is made where it is missing; returns their paths:
///
///     trajectories.csv  as above
///     members.csv       member, its status and failure time, its parameters, and all else that is known of members
///     statistics.csv    time, ok_members, then X_mean, X_std, ..., X_q0.05, ...: a row a saved time
///     columns.csv       column, unit, meaning: what the columns of trajectories.csv are
std::vector<std::string> export_csv_folder(const Archive& archive, const std::string& folder);

}  // namespace kalaba
