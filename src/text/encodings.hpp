#pragma once

#include <string>
#include <string_view>

namespace kalaba {

/// The code points of UTF-8; U+FFFD for each byte that belongs to none.
std::u32string code_points(std::string_view utf8);

/// A JSON string with its quotes, in ASCII.
std::string json_string(std::string_view utf8);

/// Text as a terminal may show it: control characters but tab and newline, which could move its cursor or change its
/// state, and bytes that are no UTF-8, become "\x1b".
std::string shown_text(std::string_view utf8);

/// A cell of a CSV table, quoted as RFC 4180 says where it must be.
std::string csv_cell(std::string_view text);

}  // namespace kalaba
