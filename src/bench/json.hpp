#pragma once

#include <string>
#include <vector>

#include "bench/measure.hpp"
#include "text/json.hpp"

namespace kalaba::bench {

/// Origin of measurements. Every row states it, so that rows of several machines can be combined.
struct Origin {
  std::string version;
  std::string commit;
  std::string compiler;
  std::string flags;
  std::string date;  ///< UTC, "2026-11-21T07:45:52Z"
};
void add_origin(JsonObject& row, const Origin& origin);

/// {"rows": [...]}, a line a row.
std::string json_text(const std::vector<JsonObject>& rows);

/// A row a measurement, with units in the names of its members; the figures are null where members failed.
JsonObject json_row(const Measurement& measurement, const Origin& origin);

}  // namespace kalaba::bench
