#pragma once

#include <string>

#include "output/durable/plain_file.hpp"
#include "output/netcdf/netcdf_file.hpp"

namespace kalaba {

/// Why an output of Kalaba's is not finished, and what to do about it: its run was killed, or is still going on. "" of
/// one that is, also where its run was interrupted and said so, and of netCDF files that others made. Every command
/// asks this and nothing else.
std::string unfinished_reason(const NetcdfFile& file, const std::string& path);

/// Throws Error(file_error) where there is such a reason: parts of the file hold zeros that nobody computed.
void require_finished(const NetcdfFile& file, const std::string& path);

/// Throws Error(file_error) where an unfinished file has other structures than its checkpoint states: libhdf5 may crash
/// on them, so that this comes before the library opens the file.
void require_structures(const PlainFile& file);

/// Likewise of a table, which tells by its name alone.
std::string unfinished_table_reason(const std::string& path);

}  // namespace kalaba
