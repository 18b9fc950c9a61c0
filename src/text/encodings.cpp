#include "text/encodings.hpp"

#include <fmt/format.h>

namespace kalaba {
namespace {

constexpr char32_t replacement = U'\uFFFD';

/// Bytes of the code point that begins with this one; 0 where none does.
std::size_t length_of(unsigned char first) {
  if (first < 0x80) return 1;
  if (first >= 0xC2 && first < 0xE0) return 2;
  if (first >= 0xE0 && first < 0xF0) return 3;
  return first >= 0xF0 && first < 0xF5 ? 4 : 0;
}

/// Takes one code point off the front.
char32_t take_code_point(std::string_view& text) {
  constexpr char32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
  const auto first = static_cast<unsigned char>(text.front());
  const std::size_t length = length_of(first);
  char32_t point = length == 1 ? first : first & (0x7FU >> length);
  bool sound = length > 0 && length <= text.size();
  for (std::size_t i = 1; sound && i < length; ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    sound = (byte & 0xC0U) == 0x80;
    point = point << 6 | (byte & 0x3FU);
  }
  sound = sound && point >= least[length] && point < 0x110000 && !(point >= 0xD800 && point < 0xE000);
  text.remove_prefix(sound ? length : 1);
  return sound ? point : replacement;
}

}  // namespace

std::u32string code_points(std::string_view utf8) {
  std::u32string points;
  while (!utf8.empty()) points += take_code_point(utf8);
  return points;
}

std::string json_string(std::string_view utf8) {
  std::string text = "\"";
  for (const char32_t point : code_points(utf8)) {
    const auto number = static_cast<std::uint32_t>(point);
    if (point == U'"' || point == U'\\') text += '\\';
    if (number >= 0x20 && number < 0x7F) {
      text += static_cast<char>(number);
    } else if (number < 0x10000) {
      text += fmt::format("\\u{:04x}", number);
    } else {
      text += fmt::format("\\u{:04x}\\u{:04x}", 0xD7C0 + (number >> 10), 0xDC00 + (number & 0x3FF));
    }
  }
  return text + '"';
}

std::string shown_text(std::string_view utf8) {
  std::string text;
  while (!utf8.empty()) {
    const std::string_view before = utf8;
    const char32_t point = take_code_point(utf8);
    const std::string_view bytes = before.substr(0, before.size() - utf8.size());
    const bool is_control = (point < 0x20 && point != U'\n' && point != U'\t') || (point >= 0x7F && point < 0xA0);
    // Marks that reverse what follows them.
    const bool is_reversing = (point >= 0x202A && point <= 0x202E) || (point >= 0x2066 && point <= 0x2069);
    const bool is_broken = point == replacement && bytes.size() == 1;
    if (!is_control && !is_reversing && !is_broken) {
      text += bytes;
      continue;
    }
    for (const char byte : bytes) text += fmt::format("\\x{:02x}", static_cast<unsigned char>(byte));
  }
  return text;
}

std::string csv_cell(std::string_view text) {
  if (text.find_first_of(",\"\r\n") == std::string_view::npos) return std::string(text);
  std::string cell = "\"";
  for (const char c : text) {
    if (c == '"') cell += '"';
    cell += c;
  }
  return cell + '"';
}

}  // namespace kalaba
