#pragma once

#include <optional>
#include <string>
#include <vector>

#include "scenario/document.hpp"

namespace kalaba {

/// A column of a CSV file whose first line names the columns; every other line holds a number for each of them.
struct CsvColumn {
  std::string name;
  std::vector<double> values;  ///< one a row, finite
};

/// Reads the column of that name; without a name, the one called `variable`, or the only one there is.
/// Errors are told at `node`, and name the line of the CSV file.
CsvColumn read_csv_column(const Node& node, const std::string& path, const std::optional<std::string>& name,
                          const std::string& variable);

}  // namespace kalaba
