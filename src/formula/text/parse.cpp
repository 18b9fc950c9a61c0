#include <optional>
#include <utility>

#include "formula/graph/functions.hpp"
#include "formula/graph/unit.hpp"
#include "formula/text/phrase_reader.hpp"

namespace kalaba::formula {
namespace {

struct Operator {
  Mark mark;
  Form form;
};

bool is_unit(const std::string& name) {
  try {
    parse_unit(name);
    return true;
  } catch (const UnitFault&) {
    return false;
  }
}

/// Reads by recursive descent, a function for every line of the grammar.
class Parser : PhraseReader {
 public:
  using PhraseReader::PhraseReader;

  Syntax expression() {
    either();
    finish();
    return std::move(syntax_);
  }

  Syntax equation() {
    const int left = either();
    const Span mark = next().span;
    if (!take(Mark::equals)) fail("expected left = right", found());
    if (next().mark == Mark::equals) throw Fault("expected left = right with one =, found two", next().span);
    const int right = either();
    if (next().mark == Mark::equals) throw Fault("expected left = right, found a second =", next().span);
    finish();
    add(Form::subtract, mark, {left, right});
    return std::move(syntax_);
  }

 private:
  void finish() {
    if (next().mark == Mark::end) return;
    if (next().mark == Mark::close) fail("expected an operator or the end, found a ) without its (", "");
    const bool factor = at_ > 0 && tokens_[at_ - 1].mark == Mark::number;
    const bool follows = next().mark == Mark::name || next().mark == Mark::open;
    const bool word = next().mark == Mark::name && is_reserved(text(next())) && !find_function(text(next()));
    if (factor && follows && !word) {
      const std::string number = text(tokens_[at_ - 1]);
      const bool apart = tokens_[at_ - 1].span.end < next().span.begin;
      const bool unit = apart && next().mark == Mark::name && is_unit(text(next()));
      fail("expected an operator or the end",
           found() + "; did you mean " + number + "*" + text(next()) +
               (unit ? ", or the unit in brackets, " + number + "[" + text(next()) + "]?" : "?"));
    }
    fail("expected an operator or the end", found());
  }

  int either() { return joined("or", Form::either, &Parser::both); }
  int both() { return joined("and", Form::both, &Parser::negation); }

  int joined(std::string_view word, Form form, int (Parser::*operand)()) {
    int left = (this->*operand)();
    for (Span mark = next().span; take_word(word); mark = next().span) {
      left = add(form, mark, {left, (this->*operand)()});
    }
    return left;
  }

  int negation() {
    const Span mark = next().span;
    if (!take_word("not")) return comparison();
    deeper();
    const int result = add(Form::negation, mark, {negation()});
    --depth_;
    return result;
  }

  std::optional<Form> comparing() const {
    constexpr Operator operators[] = {{Mark::less, Form::less},
                                      {Mark::less_equal, Form::less_equal},
                                      {Mark::greater, Form::greater},
                                      {Mark::greater_equal, Form::greater_equal}};
    for (const Operator& each : operators) {
      if (next().mark == each.mark) return each.form;
    }
    return std::nullopt;
  }

  int comparison() {
    const int left = sum();
    const auto form = comparing();
    if (!form) return left;
    const Span mark = tokens_[at_++].span;
    const int right = sum();
    if (comparing()) throw Fault("one comparison at a time: write a < b and b < c", next().span);
    return add(*form, mark, {left, right});
  }

  int sum() {
    int left = product();
    while (next().mark == Mark::plus || next().mark == Mark::minus) {
      const Form form = next().mark == Mark::plus ? Form::add : Form::subtract;
      const Span mark = tokens_[at_++].span;
      left = add(form, mark, {left, product()});
    }
    return left;
  }

  int product() {
    int left = factor();
    while (next().mark == Mark::times || next().mark == Mark::divided) {
      const Form form = next().mark == Mark::times ? Form::multiply : Form::divide;
      const Span mark = tokens_[at_++].span;
      if (form == Form::multiply && next().mark == Mark::times && next().span.begin == mark.end) {
        throw Fault("expected one *, found **; did you mean ^?", Span{mark.begin, next().span.end});
      }
      left = add(form, mark, {left, factor()});
    }
    return left;
  }

  /// A sign binds less than a power: -x^2 is -(x^2).
  int factor() {
    deeper();
    const Span mark = next().span;
    int result = 0;
    if (take(Mark::minus)) {
      result = add(Form::negate, mark, {factor()});
    } else if (take(Mark::plus)) {
      result = factor();
    } else {
      result = primary();
      const Span raised = next().span;
      if (take(Mark::raised)) result = add(Form::power, raised, {result, factor()});
    }
    --depth_;
    return result;
  }

  int primary() {
    const Token token = next();
    if (token.mark == Mark::number) return number();
    if (token.mark == Mark::name && text(token) == "sum") return total();
    if (token.mark == Mark::name && text(token) == "table") return table();
    if (token.mark == Mark::name && text(token) == "ideal") return ideal();
    const bool is_word = token.mark == Mark::name && is_keyword(text(token));
    if (token.mark == Mark::name && !is_word) return name();
    if (token.mark != Mark::open) fail("expected a number, a name, a function or (", found());
    ++at_;
    const int inside = either();
    expect(Mark::close, "an operator or )");
    syntax_.phrases[static_cast<std::size_t>(inside)].span = {token.span.begin, tokens_[at_ - 1].span.end};
    return inside;
  }

