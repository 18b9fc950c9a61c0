#include "scenario/sampling/csv_column.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <fstream>
#include <limits>
#include <string_view>
#include <system_error>

#include "output/durable/checksum.hpp"
#include "output/netcdf/finished.hpp"
#include "scenario/document/toml_text.hpp"
#include "text/nearest.hpp"
#include "text/parse.hpp"

namespace kalaba {
namespace {

constexpr std::string_view spaces = " \t\r";

std::vector<std::string_view> cells_of(std::string_view line) {
  std::vector<std::string_view> cells;
  for (;;) {
    const auto comma = line.find(',');
    cells.push_back(trimmed(line.substr(0, comma), spaces));
    if (comma == std::string_view::npos) return cells;
    line.remove_prefix(comma + 1);
  }
}

std::string_view unquoted(std::string_view cell) {
  const bool quoted = cell.size() >= 2 && cell.front() == '"' && cell.back() == '"';
  return quoted ? cell.substr(1, cell.size() - 2) : cell;
}

std::vector<std::string> column_names(std::string_view header) {
  constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";
  if (header.starts_with(byte_order_mark)) header.remove_prefix(byte_order_mark.size());
  std::vector<std::string> names;
  for (std::string_view cell : cells_of(header)) names.emplace_back(unquoted(cell));
  return names;
}

bool is_text(const std::string& line) {
  const auto is_control = [](unsigned char c) { return (c < 0x20 && c != '\t' && c != '\r') || c == 0x7f; };
  return is_utf8(line) && std::ranges::none_of(line, is_control);
}

std::optional<double> finite_number(std::string_view text) {
  const std::optional<double> value = parse_signed_number<double>(text);
  return value && std::isfinite(*value) ? value : std::nullopt;
}

bool is_nan_word(std::string_view cell) { return cell == "nan" || cell == "NaN" || cell == "NAN"; }

std::ifstream open_csv(const CsvFailure& fail, const std::string& path) {
  const auto cannot_read = [&](const std::string& why) {
    fail("cannot read " + path + ": " + why, ExitCode::file_error);
  };
  std::error_code error;
  const std::filesystem::file_status status = std::filesystem::status(path, error);
  if (error) cannot_read(error.message());
  if (!std::filesystem::is_regular_file(status)) cannot_read("it is not a regular file");
  if (const std::string reason = unfinished_table_reason(path); !reason.empty()) {
    fail(path + ": " + reason, ExitCode::file_error);
  }
  try {
    check_table(path);
  } catch (const Error& damage) {
    fail(damage.what(), ExitCode::file_error);
  }
  std::ifstream file(path);
  if (!file) cannot_read(std::strerror(errno));
  return file;
}

bool are_numbers(const std::vector<std::string>& names) {
  return std::ranges::all_of(names, [](const std::string& each) { return finite_number(each).has_value(); });
}

/// CSV file whose first line names its columns; `fail` does not return.
class CsvFile {
 public:
  CsvFile(const CsvFailure& fail, const std::string& path) : fail_(fail), path_(path), file_(open_csv(fail, path)) {
    std::string line;
    if (!std::getline(file_, line) || trimmed(line, spaces).empty())
      refuse(path + ":1: expected a line of column names");
    if (!is_text(line)) refuse(path + ":1: expected a line of column names in UTF-8, found bytes that are no text");
    names_ = column_names(line);
    if (names_.size() == 1) refuse_separator(names_.front());
  }

  const std::vector<std::string>& names() const { return names_; }

  /// Calls take(line, cells) for every row.
  template <class Take>
  void each_row(const Take& take) {
    std::string line;
    long number = 1;
    long blank = 0;  // the first blank line; only the end of a file may be blank
    while (std::getline(file_, line)) {
      ++number;
      if (trimmed(line, spaces).empty()) {
        if (blank == 0) blank = number;
        continue;
      }
      if (blank != 0) refuse(fmt::format("{}:{}: expected a row, found a blank line", path_, blank));
      const std::vector<std::string_view> cells = cells_of(line);
      if (cells.size() != names_.size()) {
        refuse(fmt::format("{}:{}: expected {} cells, as in line 1, found {}", path_, number, names_.size(),
                           cells.size()));
      }
      take(number, cells);
    }
    if (file_.bad()) fail_("cannot read " + path_ + ": " + std::strerror(errno), ExitCode::file_error);
  }

  /// The number in a cell of a row.
  double number(long line, const std::vector<std::string_view>& cells, std::size_t column) const {
    const std::optional<double> value = finite_number(trimmed(unquoted(cells[column]), spaces));
    if (!value) {
      refuse(fmt::format("{}:{}: column {}: expected a finite number, found {}", path_, line, names_[column],
                         toml_string(cells[column])));
    }
    return *value;
  }

