#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>
#include <numbers>

#include "kalaba/event.hpp"
#include "kalaba/system.hpp"

namespace kalaba {
namespace {

struct Function {
  std::string_view name;
  Operation operation;
};
constexpr std::array functions = {Function{"sqrt", Operation::sqrt}, Function{"sin", Operation::sin},
                                  Function{"cos", Operation::cos},   Function{"tan", Operation::tan},
                                  Function{"exp", Operation::exp},   Function{"log", Operation::log},
                                  Function{"abs", Operation::abs}};

constexpr int deepest = 100;  // parentheses and signs in one another

/// What may stand in a text for a character that expressions know.
struct LooksLike {
  std::string_view found;
  std::string_view meant;
};
constexpr std::array lookalikes = {LooksLike{"\u2212", "-"}, LooksLike{"\u2013", "-"}, LooksLike{"\u00d7", "*"},
                                   LooksLike{"\u00b7", "*"}, LooksLike{"\u00f7", "/"}, LooksLike{"\u03c0", "pi"}};

bool starts_word(char c) { return std::isalpha(static_cast<unsigned char>(c)) || c == '_'; }
bool in_word(char c) { return starts_word(c) || std::isdigit(static_cast<unsigned char>(c)); }

/// Reads by recursive descent, and writes the program as it goes.
class Parser {
 public:
  Parser(const std::string& text, const SystemInfo& system) : text_(text), system_(system) {}

  Expression read() {
    sum();
    if (at_ < text_.size()) fail("expected an operator or the end");
    return program_;
  }

 private:
  [[noreturn]] void fail_at(std::size_t place, const std::string& message, const std::string& word = "",
                            std::vector<std::string> words = {}) const {
    throw ExpressionError(message, place, word, std::move(words));
  }
  [[noreturn]] void fail(const std::string& expected) const {
    if (at_ == text_.size()) fail_at(at_, expected + ", found the end");
    const std::string found = character();
    const auto like = std::ranges::find(lookalikes, found, &LooksLike::found);
    const std::string meant = like == lookalikes.end() ? "" : "; did you mean " + std::string(like->meant) + "?";
    fail_at(at_, expected + ", found '" + found + "'" + meant);
  }

  /// The next one, with all its bytes in UTF-8.
  std::string character() const {
    const auto continues = [](char c) { return (static_cast<unsigned char>(c) & 0xc0) == 0x80; };
    std::size_t end = at_ + 1;
    while (end < text_.size() && continues(text_[end])) ++end;
    return text_.substr(at_, end - at_);
  }