  static bool is_keyword(const std::string& word) {
    return word == "and" || word == "or" || word == "not" || word == "in";
  }

  int number() {
    const Token token = tokens_[at_++];
    const int result = add(Form::number, token.span, {});
    syntax_.phrases.back().value = token.value;
    if (next().mark == Mark::unit) {
      const Span unit = tokens_[at_++].span;
      syntax_.phrases.back().word = syntax_.words(unit);
      syntax_.phrases.back().mark = unit;
      syntax_.phrases.back().span.end = unit.end + 1;
    }
    return result;
  }

  /// A name, perhaps of two words, such as tip.x.
  int name() {
    Token token = tokens_[at_++];
    if (next().mark == Mark::dot && at_ + 1 < tokens_.size() && tokens_[at_ + 1].mark == Mark::name) {
      token.span.end = tokens_[at_ + 1].span.end;
      at_ += 2;
      return indexed(Form::name, token.span, token.span, text(token));
    }
    const std::string word = text(token);
    if (next().mark == Mark::open) return call(token);
    return indexed(Form::name, token.span, token.span, word);
  }

  /// Refuses x[i]_dot.
  void refuse_tail(const std::string& word, std::size_t bracket, Span all) {
    const Token tail = next();
    if (tail.mark != Mark::name || tail.span.begin != all.end) return;
    const std::string index = syntax_.text.substr(bracket, all.end - bracket);
    throw Fault("an index stands behind the whole name: write " + word + text(tail) + index,
                Span{all.begin, tail.span.end});
  }

  int indexed(Form form, Span all, Span mark, const std::string& word) {
    std::vector<int> parts;
    if (take(Mark::open_bracket)) {
      parts.push_back(sum());
      all.end = next().span.end;
      expect(Mark::close_bracket, "an operator or ]");
      refuse_tail(word, mark.end, all);
    }
    const int result = add(form, mark, std::move(parts), all);
    syntax_.phrases.back().word = word;
    return result;
  }

  int ideal() {
    const Span begin = tokens_[at_++].span;
    if (!take(Mark::dot)) fail("expected ideal.NAME, the ideal constraint force along a coordinate", found());
    const Token token = next();
    if (!take(Mark::name)) fail("expected the name of a coordinate behind ideal.", found());
    return indexed(Form::ideal, {begin.begin, token.span.end}, token.span, text(token));
  }

  /// table(x, 'road.csv'), table(x, 'road.csv', linear)
  int table() {
    const Token begin = tokens_[at_++];
    const char* const form = "expected table(x, 'FILE.csv') or table(x, 'FILE.csv', linear)";
    if (!take(Mark::open)) fail(form, found());
    deeper();
    const int argument = either();
    --depth_;
    if (!take(Mark::comma)) fail(form, found());
    const Token name = next();
    if (!take(Mark::text) || text(name).empty()) throw Fault(form + found_at(name), name.span);
    std::string between = "cubic";
    if (take(Mark::comma)) {
      const Token word = next();
      between = word.mark == Mark::name ? text(word) : "";
      if (between != "linear" && between != "cubic") {
        throw unknown_word("expected linear or cubic" + found_at(word), word.span, between, {"linear", "cubic"});
      }
      ++at_;
    }
    const std::size_t end = next().span.end;
    expect(Mark::close, "an operator or )");
    const int result = add(Form::table, name.span, {argument}, Span{begin.span.begin, end});
    syntax_.phrases.back().word = text(name);
    syntax_.phrases.back().count = between;
    return result;
  }

  int call(const Token& token) {
    const std::string word = text(token);
    const Function* function = find_function(word);
    if (function == nullptr) {
      throw unknown_word("there is no function " + shortened(word), token.span, word, function_names());
    }
    ++at_;
    std::vector<int> parts;
    if (next().mark != Mark::close) parts.push_back(either());
    while (take(Mark::comma)) parts.push_back(either());
    const std::size_t end = next().span.end;
    expect(Mark::close, parts.empty() ? ")" : "an operator, a comma or )");
    if (const std::string fault = fault_of_count(*function, parts.size()); !fault.empty()) {
      throw Fault(fault, Span{token.span.begin, end});
    }
    const int result = add(Form::call, token.span, std::move(parts), Span{token.span.begin, end});
    syntax_.phrases.back().word = word;
    return result;
  }

  /// sum(i in links: …)
  int total() {
    const Span begin = tokens_[at_++].span;
    const char* const form = "expected sum(i in COUNT: ...)";
    if (!take(Mark::open)) fail(form, found());
    const Token counter = next();
    if (!take(Mark::name)) fail(form, found());
    if (!take_word("in")) fail(form, found());
    const Token count = next();
    if (!take(Mark::name)) fail(form, found());
    if (!take(Mark::colon)) fail(form, found());
    deeper();
    const int body = either();
    --depth_;
    const std::size_t end = next().span.end;
    expect(Mark::close, "an operator or )");
    const int result = add(Form::total, counter.span, {body}, Span{begin.begin, end});
    syntax_.phrases.back().word = text(counter);
    syntax_.phrases.back().count = text(count);
    return result;
  }
};

}  // namespace

Syntax parse(const std::string& text) { return Parser(text).expression(); }
Syntax parse_equation(const std::string& text) { return Parser(text).equation(); }

}  // namespace kalaba::formula
