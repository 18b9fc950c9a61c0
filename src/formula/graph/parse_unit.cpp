#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <string_view>

#include "formula/graph/fault.hpp"
#include "formula/graph/unit.hpp"

namespace kalaba::formula {
namespace {

struct Named {
  std::string_view name;
  std::array<int, 4> powers;  // of kg, m, s, A
};
constexpr std::array named = {Named{"N", {1, 1, -2, 0}},   Named{"J", {1, 2, -2, 0}},  Named{"W", {1, 2, -3, 0}},
                              Named{"Pa", {1, -1, -2, 0}}, Named{"Hz", {0, 0, -1, 0}}, Named{"rad", {0, 0, 0, 0}},
                              Named{"C", {0, 0, 1, 1}},    Named{"V", {1, 2, -3, -1}}, Named{"Ohm", {1, 2, -3, -2}},
                              Named{"F", {-1, -2, 4, 2}},  Named{"T", {1, 0, -2, -1}}, Named{"Wb", {1, 2, -2, -1}},
                              Named{"H", {1, 2, -2, -2}},  Named{"sr", {0, 0, 0, 0}}};
constexpr std::array bases = {"kg", "m", "s", "A", "K", "mol", "cd"};

/// Units that are usual and would need a factor.
struct Scaled {
  std::string_view name;
  std::string_view instead;
};
constexpr std::array scaled = {
    Scaled{"g", "kg"},   Scaled{"cm", "m"}, Scaled{"mm", "m"},    Scaled{"km", "m"},       Scaled{"ms", "s"},
    Scaled{"min", "s"},  Scaled{"h", "s"},  Scaled{"deg", "rad"}, Scaled{"degree", "rad"}, Scaled{"degrees", "rad"},
    Scaled{"kN", "N"},   Scaled{"t", "kg"}, Scaled{"kJ", "J"},    Scaled{"us", "s"},       Scaled{"rpm", "rad/s"},
    Scaled{"bar", "Pa"}, Scaled{"kW", "W"}, Scaled{"mN", "N"},    Scaled{"kPa", "Pa"},     Scaled{"MPa", "Pa"},
    Scaled{"GPa", "Pa"}};

constexpr std::size_t longest = 200;  // bytes of a unit
constexpr int deepest_unit = 20;      // parentheses

class UnitParser {
 public:
  explicit UnitParser(const std::string& text) : text_(text) {}

  Unit read() {
    if (text_.size() > longest) fail("expected a unit of at most 200 characters", {0, 1});
    if (next() == '\0') return {};
    const Unit unit = product();
    if (next() != '\0') fail("expected a unit such as kg m^2/s^2", character_at(text_, at_));
    return unit;
  }

 private:
  [[noreturn]] static void fail(const std::string& message, Span span) {
    throw UnitFault{message, span.begin, span.end};
  }
  char next() {
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_]))) ++at_;
    return at_ < text_.size() ? text_[at_] : '\0';
  }

  Unit product() {
    Unit unit = factor();
    for (;;) {
      const char c = next();
      if (c == '/') {
        ++at_;
        unit = unit / factor();
      } else if (c == '*') {
        ++at_;
        unit = unit * factor();
      } else if (std::isalpha(static_cast<unsigned char>(c)) || c == '(') {
        unit = unit * factor();
      } else {
        return unit;
      }
    }
  }

  Unit factor() {
    const Unit unit = primary();
    if (next() != '^') return unit;
    ++at_;
    const bool in_parentheses = next() == '(';
    if (in_parentheses) ++at_;
    Fraction power{whole(), 1};
    if (in_parentheses) {
      if (next() == '/') {
        ++at_;
        const int under = whole();
        if (under <= 0) fail("expected a power such as 2, -1 or (1/2)", {at_ - 1, at_});
        power = power * Fraction{1, under};
      }
      close();
    }
    return unit.raised(power);
  }

  Unit primary() {
    const char c = next();
    const std::size_t begin = at_;
    if (c == '(') {
      if (++depth_ > deepest_unit) fail("expected fewer parentheses", {at_, at_ + 1});
      ++at_;
      const Unit unit = product();
      close();
      --depth_;
      return unit;
    }
    if (c == '1') {
      ++at_;
      return {};
    }
    while (at_ < text_.size() && std::isalpha(static_cast<unsigned char>(text_[at_]))) ++at_;
    if (at_ == begin) fail("expected a unit such as kg m^2/s^2", character_at(text_, at_));
    return unit_named(text_.substr(begin, at_ - begin), {begin, at_});
  }

  static Unit unit_named(const std::string& word, Span span) {
    const auto base = std::ranges::find(bases, word);
    if (base != bases.end()) return Unit::base(static_cast<int>(base - bases.begin()));
    const auto known = std::ranges::find(named, word, &Named::name);
    if (known != named.end()) {
      Unit unit;
      for (int i = 0; i < 4; ++i) unit = unit * Unit::base(i).raised({known->powers[static_cast<std::size_t>(i)], 1});
      return unit;
    }
    const auto other = std::ranges::find(scaled, word, &Scaled::name);
    const std::string advice = other == scaled.end()
                                   ? "there are kg, m, s, A, K, mol, cd, rad, N, J, W, Pa, Hz, C, V"
                                   : "units are those of the SI: write " + std::string(other->instead);
    fail("there is no unit " + shortened(word) + "; " + advice, span);
  }

  int whole() {
    next();
    int value = 0;
    const auto [end, error] = std::from_chars(text_.data() + at_, text_.data() + text_.size(), value);
    if (error != std::errc() || value < -24 || value > 24) {
      fail("expected a power such as 2, -1 or (1/2)", character_at(text_, at_));
    }
    at_ = static_cast<std::size_t>(end - text_.data());
    return value;
  }

  void close() {
    if (next() != ')') fail("expected )", character_at(text_, at_));
    ++at_;
  }

  const std::string& text_;
  std::size_t at_ = 0;
  int depth_ = 0;
};

}  // namespace

Unit parse_unit(const std::string& text) {
  try {
    return UnitParser(text).read();
  } catch (const std::overflow_error&) {
    throw UnitFault{"expected smaller powers", 0, text.size()};
  }
}

}  // namespace kalaba::formula