  char next() {
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_]))) ++at_;
    return at_ < text_.size() ? text_[at_] : '\0';
  }
  bool take(char c) {
    if (next() != c) return false;
    ++at_;
    return true;
  }

  void sum() {
    product();
    for (;;) {
      if (take('+')) {
        product();
        emit({Operation::add}, -1);
      } else if (take('-')) {
        product();
        emit({Operation::subtract}, -1);
      } else {
        next();
        return;
      }
    }
  }

  void product() {
    factor();
    for (;;) {
      if (take('*')) {
        factor();
        emit({Operation::multiply}, -1);
      } else if (take('/')) {
        factor();
        emit({Operation::divide}, -1);
      } else {
        return;
      }
    }
  }

  /// A sign binds less than a power: -x^2 is -(x^2).
  void factor() {
    if (++depth_ > deepest) fail_at(at_, "expected fewer parentheses and signs in one another");
    if (take('-')) {
      factor();
      emit({Operation::negate}, 0);
    } else if (take('+')) {
      factor();
    } else {
      primary();
      if (take('^')) raise();
    }
    --depth_;
  }

  /// Small whole powers are products, which every backend rounds alike.
  void raise() {
    const int begin = program_.size;
    factor();
    const int length = program_.size - begin;
    const Instruction& first = program_.code[begin];
    const bool negated = length == 2 && program_.code[begin + 1].operation == Operation::negate;
    const bool constant = first.operation == Operation::number && (length == 1 || negated);
    const double power = negated ? -first.value : first.value;
    if (constant && power == std::round(power) && std::abs(power) <= Expression::most_raised) {
      program_.size = begin;
      --numbers_;
      emit({Operation::raise, static_cast<int>(power)}, 0);
    } else {
      emit({Operation::power}, -1);
    }
  }

  void primary() {
    const char c = next();
    if (take('(')) {
      sum();
      if (!take(')')) fail("expected )");
    } else if (std::isdigit(static_cast<unsigned char>(c)) || c == '.') {
      number();
    } else if (starts_word(c)) {
      name();
    } else {
      fail("expected a number, a name, a function or (");
    }
  }

  void number() {
    Instruction now;
    const char* const begin = text_.data() + at_;
    const auto [end, error] = std::from_chars(begin, text_.data() + text_.size(), now.value);
    if (error != std::errc() || !std::isfinite(now.value)) fail("expected a number");
    at_ += static_cast<std::size_t>(end - begin);
    emit(now, 1);
  }

  void name() {
    const std::size_t begin = at_;
    while (at_ < text_.size() && in_word(text_[at_])) ++at_;
    const std::string word = text_.substr(begin, at_ - begin);
    if (next() == '(') return call(word, begin);
    if (variable(system_.coordinates, word, Operation::coordinate)) return;
    if (variable(system_.rates, word, Operation::rate)) return;
    if (variable(system_.parameters, word, Operation::parameter)) return;
    if (word == "t") return emit({Operation::time}, 1);
    if (word == "pi") return emit({Operation::number, 0, std::numbers::pi}, 1);
    std::vector<std::string> words = {"t", "pi"};
    for (const auto* variables : {&system_.coordinates, &system_.rates, &system_.parameters}) {
      for (const Variable& each : *variables) words.push_back(each.name);
    }
    fail_at(begin, system_.name + " has no coordinate, rate or parameter " + word, word, std::move(words));
  }

  void call(const std::string& word, std::size_t begin) {
    const auto found = std::ranges::find(functions, word, &Function::name);
    if (found == functions.end()) {
      std::vector<std::string> words;
      for (const Function& each : functions) words.emplace_back(each.name);
      fail_at(begin, "there is no function " + word, word, std::move(words));
    }
    take('(');
    sum();
    if (!take(')')) fail("expected )");
    emit({found->operation}, 0);
  }

  bool variable(const std::vector<Variable>& variables, const std::string& word, Operation operation) {
    const auto found = std::ranges::find(variables, word, &Variable::name);
    if (found == variables.end()) return false;
    emit({operation, static_cast<int>(found - variables.begin())}, 1);
    return true;
  }

  /// `change`: of how many numbers are on the stack.
  void emit(const Instruction& now, int change) {
    numbers_ += change;
    if (program_.size == Expression::most_instructions || numbers_ > Expression::most_numbers) {
      fail_at(at_, "expected at most " + std::to_string(Expression::most_instructions) +
                       " numbers, names and operators, " + std::to_string(Expression::most_numbers) +
                       " of them waiting for an operator");
    }
    program_.code[program_.size++] = now;
  }

  const std::string& text_;
  const SystemInfo& system_;
  std::size_t at_ = 0;
  Expression program_;
  int numbers_ = 0;  // on the stack
  int depth_ = 0;
};

}  // namespace

Expression read_expression(const std::string& text, const SystemInfo& system) { return Parser(text, system).read(); }

std::string fault_of_name(const std::string& name, std::span<const Event> before) {
  const bool is_word = !name.empty() && std::ranges::all_of(name, in_word);
  if (!is_word || name.size() > Event::longest_name) {
    return "expected a name of letters, digits and _, at most " + std::to_string(Event::longest_name);
  }
  if (std::ranges::count(before, name, &Event::name) > 0) return "expected a name that no other event has";
  return "";
}

Watch watch_of(const std::vector<Event>& events, const SystemInfo& system) {
  Watch watch;
  if (events.size() > Watch::most_events) {
    throw Error(ExitCode::bad_input, "expected at most " + std::to_string(Watch::most_events) + " events, found " +
                                         std::to_string(events.size()));
  }
  for (const Event& event : events) {
    const auto refuse = [&](const std::string& why) {
      throw Error(ExitCode::bad_input, "event \"" + event.name + "\": " + why);
    };
    const std::span before(events.data(), static_cast<std::size_t>(watch.count));
    if (const std::string fault = fault_of_name(event.name, before); !fault.empty()) refuse(fault);
    WatchedEvent& watched = watch.events[watch.count++];
    watched.direction = event.direction;
    watched.action = event.action;
    try {
      watched.expression = read_expression(event.when, system);
    } catch (const ExpressionError& error) {
      refuse("\"" + event.when + "\", character " + std::to_string(error.place + 1) + ": " + error.what());
    }
  }
  return watch;
}

}  // namespace kalaba
