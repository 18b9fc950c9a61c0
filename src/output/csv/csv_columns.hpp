#pragma once

#include <string>
#include <vector>

#include "output/base/reader.hpp"

namespace kalaba {

/// What a CSV header's names (behind member and time) stand for. CSV tells neither units nor where the rates begin: a
/// catalogue system with these coordinates and rates tells both, otherwise there are as many rates as coordinates.
std::vector<Column> csv_columns(const std::vector<std::string>& names);

}  // namespace kalaba
