#pragma once

#include <string>
#include <vector>

#include "output/base/reader.hpp"

namespace kalaba {

/// Interprets the names in a CSV header (after member and time). CSV contains neither units nor the position of the
/// first rate: both are taken from a catalogue system with these coordinates and rates. Otherwise the first rate is the
/// first name such as x_dot or p_x, or there are as many rates as coordinates.
std::vector<Column> csv_columns(const std::vector<std::string>& names);

}  // namespace kalaba
