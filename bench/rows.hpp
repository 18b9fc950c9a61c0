#pragma once

#include <string>
#include <vector>

#include "bench/json.hpp"
#include "compare.hpp"

namespace kalaba::bench {

/// Row as JSON; missing figures are null.
JsonObject json_row(const Row& row, const std::string& device, const Origin& origin);

/// Rows as a table for a terminal.
std::string comparison_text(const std::vector<Row>& rows);

/// Rows of a JSON file as a table in Markdown, with a line on the device. Throws Error if the file cannot be read.
std::string markdown_of(const std::string& json_path);

}  // namespace kalaba::bench
