#include "text/json.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <cstdio>

#include "text/encodings.hpp"

namespace kalaba {

std::string json_value(double number) { return std::isfinite(number) ? fmt::format("{}", number) : "null"; }
std::string json_value(std::string_view text) { return json_string(text); }
std::string json_value(bool truth) { return truth ? "true" : "false"; }

void JsonObject::add_raw(std::string_view key, const std::string& json) {
  if (!members_.empty()) members_ += ", ";
  members_ += json_string(key) + ": " + json;
}

std::string json_array(const std::vector<std::string>& values) { return fmt::format("[{}]", fmt::join(values, ", ")); }

std::string json_texts(const std::vector<std::string>& texts) {
  std::vector<std::string> values;
  for (const std::string& text : texts) values.push_back(json_value(text));
  return json_array(values);
}

std::string json_numbers(const std::vector<double>& numbers) {
  std::vector<std::string> values;
  for (const double number : numbers) values.push_back(json_value(number));
  return json_array(values);
}

void print_json(const std::string& json) { std::fputs((json + "\n").c_str(), stdout); }

}  // namespace kalaba
