#pragma once

#include <optional>
#include <string>

#include "scenario/document.hpp"
#include "scenario/table_column.hpp"

namespace kalaba {

/// Whether a path is that of a netCDF file: it ends in .nc.
bool is_netcdf_path(const std::string& path);

/// Reads the variable of that name, or the one called `variable`, of one dimension; or of a file that Kalaba wrote, the
/// coordinate or rate of that name at the last saved time. Errors are told at `node`.
TableColumn read_netcdf_column(const Node& node, const std::string& path, const std::optional<std::string>& name,
                               const std::string& variable);

}  // namespace kalaba
