#include <algorithm>
#include <cmath>

#include "formula/graph/functions.hpp"
#include "formula/text/lower.hpp"

namespace kalaba::formula {

Value Lowering::total(const Phrase& phrase, Place& place) {
  const std::optional<long> count = names_.count(phrase.count);
  if (!count) {
    throw unknown_word("there is no count " + shortened(phrase.count) + " under [model.structure]", phrase.mark,
                       phrase.count, names_.counts());
  }
  if (bound_to(place.bindings, phrase.word) || names_.find(phrase.word) != nullptr || is_reserved(phrase.word)) {
    throw Fault("sum needs a counter that is no other name, found " + phrase.word, phrase.mark);
  }
  Value total{graph_.number(0), units_.fresh()};
  for (long i = 1; i <= *count; ++i) {
    place.bindings.emplace_back(phrase.word, i);
    const Value term = number_of(phrase.parts[0], place);
    place.bindings.pop_back();
    if (!units_.unify(total.unit, term.unit)) {
      throw Fault("the terms of this sum have different units: " + units_.text(total.unit) + ", and at " + phrase.word +
                      " = " + std::to_string(i) + " " + units_.text(term.unit),
                  phrase.span);
    }
    total.id = graph_.add(total.id, term.id);
  }
  return total;
}

Value Lowering::table(const Phrase& phrase, Place& place) {
  const Value x = number_of(phrase.parts[0], place);
  const bool is_linear = phrase.count == "linear";
  const TableMeaning found =
      names_.table(phrase.word, is_linear ? Interpolation::linear : Interpolation::cubic, phrase.mark);
  if (!units_.unify(found.of_places, x.unit)) {
    throw Fault("the places of " + shortened(phrase.word) + " are " + spoken(found.of_places) + ", " +
                    shortened(place.syntax.words(phrase.parts[0])) + " is " + spoken(x.unit),
                place.syntax[phrase.parts[0]].span);
  }
  if (is_linear && (traits_.depends_on(x.id) & ~on_parameters) != 0) {
    place.result.kinks.push_back({"a linear table", phrase.span});
  }
  return {graph_.table(found.table, 0, x.id), found.of_values};
}

Value Lowering::called(const Phrase& phrase, Place& place) {
  std::vector<Value> values;
  for (std::size_t i = 0; i < phrase.parts.size(); ++i) {
    const bool is_mask = i == 0 && phrase.word == "where";
    values.push_back(is_mask ? Value{mask_of(phrase.parts[i], place), {}} : number_of(phrase.parts[i], place));
  }
  const Unit unit = unit_of_call(phrase, values, place);
  note_kink(phrase, values, place);
  std::vector<Id> ids;
  for (const Value& value : values) ids.push_back(value.id);
  return {call(graph_, phrase.word, ids), unit};
}

Unit Lowering::unit_of_call(const Phrase& phrase, const std::vector<Value>& values, const Place& place) {
  const Measure measure = find_function(phrase.word)->measure;
  if (measure == Measure::none) {
    want_no_unit(phrase.word + " takes", phrase.parts[0], values[0], place, phrase.word);
    return {};
  }
  if (measure == Measure::root) return values[0].unit.raised({1, 2});
  const auto what = [&] { return phrase.word + " takes numbers of one unit"; };
  if (measure == Measure::square) {  // dot: pairs of equal units
    const std::size_t half = values.size() / 2;
    for (std::size_t i = 1; i < half; ++i) {
      for (const std::size_t at : {i, i + half}) {
        const std::size_t first = at == i ? 0 : half;
        if (units_.unify(values[first].unit, values[at].unit)) continue;
        refuse_units(what(), phrase.parts[first], values[first], phrase.parts[at], values[at], place);
      }
    }
    return values[0].unit * values[half].unit;
  }
  const std::size_t first = phrase.word == "where" ? 1 : 0;
  for (std::size_t i = first + 1; i < values.size(); ++i) {
    if (units_.unify(values[first].unit, values[i].unit)) continue;
    refuse_units(what(), phrase.parts[first], values[first], phrase.parts[i], values[i], place);
  }
  return measure == Measure::ratio ? Unit() : values[first].unit;
}

void Lowering::note_kink(const Phrase& phrase, const std::vector<Value>& values, Place& place) {
  if (!find_function(phrase.word)->kinked) return;
  const auto moves = [&](const Value& value) { return (traits_.depends_on(value.id) & ~on_parameters) != 0; };
  const bool is_where = phrase.word == "where";
  if (is_where ? moves(values[0]) : std::ranges::any_of(values, moves)) {
    place.result.kinks.push_back({phrase.word, phrase.span});
  }
}

std::optional<long> Lowering::index_of(const Phrase& phrase, const Place& place) const {
  if (phrase.parts.empty()) return std::nullopt;
  return whole(phrase.parts[0], place);
}

/// Index arithmetic is of whole numbers.
long Lowering::whole(int phrase, const Place& place) const {
  constexpr double largest = 1e9;
  const Phrase& now = place.syntax[phrase];
  const auto part = [&](std::size_t i) { return whole(now.parts[i], place); };
  const auto checked = [&](double value) {
    if (std::abs(value) <= largest && value == std::floor(value)) return static_cast<long>(value);
    throw Fault("expected a whole number", now.span);
  };
  switch (now.form) {
    case Form::number:
      return checked(now.value);
    case Form::negate:
      return -part(0);
    case Form::add:
      return checked(static_cast<double>(part(0)) + static_cast<double>(part(1)));
    case Form::subtract:
      return checked(static_cast<double>(part(0)) - static_cast<double>(part(1)));
    case Form::multiply:
      return checked(static_cast<double>(part(0)) * static_cast<double>(part(1)));
    case Form::name:
      if (const auto counter = bound_to(place.bindings, now.word)) return *counter;
      if (const auto count = names_.count(now.word)) return *count;
      break;
    default:
      break;
  }
  std::vector<std::string> words = names_.counts();
  for (const auto& [counter, value] : place.bindings) words.push_back(counter);
  const std::string what = "an index is made of whole numbers and counters, such as i or i-1";
  if (now.form == Form::name) throw unknown_word(what + "; found " + shortened(now.word), now.span, now.word, words);
  throw Fault(what, now.span);
}

}  // namespace kalaba::formula
