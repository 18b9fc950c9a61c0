#pragma once

#include <string>
#include <vector>

#include "kalaba/system.hpp"
#include "output/netcdf/netcdf_file.hpp"

namespace kalaba {

/// As much of the system as a file's labels tell: names and units of coordinates, rates, constraints and invariants,
/// the number of agents, and the parameters under the names of their variables. Throws Error(file_error) where the
/// labels are not of the size of their dimension.
SystemInfo read_labels(const NetcdfFile& file, const std::string& path);

/// The id of a variable. Throws Error(file_error) where it is absent or of another shape.
int variable_of_shape(const NetcdfFile& file, const std::string& path, const std::string& name,
                      const std::vector<std::size_t>& shape);

}  // namespace kalaba
