#pragma once

#include <optional>
#include <string>

#include "scenario/document/document.hpp"
#include "scenario/sampling/table_column.hpp"

namespace kalaba {

/// Whether a file is netCDF: it begins as one does (netCDF-4 or classic), or its name ends in .nc.
bool is_netcdf(const std::string& path);

/// Reads the variable of that name, or the one called `variable`, of one dimension; or of a file that Kalaba wrote, the
/// coordinate or rate of that name at the last saved time, where no member failed or was interrupted on its way there.
/// Those that an event stopped are at the state in which it did, which the column's note says. Errors are told at
/// `node`.
TableColumn read_netcdf_column(const Node& node, const std::string& path, const std::optional<std::string>& name,
                               const std::string& variable);

}  // namespace kalaba
