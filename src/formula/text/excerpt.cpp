#include <algorithm>
#include <vector>

#include "formula/graph/fault.hpp"

namespace kalaba::formula {
namespace {

constexpr std::size_t widest = 110;         // characters of a line that are shown
constexpr std::size_t run_up = 40;          // of them before the span
constexpr std::size_t most_text_lines = 3;  // of a text
constexpr std::size_t longest_word = 40;

bool continues(char c) { return (static_cast<unsigned char>(c) & 0xc0) == 0x80; }

/// The bytes where the characters of a line begin, and its end.
std::vector<std::size_t> characters(const std::string& text, Span line) {
  std::vector<std::size_t> places;
  for (std::size_t at = line.begin; at < line.end; ++at) {
    if (!continues(text[at]) || at == line.begin) places.push_back(at);
  }
  places.push_back(line.end);
  return places;
}

std::size_t column_of(const std::vector<std::size_t>& places, std::size_t byte) {
  return static_cast<std::size_t>(std::upper_bound(places.begin(), places.end(), byte) - places.begin()) - 1;
}

Span line_around(const std::string& text, std::size_t byte) {
  byte = std::min(byte, text.size());
  const std::size_t before = byte == 0 ? std::string::npos : text.rfind('\n', byte - 1);
  const std::size_t after = text.find('\n', byte);
  return {before == std::string::npos ? 0 : before + 1, after == std::string::npos ? text.size() : after};
}

/// Control characters are shown as spaces.
std::string plain(std::string text) {
  std::ranges::replace_if(
      text, [](char c) { return static_cast<unsigned char>(c) < ' ' || c == '\x7f'; }, ' ');
  return text;
}

std::string shown_line(const std::string& text, Span line, const std::vector<Span>& spans) {
  const std::vector<std::size_t> places = characters(text, line);
  const std::size_t length = places.size() - 1;
  const std::size_t first_column = column_of(places, std::clamp(spans.front().begin, line.begin, line.end));
  const std::size_t from = length <= widest || first_column <= run_up ? 0 : first_column - run_up;
  const std::size_t to = std::min(length, from + widest);
  const std::string left = from > 0 ? "... " : "";
  std::string carets(left.size() + to - from + 1, ' ');
  for (const Span& span : spans) {
    const std::size_t begin = column_of(places, std::clamp(span.begin, line.begin, line.end));
    const std::size_t end = std::max(column_of(places, std::clamp(span.end, line.begin, line.end)), begin + 1);
    for (std::size_t c = std::max(begin, from); c < std::min(end, to + 1); ++c) carets[left.size() + c - from] = '^';
  }
  carets.erase(carets.find_last_not_of(' ') + 1);
  return "\n    " + left + plain(text.substr(places[from], places[to] - places[from])) + (to < length ? " ..." : "") +
         "\n    " + carets;
}

}  // namespace

std::string excerpt(const std::string& text, const std::vector<Span>& spans) {
  std::string result;
  std::vector<Span> rest = spans;
  for (std::size_t lines = 0; !rest.empty() && lines < most_text_lines; ++lines) {
    const Span line = line_around(text, rest.front().begin);
    const auto elsewhere = std::stable_partition(
        rest.begin(), rest.end(), [&](const Span& span) { return span.begin >= line.begin && span.begin <= line.end; });
    result += shown_line(text, line, {rest.begin(), elsewhere});
    rest.erase(rest.begin(), elsewhere);
  }
  return result;
}

std::size_t line_of(const std::string& text, std::size_t byte) {
  const auto end = text.begin() + static_cast<std::ptrdiff_t>(std::min(byte, text.size()));
  return static_cast<std::size_t>(std::count(text.begin(), end, '\n'));
}

std::string shortened(const std::string& text) {
  if (text.size() <= longest_word) return plain(text);
  std::size_t end = longest_word - 4;
  while (end > 0 && continues(text[end])) --end;
  return plain(text.substr(0, end)) + "...";
}

Span character_at(const std::string& text, std::size_t at) {
  if (at >= text.size()) return {text.size(), text.size()};
  std::size_t end = at + 1;
  while (end < text.size() && continues(text[end])) ++end;
  return {at, end};
}

}  // namespace kalaba::formula
