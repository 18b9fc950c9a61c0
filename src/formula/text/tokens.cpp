#include "formula/text/tokens.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>

namespace kalaba::formula {
namespace {

/// A character that authors write in place of one of the grammar.
struct LooksLike {
  std::string_view found;
  std::string_view meant;
};
constexpr std::array lookalikes = {
    LooksLike{"\u2212", "-"},    LooksLike{"\u2013", "-"},  LooksLike{"\u2014", "-"},
    LooksLike{"\u00d7", "*"},    LooksLike{"\u00b7", "*"},  LooksLike{"\u22c5", "*"},
    LooksLike{"\u2217", "*"},    LooksLike{"\u00f7", "/"},  LooksLike{"\u2215", "/"},
    LooksLike{"\u03c0", "pi"},   LooksLike{"\u00b2", "^2"}, LooksLike{"\u00b3", "^3"},
    LooksLike{"\u221a", "sqrt"}, LooksLike{"\u2264", "<="}, LooksLike{"\u2265", ">="},
    LooksLike{"\uff08", "("},    LooksLike{"\uff09", ")"},  LooksLike{"\u00a0", "a space"},
    LooksLike{"&&", "and"},      LooksLike{"||", "or"},     LooksLike{"!", "not"},
    LooksLike{"{", "("},         LooksLike{"}", ")"},       LooksLike{";", ","}};

struct Written {
  std::string_view text;
  Mark mark;
};
constexpr std::array marks = {
    Written{"<=", Mark::less_equal},  Written{">=", Mark::greater_equal}, Written{"+", Mark::plus},
    Written{"-", Mark::minus},        Written{"*", Mark::times},          Written{"/", Mark::divided},
    Written{"^", Mark::raised},       Written{"(", Mark::open},           Written{")", Mark::close},
    Written{"[", Mark::open_bracket}, Written{"]", Mark::close_bracket},  Written{",", Mark::comma},
    Written{".", Mark::dot},          Written{":", Mark::colon},          Written{"=", Mark::equals},
    Written{"<", Mark::less},         Written{">", Mark::greater}};

bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }

Token number_at(const std::string& text, std::size_t at) {
  Token token{Mark::number, {at, at}};
  const auto [end, error] = std::from_chars(text.data() + at, text.data() + text.size(), token.value);
  token.span.end = static_cast<std::size_t>(end - text.data());
  if (error != std::errc() || !std::isfinite(token.value)) {
    throw Fault("expected a number that a double can hold", token.span);
  }
  return token;
}

Token name_at(const std::string& text, std::size_t at) {
  std::size_t end = at;
  while (end < text.size() && in_word(text[end])) ++end;
  return {Mark::name, {at, end}};
}

/// The unit in brackets behind a number.
Token unit_at(const std::string& text, std::size_t at) {
  const std::size_t close = text.find(']', at);
  if (close == std::string::npos) throw Fault("expected ] behind a unit", Span{at, text.size()});
  return {Mark::unit, {at + 1, close}};
}

/// A text in quotes.
Token text_at(const std::string& text, std::size_t at) {
  const std::size_t close = text.find(text[at], at + 1);
  if (close == std::string::npos) {
    throw Fault(std::string("expected ") + text[at] + " behind a text", Span{at, text.size()});
  }
  return {Mark::text, {at + 1, close}};
}

Token mark_at(const std::string& text, std::size_t at) {
  const std::string_view rest = std::string_view(text).substr(at, 2);
  const auto found = std::ranges::find_if(marks, [&](const Written& each) { return rest.starts_with(each.text); });
  if (found == marks.end()) return {Mark::unknown, character_at(text, at)};
  return {found->mark, {at, at + found->text.size()}};
}

Token token_at(const std::string& text, std::size_t at, const std::vector<Token>& before) {
  const char c = text[at];
  if (is_digit(c) || (c == '.' && at + 1 < text.size() && is_digit(text[at + 1]))) return number_at(text, at);
  if (starts_word(c)) return name_at(text, at);
  if (c == '\'' || c == '"') return text_at(text, at);
  const bool behind_number = !before.empty() && before.back().mark == Mark::number && before.back().span.end == at;
  return c == '[' && behind_number ? unit_at(text, at) : mark_at(text, at);
}

}  // namespace

bool starts_word(char c) { return std::isalpha(static_cast<unsigned char>(c)) || c == '_'; }
bool in_word(char c) { return starts_word(c) || is_digit(c); }

std::vector<Token> tokens_of(const std::string& text) {
  if (text.size() > longest_text) {
    throw Fault(
        "expected at most " + std::to_string(longest_text) + " characters, found " + std::to_string(text.size()),
        Span{0, 1});
  }
  std::vector<Token> tokens;
  for (std::size_t at = 0; at < text.size();) {
    if (std::isspace(static_cast<unsigned char>(text[at]))) {
      ++at;
      continue;
    }
    tokens.push_back(token_at(text, at, tokens));
    const Mark mark = tokens.back().mark;
    at = tokens.back().span.end + (mark == Mark::unit || mark == Mark::text ? 1 : 0);
  }
  tokens.push_back({Mark::end, {text.size(), text.size()}});
  return tokens;
}

std::string_view meant_by(std::string_view text) {
  const auto like =
      std::ranges::find_if(lookalikes, [&](const LooksLike& each) { return text.starts_with(each.found); });
  return like == lookalikes.end() ? "" : like->meant;
}

}  // namespace kalaba::formula
