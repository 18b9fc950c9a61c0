#include "output/csv/run_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "output/csv/csv_cells.hpp"
#include "output/durable/checksum.hpp"
#include "text/encodings.hpp"
#include "text/parse.hpp"

namespace kalaba {

RunTable::RunTable(const std::string& path, const std::vector<std::string>& first)
    : path_(path), file_(path), rest_(file_.bytes()), names_(take_header(path, rest_, first)) {
  check_table(path);
  if (!rest_.empty()) require_line_end(path, rest_);
}

std::size_t RunTable::find(const std::string& name) const {
  return static_cast<std::size_t>(std::ranges::find(names_, name) - names_.begin());
}

bool RunTable::next() {
  if (rest_.empty()) return false;
  ++line_;
  cells_.clear();
  for (std::string_view row = take_until(rest_, '\n'); !row.empty();) cells_.push_back(take_until(row, ','));
  if (cells_.size() != names_.size()) {
    refuse(fmt::format("expected {} columns, found {}", names_.size(), cells_.size()));
  }
  return true;
}

double RunTable::number(std::size_t column) const {
  const std::optional<double> number = parse_number<double>(cells_[column]);
  if (number) return *number;
  refuse(fmt::format("{}: expected a number, found \"{}\"", names_[column], shown_text(cells_[column].substr(0, 40))));
}

void RunTable::next_of(long member) {
  if (!next()) {
    refuse_line(path_, 0, fmt::format("expected a row of member {} behind it, found the end of the file", member));
  }
  if (cells_.front() == std::to_string(member)) return;
  refuse(fmt::format("expected member {}, found \"{}\"", member, shown_text(cells_.front().substr(0, 40))));
}

void RunTable::require_end() {
  if (next()) refuse(fmt::format("expected no more rows, found one of member {}", shown_text(cells_.front())));
}

void RunTable::refuse(const std::string& message) const { refuse_line(path_, line_, message); }

}  // namespace kalaba
