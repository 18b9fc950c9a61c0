#pragma once

#include <memory>
#include <string>
#include <vector>

#include "kalaba/system.hpp"
#include "output/base/reader.hpp"

namespace kalaba {

/// Reads files of the CSV sink: rows ordered by member, then time, with the same times for every member (members of an
/// interrupted run may have fewer).
std::unique_ptr<Reader> open_csv(const std::string& path);

/// Interprets the names in a CSV header (after member and time). CSV contains neither units nor the position of the
/// first rate: both are taken from a catalogue system with these coordinates and rates. Otherwise the first rate is the
/// first name such as x_dot or p_x, or there are as many rates as coordinates. Any other name is an invariant.
std::vector<Column> csv_columns(const std::vector<std::string>& names);
/// Names of the components of all fields of a system.
std::vector<std::string> component_names(const SystemInfo& system);
/// Variables of the columns sensitivity_NAME_to_VARIABLE of any other column NAME.
std::vector<std::string> csv_sensitivities(const std::vector<std::string>& names);

}  // namespace kalaba
