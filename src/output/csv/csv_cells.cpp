#include "output/csv/csv_cells.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <unordered_set>

#include "kalaba/error.hpp"
#include "text/encodings.hpp"

namespace kalaba {
namespace {

constexpr std::size_t shown = 60;  // characters of a line in a message

}  // namespace

std::vector<std::string> take_header(const std::string& path, std::string_view& rows,
                                     const std::vector<std::string>& first) {
  if (rows.starts_with("\xEF\xBB\xBF")) {
    refuse_line(
        path, 1,
        fmt::format("expected a header that begins {}, found a byte order mark in front of it", fmt::join(first, ",")));
  }
  const std::string_view header = take_until(rows, '\n');
  std::vector<std::string> names;
  for (std::string_view rest = header; !rest.empty();) names.emplace_back(take_until(rest, ','));
  if (names.size() < first.size() || !std::equal(first.begin(), first.end(), names.begin())) {
    const std::string_view begin = header.substr(0, header.find_first_of(";\t "));
    const bool is_separated = begin.size() < header.size() && begin == first.front();
    refuse_line(path, 1,
                fmt::format("expected a header that begins {}, found \"{}\"{}", fmt::join(first, ","),
                            shown_text(header.substr(0, shown)),
                            is_separated ? ": columns are separated by commas"
                                         : ": expected a table of kalaba run or kalaba export"));
  }
  if (header.ends_with('\r')) {
    refuse_line(path, 1, "expected line ends as kalaba run writes them (\\n), found those of Windows (\\r\\n)");
  }
  std::unordered_set<std::string_view> known;
  for (const std::string& name : names) {
    if (name.empty()) {
      refuse_line(path, 1, fmt::format("expected the name of column {}, found none", known.size() + 1));
    }
    if (!known.insert(name).second) {
      refuse_line(path, 1, fmt::format("expected columns of different names, found {} twice", shown_text(name)));
    }
  }
  return names;
}

void require_line_end(const std::string& path, std::string_view rows) {
  if (rows.ends_with('\n')) return;
  refuse_line(path, 0,
              "expected a line end behind it, found the end of the file: it was cut off, or its run was killed");
}

void refuse_line(const std::string& path, long line, const std::string& message) {
  const std::string where = line == 0 ? "the last line" : fmt::format("line {}", line);
  throw Error(ExitCode::file_error, fmt::format("{}: {}: {}", path, where, message));
}

}  // namespace kalaba