  /// The number in a cell of a row; NaN if it is missing.
  double number_or_missing(long line, const std::vector<std::string_view>& cells, std::size_t column) const {
    const std::string_view cell = trimmed(unquoted(cells[column]), spaces);
    if (cell.empty() || is_nan_word(cell)) return std::numeric_limits<double>::quiet_NaN();
    const std::optional<double> value = finite_number(cell);
    if (!value) {
      refuse(fmt::format("{}:{}: column {}: expected a finite number, or nan or nothing where it is missing, found {}",
                         path_, line, names_[column], toml_string(cells[column])));
    }
    return *value;
  }

  void refuse(const std::string& message) const { fail_(message, ExitCode::bad_input); }

 private:
  void refuse_separator(const std::string& header) const {
    const auto at = header.find_first_of(";\t|");
    if (at == std::string::npos) return;
    const std::string found = header[at] == '\t' ? "tabs" : std::string(1, header[at]);
    refuse(fmt::format("{}:1: expected columns separated by commas, found {}", path_, found));
  }

  const CsvFailure& fail_;
  const std::string& path_;
  std::ifstream file_;
  std::vector<std::string> names_;
};

/// Index of the column in the header; see read_csv_column.
std::size_t column_index(const Node& node, const std::string& path, const std::vector<std::string>& names,
                         const std::optional<std::string>& name, const std::string& variable) {
  const std::string requested = name.value_or(variable);
  const auto found = std::find(names.begin(), names.end(), requested);
  if (found != names.end()) {
    if (std::count(names.begin(), names.end(), requested) > 1) {
      node.fail(fmt::format("{}:1: there are several columns {}", path, toml_string(requested)));
    }
    return static_cast<std::size_t>(found - names.begin());
  }
  if (are_numbers(names)) {
    node.fail(fmt::format("{}:1: expected a line of column names, such as {}, found numbers: {}", path, requested,
                          fmt::join(names, ", ")));
  }
  node.fail(fmt::format("{}:1: expected a column {}, found {}{}", path, toml_string(requested), fmt::join(names, ", "),
                        suggestion(requested, names)));
}

}  // namespace

TableColumn read_csv_column(const Node& node, const std::string& path, const std::optional<std::string>& name,
                            const std::string& variable) {
  const CsvFailure fail = [&](const std::string& message, ExitCode code) { node.fail(message, code); };
  CsvFile file(fail, path);
  const std::size_t index = column_index(node, path, file.names(), name, variable);
  TableColumn column{file.names()[index], {}};
  file.each_row([&](long line, const std::vector<std::string_view>& cells) {
    column.values.push_back(file.number(line, cells, index));
  });
  if (column.values.empty()) node.fail(path + ":2: expected a row for every member, found none");
  return column;
}

CsvPairs read_csv_pairs(const CsvFailure& fail, const std::string& path, std::size_t most_rows) {
  CsvFile file(fail, path);
  if (file.names().size() != 2) {
    file.refuse(fmt::format("{}:1: expected two columns, places and values, found {}", path, file.names().size()));
  }
  if (are_numbers(file.names())) {
    file.refuse(fmt::format("{}:1: expected a line of column names, such as x [m], y [m], found numbers: {}", path,
                            fmt::join(file.names(), ", ")));
  }
  CsvPairs pairs{file.names()[0], file.names()[1], {}, {}};
  file.each_row([&](long line, const std::vector<std::string_view>& cells) {
    const double place = file.number(line, cells, 0);
    if (!pairs.first.empty() && place <= pairs.first.back()) {
      file.refuse(fmt::format("{}:{}: column {}: expected more than {}, the place before, found {}", path, line,
                              pairs.first_name, pairs.first.back(), place));
    }
    if (pairs.first.size() == most_rows) file.refuse(fmt::format("{}: expected at most {} rows", path, most_rows));
    pairs.first.push_back(place);
    pairs.second.push_back(file.number(line, cells, 1));
  });
  if (pairs.first.size() < 2) {
    file.refuse(fmt::format("{}: expected two rows at least, found {}", path, pairs.first.size()));
  }
  return pairs;
}

CsvTable read_csv_table(const CsvFailure& fail, const std::string& path,
                        const std::function<std::vector<std::size_t>(const std::vector<std::string>&)>& chosen) {
  CsvFile file(fail, path);
  if (are_numbers(file.names())) {
    file.refuse(
        fmt::format("{}:1: expected a line of column names, found numbers: {}", path, fmt::join(file.names(), ", ")));
  }
  const std::vector<std::size_t> places = chosen(file.names());
  CsvTable table;
  for (const std::size_t place : places) table.names.push_back(file.names()[place]);
  table.columns.resize(places.size());
  file.each_row([&](long line, const std::vector<std::string_view>& cells) {
    table.lines.push_back(line);
    for (std::size_t i = 0; i < places.size(); ++i) {
      table.columns[i].push_back(file.number_or_missing(line, cells, places[i]));
    }
  });
  return table;
}

}  // namespace kalaba
