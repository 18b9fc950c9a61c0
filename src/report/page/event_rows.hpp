#pragma once

#include <string>
#include <vector>

#include "output/netcdf/archive.hpp"

namespace kalaba {

/// A row an event of a file: name, when it happens, members and crossings, span of the first times. None where the file
/// has no events.
std::vector<std::vector<std::string>> event_rows(const Archive& archive);

}  // namespace kalaba
