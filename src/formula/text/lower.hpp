#pragma once

#include <string>
#include <vector>

#include "formula/graph/traits.hpp"
#include "formula/text/names.hpp"
#include "formula/text/syntax.hpp"

namespace kalaba::formula {

/// Symbols that an expression may use, and their description in messages.
struct Rules {
  unsigned allowed = on_state;
  std::string whose = {};       ///< "a holonomic constraint"
  std::string made_of = {};     ///< "t and coordinates"
  std::string note = {};        ///< advice below, where a rate stands
  int most_degree = -1;         ///< in the rates; -1: any
  std::string rates = "rates";  ///< or momenta
};

/// A function whose slope jumps, where it was written.
struct Kink {
  std::string function;
  Span span;
};

/// Result of lowering an expression.
struct Lowered {
  Value value;
  std::vector<Kink> kinks;
  std::vector<std::pair<Span, Id>> leaves;  ///< the names in it, with what they stand for
  std::vector<Id> ids;                      ///< of every phrase; within a sum, of its last term
};

/// Writes expressions into a graph, and finds and checks their units. All functions throw Fault.
class Lowering {
 public:
  /// Phrases that are lowered in all; loops count each turn.
  static constexpr long most_phrases = 2'000'000;

  Lowering(Graph& graph, Units& units, Names& names, Traits& traits)
      : graph_(graph), units_(units), names_(names), traits_(traits) {}

  /// A number or a mask.
  Lowered expression(const Syntax& syntax, const Bindings& bindings, const Rules& rules);
  Lowered number(const Syntax& syntax, const Bindings& bindings, const Rules& rules);
  Lowered mask(const Syntax& syntax, const Bindings& bindings, const Rules& rules);
  /// left - right; both have one unit.
  Lowered equation(const Syntax& syntax, const Bindings& bindings, const Rules& rules);

  /// Advice for a number without a unit where one of 1/s^2, say, is expected: times have the unit s, also in models
  /// whose coordinates are dimensionless. "" for other units.
  std::string with_time(const Unit& wanted, const Unit& found, int phrase, const Syntax& syntax) const;

 private:
  struct Place {
    const Syntax& syntax;
    const Rules& rules;
    Bindings bindings;
    Lowered result = {};
  };
  Value lower(int phrase, Place& place);
  Value lower_form(int phrase, Place& place);
  Value number_of(int phrase, Place& place);
  Id mask_of(int phrase, Place& place);
  Value literal(const Phrase& phrase);
  Value named(const Phrase& phrase, Place& place);
  Value factor_of(int phrase, Place& place);
  Value ideal(const Phrase& phrase, Place& place);
  Value total(const Phrase& phrase, Place& place);
  Value table(const Phrase& phrase, Place& place);
  Value sum(const Phrase& phrase, Place& place);
  Value power(const Phrase& phrase, Place& place);
  Value comparison(const Phrase& phrase, Place& place);
  Value called(const Phrase& phrase, Place& place);
  Unit unit_of_call(const Phrase& phrase, const std::vector<Value>& values, const Place& place);
  /// `call`: of which function it is the argument; empty of none.
  void want_no_unit(const std::string& who, int phrase, const Value& value, const Place& place,
                    const std::string& call = "");
  /// Advice for terms of different units: on the term without a unit, else on the second term.
  std::string note_of_terms(int a, const Value& x, int b, const Value& y, const Syntax& syntax) const;
  void refuse_units(const std::string& what, int a, const Value& x, int b, const Value& y, const Place& place) const;
  std::string spoken(const Unit& unit) const;
  void note_kink(const Phrase& phrase, const std::vector<Value>& values, Place& place);
  long whole(int phrase, const Place& place) const;
  std::optional<long> index_of(const Phrase& phrase, const Place& place) const;
  void check_leaf(const Phrase& phrase, const Value& value, const Place& place);
  void check_degree(const Phrase& phrase, Id id, const Place& place);

  Graph& graph_;
  Units& units_;
  Names& names_;
  Traits& traits_;
  long phrases_ = 0;
  int depth_ = 0;
};

}  // namespace kalaba::formula
