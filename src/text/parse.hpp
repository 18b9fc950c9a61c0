#pragma once

#include <charconv>
#include <optional>
#include <string_view>
#include <system_error>

namespace kalaba {

/// The text without the characters of `blank` at its ends.
inline std::string_view trimmed(std::string_view text, std::string_view blank) {
  const std::size_t first = text.find_first_not_of(blank);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(blank) - first + 1);
}

/// The number that is the whole text; none for another text. Accepts nan and inf, in small or capital letters.
template <class Number>
std::optional<Number> parse_number(std::string_view text) {
  Number number{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return number;
}

/// Likewise, after a sign +.
template <class Number>
std::optional<Number> parse_signed_number(std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  return parse_number<Number>(text);
}

}  // namespace kalaba
