#include "formula/text/lower.hpp"

#include <algorithm>
#include <cmath>

#include "formula/graph/functions.hpp"

namespace kalaba::formula {
namespace {

/// Returns the singular of "rates", "momenta" or "quasi-velocities".
std::string singular(const std::string& rates) {
  if (rates == "momenta") return "momentum";
  return rates == "quasi-velocities" ? "quasi-velocity" : rates.substr(0, rates.size() - 1);
}

constexpr int deepest_phrase = 1500;  // phrases in one another, definitions included

/// The last term of a sum that is written without parentheses around it.
int last_term(const Syntax& syntax, int phrase) {
  for (;;) {
    const Phrase& now = syntax[phrase];
    const bool is_sum = now.form == Form::add || now.form == Form::subtract;
    if (!is_sum || now.span.begin < syntax[now.parts.front()].span.begin) return phrase;
    phrase = now.parts.back();
  }
}

}  // namespace

Lowered Lowering::expression(const Syntax& syntax, const Bindings& bindings, const Rules& rules) {
  Place place{syntax, rules, bindings};
  place.result.ids.resize(syntax.phrases.size(), -1);
  place.result.value = lower(syntax.root(), place);
  return std::move(place.result);
}

Lowered Lowering::number(const Syntax& syntax, const Bindings& bindings, const Rules& rules) {
  Place place{syntax, rules, bindings};
  place.result.ids.resize(syntax.phrases.size(), -1);
  const Value value = number_of(syntax.root(), place);
  place.result.value = value;
  return std::move(place.result);
}

Lowered Lowering::mask(const Syntax& syntax, const Bindings& bindings, const Rules& rules) {
  Place place{syntax, rules, bindings};
  place.result.ids.resize(syntax.phrases.size(), -1);
  place.result.value.id = mask_of(syntax.root(), place);
  return std::move(place.result);
}

Lowered Lowering::equation(const Syntax& syntax, const Bindings& bindings, const Rules& rules) {
  Place place{syntax, rules, bindings};
  place.result.ids.resize(syntax.phrases.size(), -1);
  const std::vector<int>& sides = syntax[syntax.root()].parts;
  const Value left = number_of(sides[0], place);
  const Value right = number_of(sides[1], place);
  if (!units_.unify(left.unit, right.unit)) {
    refuse_units("the two sides have different units", sides[0], left, sides[1], right, place);
  }
  place.result.value = {graph_.subtract(left.id, right.id), left.unit};
  place.result.ids.back() = place.result.value.id;
  return std::move(place.result);
}

void Lowering::refuse_units(const std::string& what, int a, const Value& x, int b, const Value& y,
                            const Place& place) const {
  const Syntax& syntax = place.syntax;
  Fault fault(what + ": " + shortened(syntax.words(a)) + " is " + spoken(x.unit) + ", " + shortened(syntax.words(b)) +
                  " is " + spoken(y.unit),
              {syntax[a].span, syntax[b].span});
  fault.note = note_of_terms(a, x, b, y, syntax);
  throw fault;
}

std::string Lowering::note_of_terms(int a, const Value& x, int b, const Value& y, const Syntax& syntax) const {
  return units_.resolve(x.unit).is_one() ? with_time(y.unit, x.unit, a, syntax) : with_time(x.unit, y.unit, b, syntax);
}

std::string Lowering::with_time(const Unit& wanted, const Unit& found, int phrase, const Syntax& syntax) const {
  const Unit unit = units_.resolve(wanted);
  const Unit factor = unit / units_.resolve(found);
  const std::string words = syntax.words(phrase);
  const bool is_time = (unit.is_one() || unit.is_of_time()) && factor.is_of_time();
  if (!is_time || shortened(words) != words) return "";
  const Form form = syntax[phrase].form;
  const bool is_sum = form == Form::add || form == Form::subtract || form == Form::negate;
  return "write 1[" + factor.text() + "]*" + (is_sum ? '(' + words + ')' : words) +
         ", or \"\" as the unit of the coordinates";
}

/// "m^2/s^2", "without a unit"
std::string Lowering::spoken(const Unit& unit) const {
  return units_.resolve(unit).is_one() ? "without a unit" : units_.text(unit);
}

Value Lowering::lower(int phrase, Place& place) {
  const Phrase& now = place.syntax[phrase];
  if (++phrases_ > most_phrases) {
    throw Fault("the model has more than " + std::to_string(most_phrases) +
                    " operations, its sums and families "
                    "written out",
                now.span);
  }
  if (++depth_ > deepest_phrase) throw Fault("these definitions stand too deep in one another", now.span);
  try {
    const Value value = lower_form(phrase, place);
    check_degree(now, value.id, place);
    place.result.ids[static_cast<std::size_t>(phrase)] = value.id;
    --depth_;
    return value;
  } catch (const std::overflow_error&) {
    throw Fault("the power of a unit is too large here", now.span);
  }
}

Value Lowering::lower_form(int phrase, Place& place) {
  const Phrase& now = place.syntax[phrase];
  switch (now.form) {
    case Form::number:
      return literal(now);
    case Form::name:
      return named(now, place);
    case Form::ideal:
      return ideal(now, place);
    case Form::call:
      return called(now, place);
    case Form::total:
      return total(now, place);
    case Form::table:
      return table(now, place);
    case Form::negate: {
      const Value value = number_of(now.parts[0], place);
      return {graph_.negate(value.id), value.unit};
    }
    case Form::add:
    case Form::subtract:
      return sum(now, place);
    case Form::multiply: {
      const Value a = factor_of(now.parts[0], place);
      const Value b = factor_of(now.parts[1], place);
      return {graph_.multiply(a.id, b.id), a.unit * b.unit};
    }
    case Form::divide: {
      const Value a = number_of(now.parts[0], place);
      const Value b = number_of(now.parts[1], place);
      return {graph_.divide(a.id, b.id), a.unit / b.unit};
    }
    case Form::power:
      return power(now, place);
    case Form::both:
    case Form::either: {
      const Id a = mask_of(now.parts[0], place);
      const Id b = mask_of(now.parts[1], place);
      return {graph_.binary(now.form == Form::both ? Op::both : Op::either, a, b), {}};
    }
    case Form::negation:
      return {graph_.unary(Op::negation, mask_of(now.parts[0], place)), {}};
    default:
      return comparison(now, place);
  }
}

Value Lowering::number_of(int phrase, Place& place) {
  const Value value = lower(phrase, place);
  if (graph_.is_mask(value.id)) throw Fault("expected a number, found a comparison", place.syntax[phrase].span);
  return value;
}

/// As a factor, zero has no unit: the product has that of the other one.
Value Lowering::factor_of(int phrase, Place& place) {
  Value value = number_of(phrase, place);
  const Phrase& written = place.syntax[phrase];
  if (written.form == Form::number && written.value == 0 && written.word.empty()) value.unit = Unit();
  return value;
}

Id Lowering::mask_of(int phrase, Place& place) {
  const Value value = lower(phrase, place);
  if (!graph_.is_mask(value.id)) {
    throw Fault("expected a comparison such as a < b, found a number", place.syntax[phrase].span);
  }
  return value.id;
}

/// Zero fits anything.
Value Lowering::literal(const Phrase& phrase) {
  const Id id = graph_.number(phrase.value);
  const bool has_unit = phrase.span.end > phrase.mark.end && phrase.mark.begin > phrase.span.begin;
  if (!has_unit) return {id, phrase.value == 0 ? units_.fresh() : Unit()};
  try {
    return {id, parse_unit(phrase.word)};
  } catch (const UnitFault& fault) {
    throw Fault(fault.message, Span{phrase.mark.begin + fault.begin, phrase.mark.begin + fault.end});
  }
}

Value Lowering::named(const Phrase& phrase, Place& place) {
  const std::optional<long> counter = bound_to(place.bindings, phrase.word);
  if (counter) {
    if (!phrase.parts.empty()) throw Fault(phrase.word + " counts, and has no index", phrase.span);
    return {graph_.number(static_cast<double>(*counter)), {}};
  }
  const Spot spot{phrase.span, phrase.mark, &place.bindings};
  const Value value = names_.value(phrase.word, index_of(phrase, place), spot);
  check_leaf(phrase, value, place);
  place.result.leaves.emplace_back(phrase.span, value.id);
  return value;
}

Value Lowering::ideal(const Phrase& phrase, Place& place) {
  const Spot spot{phrase.span, phrase.mark, &place.bindings};
  const Value value = names_.ideal(phrase.word, index_of(phrase, place), spot);
  check_leaf(phrase, value, place);
  return value;
}

void Lowering::check_leaf(const Phrase& phrase, const Value& value, const Place& place) {
  const Rules& rules = place.rules;
  const unsigned excess = traits_.depends_on(value.id) & ~rules.allowed & ~on_parameters;
  if (excess == 0) return;
  const std::string word = place.syntax.words(phrase.span);
  if ((excess & on_ideal_force) != 0) {
    const std::string known = "the ideal constraint force is available in [model.non_ideal] only";
    throw Fault(phrase.form == Form::ideal ? known : shortened(word) + " has it, and " + known, phrase.span);
  }
  struct Kind {
    unsigned bit;
    Op op;
    const char* name;
  };
  for (const Kind& kind : {Kind{on_rates, Op::rate, "rate"}, Kind{on_coordinates, Op::coordinate, "coordinate"},
                           Kind{on_time, Op::time, "time"}}) {
    if ((excess & kind.bit) == 0) continue;
    const Id symbol = traits_.symbol_in(value.id, kind.op);
    const std::string sort = kind.op == Op::rate ? singular(rules.rates) : kind.name;
    const std::string found = "the " + sort + " " + names_.label(graph_[symbol]);
    Fault fault(rules.whose + " is of " + rules.made_of + ", found " +
                    (symbol == value.id ? found : shortened(word) + ", which has " + found),
                phrase.span);
    if (kind.op == Op::rate) fault.note = rules.note;
    throw fault;
  }
}

void Lowering::check_degree(const Phrase& phrase, Id id, const Place& place) {
  const Rules& rules = place.rules;
  if (rules.most_degree < 0 || graph_.is_mask(id)) return;
  const int degree = traits_.degree(id);
  if (degree <= rules.most_degree) return;
  const std::string name = names_.label(graph_[traits_.symbol_in(id, Op::rate)]);
  const std::string found = degree >= Traits::no_polynomial ? ", which is no polynomial in " + name : "";
  throw Fault(rules.whose + " is of second degree in the " + rules.rates + ", found " +
                  (found.empty() ? "degree " + std::to_string(degree) + " in " + name
                                 : shortened(place.syntax.words(phrase.span)) + found),
              phrase.span);
}

Value Lowering::sum(const Phrase& phrase, Place& place) {
  const bool adds = phrase.form == Form::add;
  const Value a = number_of(phrase.parts[0], place);
  const Value b = number_of(phrase.parts[1], place);
  if (!units_.unify(a.unit, b.unit)) {
    const int left = last_term(place.syntax, phrase.parts[0]);
    const int right = phrase.parts[1];
    const Syntax& syntax = place.syntax;
    Fault fault(std::string("these cannot be ") + (adds ? "added" : "subtracted") + ": " +
                    shortened(syntax.words(left)) + " is " + spoken(a.unit) + ", " + shortened(syntax.words(right)) +
                    " is " + spoken(b.unit),
                Span{syntax[left].span.begin, syntax[right].span.end});
    fault.note = note_of_terms(left, a, right, b, syntax);
    throw fault;
  }
  return {adds ? graph_.add(a.id, b.id) : graph_.subtract(a.id, b.id), a.unit};
}

Value Lowering::power(const Phrase& phrase, Place& place) {
  const Value base = number_of(phrase.parts[0], place);
  const Value exponent = number_of(phrase.parts[1], place);
  want_no_unit("an exponent is", phrase.parts[1], exponent, place);
  const std::optional<double> constant = graph_.constant(exponent.id);
  const std::optional<Fraction> fraction = constant ? fraction_of(*constant) : std::nullopt;
  const Id id = graph_.binary(Op::power, base.id, exponent.id);
  if (fraction) return {id, base.unit.raised(*fraction)};
  want_no_unit("what is raised to such a power is", phrase.parts[0], base, place);
  return {id, {}};
}

Value Lowering::comparison(const Phrase& phrase, Place& place) {
  const Value a = number_of(phrase.parts[0], place);
  const Value b = number_of(phrase.parts[1], place);
  if (!units_.unify(a.unit, b.unit)) {
    refuse_units("these cannot be compared", phrase.parts[0], a, phrase.parts[1], b, place);
  }
  const bool turned = phrase.form == Form::greater || phrase.form == Form::greater_equal;
  const bool strict = phrase.form == Form::less || phrase.form == Form::greater;
  const Op op = strict ? Op::less : Op::less_equal;
  return {turned ? graph_.binary(op, b.id, a.id) : graph_.binary(op, a.id, b.id), {}};
}

void Lowering::want_no_unit(const std::string& who, int phrase, const Value& value, const Place& place,
                            const std::string& call) {
  if (units_.make_one(value.unit)) return;
  const std::string words = place.syntax.words(phrase);
  const std::string unit = units_.text(value.unit);
  const Form form = place.syntax[phrase].form;
  const bool is_sum = (form == Form::add || form == Form::subtract) && !words.starts_with('(');
  const std::string divided = (is_sum ? '(' + words + ')' : words) + "/1[" + unit + ']';
  const std::string meant = call.empty() ? divided : call + '(' + divided + ')';
  Fault fault(who + " a number without a unit, found " + shortened(words) + " in " + unit, place.syntax[phrase].span);
  if (units_.resolve(value.unit).is_known() && shortened(words) == words) fault.note = "write " + meant;
  throw fault;
}

}  // namespace kalaba::formula
