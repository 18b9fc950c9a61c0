#pragma once

#include <optional>
#include <string>

#include "scenario/document.hpp"
#include "scenario/table_column.hpp"

namespace kalaba {

/// Reads the column of that name of a CSV file whose first line names the columns, and every other line holds a number
/// for each of them; without a name, the one called `variable`, or the only one there is. Errors are told at `node`,
/// and name the line of the CSV file.
TableColumn read_csv_column(const Node& node, const std::string& path, const std::optional<std::string>& name,
                            const std::string& variable);

}  // namespace kalaba
