#pragma once

#include <cstddef>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "kalaba/error.hpp"

namespace kalaba::formula {

/// Bytes [begin, end) of an expression's text.
struct Span {
  std::size_t begin = 0;
  std::size_t end = 0;
};

/// A fault of an expression and its place.
class Fault : public std::runtime_error {
 public:
  Fault(const std::string& message, std::vector<Span> spans) : std::runtime_error(message), spans(std::move(spans)) {}
  Fault(const std::string& message, Span span) : Fault(message, std::vector<Span>{span}) {}

  std::vector<Span> spans;         ///< the wrong part; two where two places disagree
  std::string note = {};           ///< a line of advice; may be empty
  std::string word = {};           ///< the unknown word; empty for other faults
  std::vector<std::string> words;  ///< known words
  ExitCode code = ExitCode::bad_input;
};

/// A fault of an unknown word, whose nearest right one is to be named.
inline Fault unknown_word(const std::string& message, Span span, std::string word, std::vector<std::string> words) {
  Fault fault(message, span);
  fault.word = std::move(word);
  fault.words = std::move(words);
  return fault;
}

/// The lines of a text that the spans are in, each with carets below, as the end of a message: every line begins with
/// a line break and four spaces. Long lines are cut around the span.
std::string excerpt(const std::string& text, const std::vector<Span>& spans);

/// Line of a text, from 0, in which a byte stands.
std::size_t line_of(const std::string& text, std::size_t byte);

/// A text in one line, shortened to some 40 characters.
std::string shortened(const std::string& text);

/// The bytes of the character (UTF-8) at a place.
Span character_at(const std::string& text, std::size_t at);

}  // namespace kalaba::formula
