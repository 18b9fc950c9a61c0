#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace kalaba {

/// Text for HTML, in elements and in quoted attributes; control characters become spaces.
std::string html_text(std::string_view text);

/// A table with a heading row, which scrolls on a narrow screen; cells are HTML. Columns from `numbers_from` on are
/// numbers, set to the right.
std::string html_table(const std::vector<std::string>& heading, const std::vector<std::vector<std::string>>& rows,
                       std::size_t numbers_from);

/// A section of a page under its heading; "" where it has no content. `lead`: a sentence on top, plain text.
std::string html_section(std::string_view heading, std::string_view lead, const std::string& content);

/// A whole page that refers to nothing outside itself. It is XML too.
std::string html_page(std::string_view title, const std::string& body);

}  // namespace kalaba
