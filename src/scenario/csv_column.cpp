#include "scenario/csv_column.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstring>
#include <fstream>
#include <string_view>
#include <system_error>

#include "scenario/nearest.hpp"
#include "scenario/toml_text.hpp"

namespace kalaba {
namespace {

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view blank = " \t\r";
  const auto first = text.find_first_not_of(blank);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(blank) - first + 1);
}

std::vector<std::string_view> cells_of(std::string_view line) {
  std::vector<std::string_view> cells;
  for (;;) {
    const auto comma = line.find(',');
    cells.push_back(trimmed(line.substr(0, comma)));
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
  if (text.starts_with('+')) text.remove_prefix(1);
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(value)) return std::nullopt;
  return value;
}

std::ifstream open_csv(const Node& node, const std::string& path) {
  const auto cannot_read = [&](const std::string& why) {
    node.fail("cannot read " + path + ": " + why, ExitCode::file_error);
  };
  std::error_code error;
  const std::filesystem::file_status status = std::filesystem::status(path, error);
  if (error) cannot_read(error.message());
  if (!std::filesystem::is_regular_file(status)) cannot_read("it is not a regular file");
  std::ifstream file(path);
  if (!file) cannot_read(std::strerror(errno));
  return file;
}

/// The position of the column in the header; see read_csv_column.
std::size_t column_index(const Node& node, const std::string& path, const std::vector<std::string>& names,
                         const std::optional<std::string>& name, const std::string& variable) {
  const std::string wanted = name.value_or(variable);
  const auto found = std::find(names.begin(), names.end(), wanted);
  if (found != names.end()) {
    if (std::count(names.begin(), names.end(), wanted) > 1) {
      node.fail(fmt::format("{}:1: there are several columns {}", path, toml_string(wanted)));
    }
    return static_cast<std::size_t>(found - names.begin());
  }
  if (!name && names.size() == 1) return 0;
  node.fail(fmt::format("{}:1: expected a column {}, found {}{}", path, toml_string(wanted), fmt::join(names, ", "),
                        suggestion(wanted, names)));
}

}  // namespace

TableColumn read_csv_column(const Node& node, const std::string& path, const std::optional<std::string>& name,
                            const std::string& variable) {
  std::ifstream file = open_csv(node, path);
  std::string line;
  if (!std::getline(file, line) || trimmed(line).empty()) node.fail(path + ":1: expected a line of column names");
  if (!is_text(line)) node.fail(path + ":1: expected a line of column names in UTF-8, found bytes that are no text");
  const std::vector<std::string> names = column_names(line);
  const std::size_t index = column_index(node, path, names, name, variable);

  TableColumn column{names[index], {}};
  long number = 1;
  long blank = 0;  // the first blank line; only the end of a file may be blank
  while (std::getline(file, line)) {
    ++number;
    if (trimmed(line).empty()) {
      if (blank == 0) blank = number;
      continue;
    }
    if (blank != 0) node.fail(fmt::format("{}:{}: expected a row, found a blank line", path, blank));
    const std::vector<std::string_view> cells = cells_of(line);
    if (cells.size() != names.size()) {
      node.fail(
          fmt::format("{}:{}: expected {} cells, as in line 1, found {}", path, number, names.size(), cells.size()));
    }
    const std::optional<double> value = finite_number(trimmed(unquoted(cells[index])));
    if (!value) {
      node.fail(fmt::format("{}:{}: column {}: expected a finite number, found {}", path, number, column.name,
                            toml_string(cells[index])));
    }
    column.values.push_back(*value);
  }
  if (file.bad()) node.fail("cannot read " + path + ": " + std::strerror(errno), ExitCode::file_error);
  if (column.values.empty()) node.fail(path + ":2: expected a row for every member, found none");
  return column;
}

}  // namespace kalaba
