#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "scenario/document/document.hpp"
#include "scenario/sampling/table_column.hpp"

namespace kalaba {

/// Reads the column of that name of a CSV file whose first line names the columns, and every other line holds a number
/// for each of them; without a name, the one called `variable`. Errors are told at `node`, and name the line of the
/// CSV file.
TableColumn read_csv_column(const Node& node, const std::string& path, const std::optional<std::string>& name,
                            const std::string& variable);

/// What is told of a CSV file that is wrong; does not return.
using CsvFailure = std::function<void(const std::string& message, ExitCode code)>;

/// Two columns of numbers, the first ascending.
struct CsvPairs {
  std::string first_name;
  std::string second_name;
  std::vector<double> first;
  std::vector<double> second;
};
CsvPairs read_csv_pairs(const CsvFailure& fail, const std::string& path, std::size_t most_rows);

/// Columns of numbers under their names, of which some may be missing.
struct CsvTable {
  std::vector<std::string> names;
  std::vector<std::vector<double>> columns;  ///< NaN where a cell is empty or says nan
  std::vector<long> lines;                   ///< of the file, one a row
};
/// Those columns that `chosen` says of the names in the first line, by their places; the others may hold anything.
CsvTable read_csv_table(const CsvFailure& fail, const std::string& path,
                        const std::function<std::vector<std::size_t>(const std::vector<std::string>&)>& chosen);

}  // namespace kalaba
