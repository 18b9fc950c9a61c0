#pragma once

#include <string>

#include "output/durable/plain_file.hpp"
#include "output/netcdf/netcdf_file.hpp"

namespace kalaba {

/// Reason why an output of Kalaba is unfinished, and the remedy: its run was killed, or is still running. "" for a
/// finished file, including that of an interrupted run, which states so, and for netCDF files of other programs. The
/// only test of this kind: every command uses it.
std::string unfinished_reason(const NetcdfFile& file, const std::string& path);

/// Throws Error(file_error) if the file is unfinished: parts of it hold zeros that were never computed.
void require_finished(const NetcdfFile& file, const std::string& path);

/// Throws Error(file_error) if the structures of an unfinished file differ from its checkpoint. Must be called before
/// the library opens the file: libhdf5 may crash on damaged structures.
void require_structures(const PlainFile& file);

/// Likewise for a table; only its name shows that it is unfinished.
std::string unfinished_table_reason(const std::string& path);

}  // namespace kalaba
