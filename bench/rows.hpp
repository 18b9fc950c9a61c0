#pragma once

#include <string>
#include <vector>

#include "bench/json.hpp"
#include "compare.hpp"

namespace kalaba::bench {

/// A row as JSON, its figures null where there are none.
JsonObject json_row(const Row& row, const std::string& device, const Origin& origin);

/// Rows for a terminal.
std::string comparison_text(const std::vector<Row>& rows);

/// The rows of a JSON file as a table in Markdown, with a line on where they were measured. Throws Error where it
/// cannot be read.
std::string markdown_of(const std::string& json_path);

}  // namespace kalaba::bench
