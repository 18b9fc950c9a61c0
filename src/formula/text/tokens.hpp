#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "formula/graph/fault.hpp"

namespace kalaba::formula {

enum class Mark : std::uint8_t {
  number,
  name,
  unit,  ///< [text] directly behind a number; the span is that of the text
  text,  ///< 'text' or "text"; the span is that of what is between
  plus,
  minus,
  times,
  divided,
  raised,
  open,
  close,
  open_bracket,
  close_bracket,
  comma,
  dot,
  colon,
  equals,
  less,
  less_equal,
  greater,
  greater_equal,
  unknown,  ///< a character that expressions do not know
  end,
};

struct Token {
  Mark mark = Mark::end;
  Span span;
  double value = 0;  ///< of a number
};

/// The longest text of an expression, bytes.
inline constexpr std::size_t longest_text = 65536;

/// The tokens of a text, the last of them `end`. Throws Fault for a text that is too long and for numbers that no
/// double holds.
std::vector<Token> tokens_of(const std::string& text);

/// Probable meaning of a character that is not part of the grammar; empty if there is none.
std::string_view meant_by(std::string_view text);

bool starts_word(char c);
bool in_word(char c);

}  // namespace kalaba::formula
