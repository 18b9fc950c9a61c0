#pragma once

#include <concepts>
#include <string>
#include <string_view>
#include <vector>

namespace kalaba {

/// Values as JSON text: numbers with as many digits as read back to the same, null where they are not finite.
std::string json_value(double number);
std::string json_value(std::string_view text);
std::string json_value(bool truth);
inline std::string json_value(const char* text) { return json_value(std::string_view(text)); }
inline std::string json_value(const std::string& text) { return json_value(std::string_view(text)); }
template <std::integral Number>
std::string json_value(Number number) {
  return std::to_string(number);
}

/// One object, its members in the order given.
class JsonObject {
 public:
  template <class Value>
  void add(std::string_view key, const Value& value) {
    add_raw(key, json_value(value));
  }
  void add(std::string_view key, const JsonObject& object) { add_raw(key, object.text()); }
  /// A value that is JSON already.
  void add_raw(std::string_view key, const std::string& json);

  std::string text() const { return "{" + members_ + "}"; }

 private:
  std::string members_;
};

/// [..., ...] of values that are JSON already.
std::string json_array(const std::vector<std::string>& values);
/// JSON array of texts.
std::string json_texts(const std::vector<std::string>& texts);
std::string json_numbers(const std::vector<double>& numbers);

/// One value on lines of its own: what a command prints.
void print_json(const std::string& json);

}  // namespace kalaba
