#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "bench/measure.hpp"

namespace kalaba::bench {

/// One flat JSON object, its members in the order given.
class JsonObject {
 public:
  void add(std::string_view key, std::string_view text);
  /// null for what is no finite number.
  void add(std::string_view key, double number);
  void add(std::string_view key, long number);
  void add(std::string_view key, const char* text) { add(key, std::string_view(text)); }

  std::string text() const { return "{" + members_ + "}"; }

 private:
  void add_raw(std::string_view key, const std::string& value);

  std::string members_;
};

/// Where measurements come from; stated in every row, so that rows of several machines can stand together.
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
