#pragma once

#include <optional>
#include <string>
#include <vector>

#include "scenario/document/document.hpp"
#include "scenario/sampling/table_column.hpp"

namespace kalaba {

/// Returns true if a file is netCDF: by its first bytes (netCDF-4 or classic), or by a name that ends in .nc.
bool is_netcdf(const std::string& path);

/// Reads the one-dimensional variable of that name, or of the name `variable`; or from a file that Kalaba wrote, the
/// coordinate or rate of that name at the last saved time. Members that an event stopped start from the state of the
/// event; the column's note reports it. Throws Error at `node`, also if a member failed or was interrupted.
TableColumn read_netcdf_column(const Node& node, const std::string& path, const std::optional<std::string>& name,
                               const std::string& variable);

/// Reads the values of the discrete variables `names` at the last saved time of a file from which
/// `read_netcdf_column` has read states: one list for each name, over the members; empty if the file does not contain
/// it. Throws Error; `where` is the beginning of its message.
std::vector<std::vector<double>> read_final_discrete(const std::string& where, const std::string& path,
                                                     const std::vector<std::string>& names);

}  // namespace kalaba
