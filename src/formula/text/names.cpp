#include "formula/text/names.hpp"

#include <algorithm>
#include <numbers>

namespace kalaba::formula {
namespace {

/// "at i = 1, j = 2 "
std::string where(const Bindings* bindings) {
  std::string text;
  if (bindings == nullptr) return text;
  for (const auto& [counter, value] : *bindings) {
    text += (text.empty() ? "at " : ", ") + counter + " = " + std::to_string(value);
  }
  return text.empty() ? text : text + " ";
}

std::string element(const std::string& name, long index) { return name + "[" + std::to_string(index) + "]"; }

Op op_of(Sort sort) {
  switch (sort) {
    case Sort::parameter:
      return Op::parameter;
    case Sort::coordinate:
      return Op::coordinate;
    case Sort::ideal_force:
      return Op::ideal;
    case Sort::observed:
      return Op::observed;
    default:
      return Op::rate;
  }
}

}  // namespace

std::optional<long> bound_to(const Bindings& bindings, const std::string& name) {
  const auto found = std::ranges::find(bindings, name, &Bindings::value_type::first);
  if (found == bindings.end()) return std::nullopt;
  return found->second;
}

const Meaning* Names::find(const std::string& name) const {
  const auto found = meanings_.find(name);
  return found == meanings_.end() ? nullptr : &found->second;
}

std::optional<long> Names::count(const std::string& name) const {
  const Meaning* meaning = find(name);
  if (meaning == nullptr || meaning->sort != Sort::count) return std::nullopt;
  return meaning->first;
}

std::vector<std::string> Names::counts() const {
  std::vector<std::string> names;
  for (const auto& [name, meaning] : meanings_) {
    if (meaning.sort == Sort::count) names.push_back(name);
  }
  return names;
}

const Meaning& Names::meaning(const std::string& name, const Spot& spot) const {
  if (const Meaning* found = find(name)) return *found;
  std::vector<std::string> words = {"t", "pi"};
  for (const auto& each : meanings_) words.push_back(each.first);
  for (const auto& each : values_) words.push_back(each.first);
  for (const auto& [counter, value] : *spot.bindings) words.push_back(counter);
  throw unknown_word("there is no " + shortened(name), spot.word, name, std::move(words));
}

void Names::check_index(const std::string& name, const Meaning& meaning, std::optional<long> index,
                        const Spot& spot) const {
  if (meaning.members == 0) {
    if (index) throw Fault(name + " is no family: write " + name + " without an index", spot.all);
    return;
  }
  if (!index) {
    throw Fault(name + " is a family over " + meaning.over + ": write " + name + "[i] or " + name + "[1]", spot.all);
  }
  if (*index >= 1 && *index <= meaning.members) return;
  const std::string wanted = element(name, *index);
  throw Fault(where(spot.bindings) + "there is no " + wanted + "; define it under [model.let]: \"" + wanted + "\" = 0",
              spot.all);
}

Value Names::symbol(Sort sort, int index) const { return {graph_.symbol(op_of(sort), index), unit_of(sort, index)}; }

Unit Names::unit_of(Sort sort, int index) const {
  const auto found = units_of_.find(sort);
  const auto at = static_cast<std::size_t>(index);
  return found == units_of_.end() || at >= found->second.size() ? units_.fresh() : found->second[at];
}

Value Names::value(const std::string& name, std::optional<long> index, const Spot& spot) const {
  if (!index && name == "t") return {graph_.symbol(Op::time, 0), time_};
  if (!index && name == "pi") return {graph_.number(std::numbers::pi), {}};
  if (index) {
    const auto found = elements_.find({name, *index});
    if (found != elements_.end()) return define_(found->second, 0, spot.all);
  }
  if (const auto known = values_.find(name); known != values_.end()) {
    if (index) throw Fault(name + " is no family: write " + name + " without an index", spot.all);
    return known->second;
  }
  const Meaning& found = meaning(name, spot);
  check_index(name, found, index, spot);
  if (found.sort == Sort::count) return {graph_.number(found.first), {}};
  if (found.sort == Sort::definition) return define_(found.first, index.value_or(0), spot.all);
  return symbol(found.sort, found.members > 0 ? found.at(*index) : found.first);
}

TableMeaning Names::table(const std::string& name, Interpolation between, Span at) const {
  if (!find_table_) throw Fault("tables are for models, parameters and starts, not for what is watched or drawn", at);
  return find_table_(name, between, at);
}

void Names::add_multiplier(const std::string& name, long member, Unit unit) {
  const int place = static_cast<int>(multipliers_.size());
  multipliers_.emplace(std::pair(name, member), std::pair(place, std::move(unit)));
}

int Names::rates_with_force() const {
  const auto forces = units_of_.find(Sort::ideal_force);
  return forces == units_of_.end() ? 0 : static_cast<int>(forces->second.size());
}

std::optional<Value> Names::multiplier(const std::string& name, std::optional<long> index, const Spot& spot) const {
  const auto is_named = [&](const auto& each) { return each.first.first == name; };
  if (std::ranges::none_of(multipliers_, is_named)) return std::nullopt;
  const auto found = multipliers_.find({name, index.value_or(0)});
  if (found == multipliers_.end()) {
    throw Fault(multipliers_.contains({name, 0})
                    ? name + " is no family: write " + name + " without an index"
                    : where(spot.bindings) + "there is no such constraint: " + name + " is a family",
                spot.all);
  }
  return Value{graph_.symbol(Op::ideal, rates_with_force() + found->second.first), found->second.second};
}

Value Names::ideal(const std::string& name, std::optional<long> index, const Spot& spot) const {
  if (find(name) == nullptr) {
    if (const std::optional<Value> value = multiplier(name, index, spot)) return *value;
    std::vector<std::string> words;
    for (const auto& [word, meaning] : meanings_) {
      if (meaning.sort == Sort::rate || (meaning.sort == Sort::coordinate && ideal_by_coordinate_))
        words.push_back(word);
    }
    for (const auto& [constraint, value] : multipliers_) words.push_back(constraint.first);
    throw unknown_word("there is no coordinate, rate or constraint " + shortened(name), spot.word, name,
                       std::move(words));
  }
  const Meaning& found = meaning(name, spot);
  check_index(name, found, index, spot);
  const int rate = found.members > 0 ? found.at(*index) : found.first;
  const bool is_rate = found.sort == Sort::rate && rate < rates_with_force();
  if (!is_rate && !(found.sort == Sort::coordinate && ideal_by_coordinate_)) {
    throw Fault(std::string("expected ideal. and the name of a ") + (ideal_by_coordinate_ ? "coordinate or " : "") +
                    "rate, found " + name,
                spot.all);
  }
  return symbol(Sort::ideal_force, rate);
}

std::string Names::label(const Node& symbol) const {
  if (symbol.op == Op::time) return "t";
  const Sort sort = symbol.op == Op::parameter    ? Sort::parameter
                    : symbol.op == Op::coordinate ? Sort::coordinate
                                                  : Sort::rate;
  const auto found = labels_.find(sort);
  const auto at = static_cast<std::size_t>(symbol.index);
  return found == labels_.end() || at >= found->second.size() ? "?" : found->second[at];
}

}  // namespace kalaba::formula
