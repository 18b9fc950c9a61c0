#pragma once

#include <string>
#include <vector>

namespace kalaba {

/// Rows of cells as lines of text: indented by two, columns aligned on the left, no trailing spaces.
std::string table_text(const std::vector<std::vector<std::string>>& rows);

}  // namespace kalaba
