#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace kalaba {

/// Text for HTML elements and quoted attributes; control characters become spaces.
std::string html_text(std::string_view text);

/// Table with a heading row that scrolls on a narrow screen; cells are HTML. Columns from `numbers_from` on contain
/// numbers, aligned right.
std::string html_table(const std::vector<std::string>& heading, const std::vector<std::vector<std::string>>& rows,
                       std::size_t numbers_from);

/// Section of a page with its heading; "" without content. `lead`: introductory sentence, plain text.
std::string html_section(std::string_view heading, std::string_view lead, const std::string& content);

/// Complete page without references to other files, valid as XML too.
std::string html_page(std::string_view title, const std::string& body);

}  // namespace kalaba
