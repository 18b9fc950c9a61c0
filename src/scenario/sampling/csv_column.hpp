#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "scenario/document/document.hpp"
#include "scenario/sampling/table_column.hpp"

namespace kalaba {

/// Reads the column of that name from a CSV file, or without a name the one called `variable`. The first line must name
/// the columns; every other line must hold one number per column. Throws Error at `node`, naming the line of the CSV
/// file.
TableColumn read_csv_column(const Node& node, const std::string& path, const std::optional<std::string>& name,
                            const std::string& variable);

/// Reports an error of a CSV file; does not return.
using CsvFailure = std::function<void(const std::string& message, ExitCode code)>;

/// Two columns of numbers, the first ascending.
struct CsvPairs {
  std::string first_name;
  std::string second_name;
  std::vector<double> first;
  std::vector<double> second;
};
CsvPairs read_csv_pairs(const CsvFailure& fail, const std::string& path, std::size_t most_rows);

/// Named columns of numbers; numbers may be missing.
struct CsvTable {
  std::vector<std::string> names;
  std::vector<std::vector<double>> columns;  ///< NaN if a cell is empty or contains nan
  std::vector<long> lines;                   ///< line numbers in the file, one per row
};
/// Reads the columns that `chosen` selects: it returns the indices of columns among the names in the first line. Other
/// columns may hold anything.
CsvTable read_csv_table(const CsvFailure& fail, const std::string& path,
                        const std::function<std::vector<std::size_t>(const std::vector<std::string>&)>& chosen);

}  // namespace kalaba
