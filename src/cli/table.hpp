#pragma once

#include <string>
#include <vector>

namespace kalaba {

/// Rows of cells as lines of text: indented by two, columns aligned on the left, no trailing spaces.
std::string table_text(const std::vector<std::vector<std::string>>& rows);

/// Every line of a text indented by two; empty lines stay empty.
std::string indented(const std::string& text);

/// Returns a title and its body after an empty line; nothing if the body is empty.
std::string section(const std::string& title, const std::string& body);

}  // namespace kalaba
