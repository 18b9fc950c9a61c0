#include "scenario/document/toml_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstddef>

namespace kalaba {
namespace {

/// Returns the position after the string that opens at `at`, as TOML delimits strings.
std::size_t skip_string(std::string_view text, std::size_t at) {
  const char quote = text[at];
  const std::string triple(3, quote);
  const bool multiline = text.compare(at, 3, triple) == 0;
  at += multiline ? 3 : 1;
  while (at < text.size()) {
    if (text[at] == '\\' && quote == '"') {
      at += 2;
    } else if (multiline && text.compare(at, 3, triple) == 0) {
      at += 3;
      for (int extra = 0; extra < 2 && at < text.size() && text[at] == quote; ++extra) ++at;
      return at;
    } else if (!multiline && (text[at] == quote || text[at] == '\n')) {
      return text[at] == quote ? at + 1 : at;
    } else {
      ++at;
    }
  }
  return text.size();
}

}  // namespace

std::string toml_number(double value) {
  std::string text = fmt::format("{}", value);
  if (text.find_first_of(".en") == std::string::npos) text += ".0";
  return text;
}

std::string toml_string(std::string_view text) {
  std::string result = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      result += '\\';
      result += c;
    } else if (byte < 0x20 || byte == 0x7f) {
      result += fmt::format("\\u{:04X}", byte);
    } else {
      result += c;
    }
  }
  return result + '"';
}

std::string shortened(std::string_view text, std::size_t longest) {
  if (text.size() <= longest) return std::string(text);
  while (longest > 0 && (static_cast<unsigned char>(text[longest]) & 0xC0U) == 0x80) --longest;
  return std::string(text.substr(0, longest)) + "...";
}

std::string bare_point_hint(std::string_view text) {
  const auto is_digit = [&](std::size_t at) { return at < text.size() && text[at] >= '0' && text[at] <= '9'; };
  const auto ends_word = [&](std::size_t at) {
    return at >= text.size() || std::string_view(" \t\r\n=,[]{}()+-*/#").find(text[at]) != std::string_view::npos;
  };
  for (std::size_t at = text.find('.'); at != std::string_view::npos; at = text.find('.', at + 1)) {
    std::size_t begin = at;
    while (begin > 0 && is_digit(begin - 1)) --begin;
    std::size_t end = at + 1;
    while (is_digit(end)) ++end;
    const bool begins_bare = begin == at && end > at + 1 && (at == 0 || ends_word(at - 1));
    const bool ends_bare = begin < at && end == at + 1 && ends_word(end) && (begin == 0 || ends_word(begin - 1));
    if (!begins_bare && !ends_bare) continue;
    const std::string number(text.substr(begin, end - begin));
    return "; a number has digits on both sides of its point: write " + (begins_bare ? "0" + number : number + "0");
  }
  return "";
}

std::string toml_key(std::string_view word) {
  const auto plain = [](unsigned char c) { return std::isalnum(c) || c == '_' || c == '-'; };
  return !word.empty() && std::ranges::all_of(word, plain) ? std::string(word) : toml_string(word);
}

std::optional<long> line_of_deep_key(std::string_view text) {
  constexpr int most_dots = 15;
  int dots = 0;
  for (std::size_t at = 0; at < text.size();) {
    const char c = text[at];
    if (c == '"' || c == '\'') {
      at = skip_string(text, at);
      continue;
    }
    if (c == '#') {
      at = std::min(text.find('\n', at), text.size());
      continue;
    }
    if (std::string_view(",=[]{}\n").find(c) != std::string_view::npos) dots = 0;
    if (c == '.' && ++dots > most_dots) {
      return 1 + std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), '\n');
    }
    ++at;
  }
  return std::nullopt;
}

}  // namespace kalaba
