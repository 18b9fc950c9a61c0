#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "formula/graph/fault.hpp"

namespace kalaba::formula {

enum class Form : std::uint8_t {
  number,  ///< perhaps with a unit
  name,    ///< perhaps with an index, its only part
  ideal,   ///< ideal.NAME, likewise
  call,    ///< a function of its parts
  total,   ///< sum(NAME in COUNT: part)
  table,   ///< table(part, 'NAME', COUNT)
  negate,
  add,
  subtract,
  multiply,
  divide,
  power,
  less,
  less_equal,
  greater,
  greater_equal,
  both,
  either,
  negation,
};

/// A piece of an expression.
struct Phrase {
  Form form = Form::number;
  Span span;  ///< of all of it, parentheses around it included
  Span mark;  ///< of its operator; of what is not an operation, its name
  double value = 0;
  std::string word;   ///< a name, a function, a unit, what a total counts, the name of a table
  std::string count;  ///< of a total: the name behind `in`; of a table: linear or cubic
  std::vector<int> parts;
  int depth = 0;  ///< of the phrases in it
};

/// An expression as it was written: phrases, the last of which is the whole.
struct Syntax {
  std::string text;
  std::vector<Phrase> phrases;

  int root() const { return static_cast<int>(phrases.size()) - 1; }
  const Phrase& operator[](int phrase) const { return phrases[static_cast<std::size_t>(phrase)]; }
  std::string words(Span span) const { return text.substr(span.begin, span.end - span.begin); }
  std::string words(int phrase) const { return words((*this)[phrase].span); }
};

/// Parentheses, signs and powers in one another.
inline constexpr int deepest_text = 100;
/// Operations on one another, such as a sum of so many terms.
inline constexpr int most_operations_deep = 1000;

/// Reads an expression: a number or a comparison. Throws Fault.
Syntax parse(const std::string& text);

/// Reads "left = right"; the root is their difference, a Form::subtract whose mark is the sign of equality.
Syntax parse_equation(const std::string& text);

}  // namespace kalaba::formula
