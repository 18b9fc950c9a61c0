#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace kalaba {

/// Removes the text before the first `end`, and `end` itself, and returns this text; without `end` the whole text.
inline std::string_view take_until(std::string_view& text, char end) {
  const std::size_t length = text.find(end);
  const std::string_view taken = text.substr(0, length);
  text.remove_prefix(length == std::string_view::npos ? text.size() : length + 1);
  return taken;
}

/// Names of the columns in the first line of a table, which is removed from `rows`. Throws Error(file_error) if the
/// line does not begin with the names `first`, and for other separators and line ends, empty names, and a name that
/// occurs twice.
std::vector<std::string> take_header(const std::string& path, std::string_view& rows,
                                     const std::vector<std::string>& first);

/// Throws Error(file_error) if the rows do not end with a line end. The parts of a message are the file, the line (0:
/// the last one), and the reason.
void require_line_end(const std::string& path, std::string_view rows);
[[noreturn]] void refuse_line(const std::string& path, long line, const std::string& message);

}  // namespace kalaba
