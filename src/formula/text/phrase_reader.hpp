#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "formula/text/syntax.hpp"
#include "formula/text/tokens.hpp"

namespace kalaba::formula {

/// Reader of the grammar: the tokens in order, and the phrases built from them.
class PhraseReader {
 public:
  explicit PhraseReader(const std::string& text) : tokens_(tokens_of(text)) { syntax_.text = text; }

 protected:
  const Token& next() const { return tokens_[at_]; }
  std::string text(const Token& token) const { return syntax_.words(token.span); }
  bool take(Mark mark) {
    if (next().mark != mark) return false;
    ++at_;
    return true;
  }
  bool take_word(std::string_view word) {
    if (next().mark != Mark::name || text(next()) != word) return false;
    ++at_;
    return true;
  }

  [[noreturn]] void fail(const std::string& expected, const std::string& found) const {
    throw Fault(expected + found, next().span);
  }
  /// ", found 'x'; did you mean …?"
  std::string found() const { return found_at(next()); }
  std::string found_at(const Token& token) const {
    if (token.mark == Mark::end) return ", found the end";
    const std::string_view rest = std::string_view(syntax_.text).substr(token.span.begin);
    const std::string_view meant = token.mark == Mark::text ? "" : meant_by(rest);
    return ", found '" + shortened(text(token)) + "'" +
           (meant.empty() ? "" : "; did you mean " + std::string(meant) + "?");
  }
  void expect(Mark mark, const char* what) {
    if (!take(mark)) fail(std::string("expected ") + what, found());
  }

  int add(Form form, Span mark, std::vector<int> parts, std::optional<Span> span = {}) {
    Phrase phrase;
    phrase.form = form;
    phrase.mark = mark;
    phrase.span = span.value_or(Span{mark.begin, mark.end});
    if (!span && !parts.empty()) {
      phrase.span = {std::min(mark.begin, syntax_[parts.front()].span.begin), syntax_[parts.back()].span.end};
    }
    for (const int part : parts) phrase.depth = std::max(phrase.depth, syntax_[part].depth + 1);
    if (phrase.depth > most_operations_deep) {
      throw Fault("expected at most " + std::to_string(most_operations_deep) + " operations on one another", mark);
    }
    phrase.parts = std::move(parts);
    syntax_.phrases.push_back(std::move(phrase));
    return syntax_.root();
  }

  void deeper() {
    if (++depth_ > deepest_text) {
      throw Fault("expected at most " + std::to_string(deepest_text) + " parentheses, signs and powers in one another",
                  next().span);
    }
  }

  std::vector<Token> tokens_;
  Syntax syntax_;
  std::size_t at_ = 0;
  int depth_ = 0;
};

}  // namespace kalaba::formula
