#include "scenario/model/written.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "formula/text/tokens.hpp"
#include "text/nearest.hpp"

namespace kalaba::text_model {
namespace {

constexpr std::size_t most_words = 16;    // listed in a message
constexpr std::size_t longest_name = 64;  // bytes

/// "; did you mean x?", or the list of existing words.
std::string advice(const formula::Fault& fault) {
  if (fault.word.empty()) return "";
  const std::string meant = suggestion(fault.word, fault.words);
  if (!meant.empty()) return meant;
  if (fault.words.empty()) return "; there are none";
  std::vector<std::string> words = fault.words;
  if (words.size() > most_words) words.resize(most_words);
  return fmt::format("; there are {}{}", fmt::join(words, ", "), fault.words.size() > most_words ? ", ..." : "");
}

/// "; write "x_dot[i]"" for a key x[i]_dot; else "".
std::string meant_key(const std::string& key) {
  const auto open = key.find('[');
  const auto close = key.find("]_");
  if (open == std::string::npos || close == std::string::npos || close < open) return "";
  return fmt::format("; write \"{}{}{}\"", key.substr(0, open), key.substr(close + 1),
                     key.substr(open, close + 1 - open));
}

[[noreturn]] void expected_key(const Node& node) {
  node.fail(fmt::format("expected a name of letters, digits and _ (at most {}), or a family such as \"x[i in links]\"",
                        longest_name) +
            meant_key(node.name()));
}

void check_name(const Node& node, const std::string& name) {
  if (name.size() > longest_name) expected_key(node);
}

}  // namespace

void fail_at(const Node& node, const formula::Fault& fault) {
  const std::string text = node.is_text() ? node.text() : node.found();
  const std::size_t line = fault.spans.empty() ? 0 : formula::line_of(text, fault.spans.front().begin);
  throw Error(fault.code,
              fmt::format("{}: {}{}{}{}", node.where(line), fault.what(), advice(fault),
                          formula::excerpt(text, fault.spans), fault.note.empty() ? "" : "\n    " + fault.note));
}

Written read_written(const Node& node) {
  if (node.is_number()) return {node, node.number(), {}};
  if (!node.is_text()) node.expected("an expression: text, or a number");
  node.refuse_bare_number();
  return {node, std::nullopt, placed(node, [&] { return formula::parse(node.text()); })};
}

Written read_equation(const Node& node) {
  if (!node.is_text()) node.expected("text, \"left = right\"");
  return {node, std::nullopt, placed(node, [&] { return formula::parse_equation(node.text()); })};
}

std::optional<Node> entry_of(const Node& table, const std::string& name) {
  for (const Node& entry : table.entries()) {
    if (entry.name() == name) return entry;
  }
  return std::nullopt;
}

void refuse_other_keys(const Node& table, const std::vector<std::string>& keys) {
  for (const Node& entry : table.entries()) {
    if (std::ranges::count(keys, entry.name()) > 0) continue;
    const std::string meant = suggestion(entry.name(), keys);
    entry.fail((entry.is_table() ? "unknown table" : "unknown key") +
               (meant.empty() ? fmt::format(" (there are {})", fmt::join(keys, ", ")) : meant));
  }
}

std::string in_one_line(std::string text) {
  std::ranges::replace_if(
      text, [](char c) { return static_cast<unsigned char>(c) < ' ' || c == '\x7f'; }, ' ');
  return text;
}

Key read_key(const Node& node) {
  using formula::Mark;
  const std::string& text = node.name();
  if (text.size() > 4 * longest_name) expected_key(node);
  std::vector<formula::Token> tokens;
  try {
    tokens = formula::tokens_of(text);
  } catch (const formula::Fault&) {
    expected_key(node);
  }
  const auto is = [&](std::size_t i, Mark mark) { return i < tokens.size() && tokens[i].mark == mark; };
  const auto word = [&](std::size_t i) {
    return text.substr(tokens[i].span.begin, tokens[i].span.end - tokens[i].span.begin);
  };
  if (!is(0, Mark::name)) expected_key(node);
  Key key{word(0), "", "", std::nullopt};
  check_name(node, key.name);
  if (is(1, Mark::end)) return key;
  if (!is(1, Mark::open_bracket)) expected_key(node);
  const bool negative = is(2, Mark::minus);
  const std::size_t at = negative ? 3 : 2;
  if (is(at, Mark::number) && is(at + 1, Mark::close_bracket) && is(at + 2, Mark::end)) {
    const double value = tokens[at].value;
    if (value != static_cast<double>(static_cast<long>(std::min(value, 1e9)))) expected_key(node);
    key.index = negative ? -static_cast<long>(value) : static_cast<long>(value);
    return key;
  }
  const bool family = is(2, Mark::name) && is(3, Mark::name) && word(3) == "in" && is(4, Mark::name) &&
                      is(5, Mark::close_bracket) && is(6, Mark::end);
  if (!family) expected_key(node);
  key.counter = word(2);
  key.over = word(4);
  return key;
}

}  // namespace kalaba::text_model
