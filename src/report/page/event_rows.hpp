#pragma once

#include <string>
#include <vector>

#include "output/netcdf/archive.hpp"

namespace kalaba {

/// One row per event of a file: name, expression, members and crossings, range of the first times. Empty if the file
/// has no events.
std::vector<std::vector<std::string>> event_rows(const Archive& archive);

}  // namespace kalaba
