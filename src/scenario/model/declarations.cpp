#include "scenario/model/declarations.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <set>
#include <utility>

#include "formula/graph/functions.hpp"
#include "formula/mechanics/defaults.hpp"
#include "kalaba/event.hpp"
#include "text/nearest.hpp"
#include "text/parse.hpp"

namespace kalaba::text_model {
namespace {

using formula::Meaning;
using formula::Sort;
using formula::Unit;

/// Attributes of the entry of a parameter, a coordinate or a rate.
struct SaidNumber {
  double value = 0;
  std::string unit;  ///< as in the text; empty: not given
  std::string meaning;
};

/// `advice` is added to the message of a fault.
Unit unit_at(const Node& node, const std::string& text, std::size_t offset, const std::string& advice = "") {
  try {
    return formula::parse_unit(text);
  } catch (const formula::UnitFault& fault) {
    fail_at(node, formula::Fault(fault.message + advice, formula::Span{offset + fault.begin, offset + fault.end}));
  }
}

constexpr std::string_view blank = " \t\n\r";

/// Reads "1.3 kg".
void read_amount(const Node& node, SaidNumber& said) {
  if (node.is_number()) {
    said.value = node.number();
    return;
  }
  if (!node.is_text()) node.expected("a number with a unit, such as \"1.5 kg\"");
  const std::string text = node.text();
  const std::size_t begin = std::min(text.find_first_not_of(" \t+"), text.size());
  const auto [end, error] = std::from_chars(text.data() + begin, text.data() + text.size(), said.value);
  if (error != std::errc() || !std::isfinite(said.value)) node.expected("a number with a unit, such as \"1.5 kg\"");
  const auto at = static_cast<std::size_t>(end - text.data());
  unit_at(node, text.substr(at), at);
  said.unit = in_one_line(std::string(trimmed(std::string_view(text).substr(at), blank)));
}

void read_unit(const Node& node, SaidNumber& said, const std::string& advice = "") {
  const std::string text = node.is_text() && node.found() == "\"\"" ? "" : node.text();
  unit_at(node, text, 0, advice);
  said.unit = in_one_line(std::string(trimmed(text, blank)));
}

SaidNumber read_parameter(const Node& node) {
  SaidNumber said;
  if (!node.is_table()) {
    read_amount(node, said);
    return said;
  }
  refuse_other_keys(node, {"default", "unit", "meaning"});
  const auto value = entry_of(node, "default");
  if (!value) node.fail("default is missing; add default = \"1 kg\"");
  read_amount(*value, said);
  if (const auto unit = entry_of(node, "unit")) {
    if (!said.unit.empty()) unit->fail("the default has a unit already; leave out one of the two");
    read_unit(*unit, said);
  }
  if (const auto meaning = entry_of(node, "meaning")) said.meaning = in_one_line(meaning->text());
  return said;
}

SaidNumber read_variable(const Node& node) {
  SaidNumber said;
  if (!node.is_table()) {
    if (!node.is_text()) node.expected("a unit such as \"m\", or { unit = \"m\", meaning = \"...\" }");
    read_unit(node, said, "; start values are stated in [model.start]");
    return said;
  }
  refuse_other_keys(node, {"unit", "meaning"});
  if (const auto unit = entry_of(node, "unit")) read_unit(*unit, said);
  if (const auto meaning = entry_of(node, "meaning")) said.meaning = in_one_line(meaning->text());
  return said;
}

/// Stores the attributes of every entry, and returns the units of the flattened variables.
template <class Read>
std::vector<Unit> fill(Draft& draft, const std::vector<Declared>& declared, const Read& read,
                       std::vector<Variable>& variables) {
  variables = labelled(declared);
  std::vector<Unit> units(variables.size());
  for (const Declared& each : declared) {
    const SaidNumber said = read(each.node);
    const Unit unit = said.unit.empty() ? draft.units.fresh(each.key.name) : formula::parse_unit(said.unit);
    for (long i = 1; i <= std::max(each.meaning.members, 1L); ++i) {
      const auto at = static_cast<std::size_t>(each.meaning.at(i));
      variables[at].unit = said.unit;
      variables[at].value = said.value;
      variables[at].meaning = said.meaning;
      units[at] = unit;
    }
  }
  return units;
}

/// Registers the names, and the output names that differ from them.
void add_names(Draft& draft, Sort sort, const std::vector<Declared>& declared, const std::vector<Variable>& variables,
               const std::vector<Unit>& units) {
  const std::vector<std::string> labels = names_of(variables);
  draft.names.set_labels(sort, labels);
  draft.names.set_units(sort, units);
  for (const Declared& each : declared) draft.names.add(each.key.name, each.meaning);
  for (std::size_t i = 0; i < labels.size(); ++i) {
    if (draft.names.find(labels[i]) == nullptr) {
      draft.names.add(labels[i], {.sort = sort, .first = static_cast<int>(i)});
    }
  }
}

std::string per_second(const Draft& draft, const std::string& unit, const Unit& resolved) {
  if (unit.empty()) return "";
  const bool simple = unit.find_first_of("/ *^") == std::string::npos;
  return simple ? unit + "/s" : draft.units.text(resolved / Unit::seconds());
}

/// Derived names: x_dot or p_x for x.
std::vector<Declared> derived(const Draft& draft, const std::vector<Declared>& coordinates, bool momenta) {
  std::vector<Declared> rates = coordinates;
  for (Declared& each : rates) {
    each.key.name = momenta ? "p_" + each.key.name : each.key.name + "_dot";
    each.meaning.sort = Sort::rate;
    if (draft.names.find(each.key.name) != nullptr) {
      each.node.fail(fmt::format("its {} would be called {}, and that is the name of something else",
                                 momenta ? "momentum" : "rate", each.key.name));
    }
  }
  return rates;
}

void refuse_equal_labels(const Draft& draft) {
  const SystemInfo& info = draft.statement.info;
  std::set<std::string> labels;
  for (const auto* variables : {&info.parameters, &info.coordinates, &info.rates}) {
    for (const Variable& each : *variables) {
      if (!labels.insert(each.name).second) {
        draft.model.fail(fmt::format("two of its variables would be called {} in the output", each.name));
      }
    }
  }
}

}  // namespace

void read_parameters(Draft& draft) {
  const auto table = draft.section("parameters");
  if (!table) return;
  const std::vector<Declared> declared = declare(draft, *table, Sort::parameter);
  std::vector<Variable>& variables = draft.statement.info.parameters;
  draft.parameter_units = fill(draft, declared, read_parameter, variables);
  add_names(draft, Sort::parameter, declared, variables, draft.parameter_units);
}

namespace {

/// Attributes of a discrete variable.
struct SaidDiscrete {
  SaidNumber number;
  std::optional<Node> start;  ///< none: 0
};

SaidDiscrete read_discrete_variable(const Node& node) {
  if (!node.is_table()) return {{}, node};
  refuse_other_keys(node, {"start", "unit", "meaning"});
  SaidDiscrete said;
  said.start = entry_of(node, "start");
  if (const auto unit = entry_of(node, "unit")) read_unit(*unit, said.number);
  if (const auto meaning = entry_of(node, "meaning")) said.number.meaning = in_one_line(meaning->text());
  return said;
}

/// Adds the start of a discrete variable to the graph.
formula::Id start_of(Draft& draft, const SaidDiscrete& said, const std::string& name, const Unit& unit,
                     const formula::Bindings& bindings) {
  if (!said.start) return draft.graph.number(0);
  Wanted wanted;
  wanted.rules.allowed = formula::on_parameters;
  wanted.rules.whose = "the start of a discrete variable";
  wanted.rules.made_of = "parameters";
  wanted.unit = unit;
  wanted.what = name;
  return take(draft, read_written(*said.start), bindings, wanted).id;
}

}  // namespace

void read_discrete(Draft& draft, const std::vector<DelayedValue>& delayed) {
  const auto table = draft.section("discrete");
  if (!table) return;
  SystemInfo& info = draft.statement.info;
  std::vector<Declared> declared = declare(draft, *table, Sort::parameter);
  const auto first = static_cast<int>(info.parameters.size());
  std::vector<Variable> variables = labelled(declared);
  std::vector<formula::Id>& starts = draft.statement.discrete_start;
  starts.resize(variables.size());
  std::vector<Unit> units(variables.size());
  std::vector<Use>* const uses_go_to = std::exchange(draft.uses_go_to, nullptr);
  for (Declared& each : declared) {
    const SaidDiscrete said = read_discrete_variable(each.node);
    const Unit unit =
        said.number.unit.empty() ? draft.units.fresh(each.key.name) : formula::parse_unit(said.number.unit);
    for (long i = 1; i <= std::max(each.meaning.members, 1L); ++i) {
      const auto at = static_cast<std::size_t>(each.meaning.at(i));
      formula::Bindings bindings;
      if (each.meaning.members > 0) bindings = {{each.key.counter, i}};
      starts[at] = start_of(draft, said, variables[at].name, unit, bindings);
      variables[at].unit = said.number.unit;
      variables[at].meaning = said.number.meaning;
      units[at] = unit;
    }
    each.meaning.first += first;
  }
  draft.uses_go_to = uses_go_to;
  for (const DelayedValue& each : delayed) {
    const auto target = std::ranges::find(variables, each.target, &Variable::name);
    if (target == variables.end()) continue;  // an error of the clock
    const auto at = static_cast<std::size_t>(target - variables.begin());
    for (int ticks = 1; ticks <= each.delay; ++ticks) {
      Variable stored = variables[at];
      stored.name = delayed_name(each.target, each.clock, ticks);
      stored.meaning = "";
      variables.push_back(std::move(stored));
      units.push_back(units[at]);
      starts.push_back(starts[at]);
    }
  }
  info.discrete = static_cast<int>(variables.size());
  info.parameters.insert(info.parameters.end(), variables.begin(), variables.end());
  draft.parameter_units.insert(draft.parameter_units.end(), units.begin(), units.end());
  const std::vector<double> values = formula::at_defaults(draft.graph, starts, info);
  for (std::size_t i = 0; i < values.size(); ++i) {
    info.parameters[static_cast<std::size_t>(first) + i].value = values[i];
  }
  add_names(draft, Sort::parameter, declared, info.parameters, draft.parameter_units);
}

namespace {

std::vector<Declared> declare_coordinates(const Draft& draft) {
  const auto table = draft.section("coordinates");
  if (!table) draft.model.fail("[model.coordinates] is missing; add it, with a line such as x = \"m\"");
  std::vector<Declared> declared = declare(draft, *table, Sort::coordinate);
  if (declared.empty()) table->fail("expected a coordinate, such as x = \"m\"");
  return declared;
}

/// The one of the three tables that the model has.
std::optional<Node> rates_table(Draft& draft) {
  std::optional<Node> table;
  draft.rates_word = draft.section("hamiltonian") ? "momenta" : "rates";
  for (const char* name : {"rates", "momenta", "quasi_velocities"}) {
    const auto here = draft.section(name);
    if (!here) continue;
    if (table) here->fail("expected one of rates, momenta and quasi_velocities; found two");
    table = here;
    draft.rates_word = name == std::string("quasi_velocities") ? "quasi-velocities" : name;
  }
  if (draft.section("hamiltonian") && draft.rates_word != "momenta") {
    table->fail("a Hamiltonian is of momenta: write [model.momenta], or leave it out");
  }
  return table;
}

void read_derived_rates(Draft& draft, bool momenta) {
  SystemInfo& info = draft.statement.info;
  const std::vector<Declared> declared = derived(draft, draft.coordinates, momenta);
  info.rates = labelled(declared);
  for (std::size_t i = 0; i < info.rates.size(); ++i) {
    const Unit& unit = draft.coordinate_units[i];
    draft.rate_units.push_back(momenta ? draft.units.fresh(info.rates[i].name) : unit / draft.second);
    if (!momenta) info.rates[i].unit = per_second(draft, info.coordinates[i].unit, unit);
  }
  add_names(draft, Sort::rate, declared, info.rates, draft.rate_units);
}

/// Adds the names of velocities that are not rates, as symbols after the rates.
void add_velocities(Draft& draft) {
  std::vector<Unit> units = draft.rate_units;
  std::vector<std::string> labels = names_of(draft.statement.info.rates);
  for (const Variable& each : draft.statement.info.coordinates) labels.push_back(each.name + "_dot");
  for (const Unit& unit : draft.coordinate_units) units.push_back(unit / draft.second);
  draft.names.set_units(Sort::rate, units);
  draft.names.set_labels(Sort::rate, labels);
  for (const Declared& each : draft.coordinates) {
    const std::string name = each.key.name + "_dot";
    if (draft.names.find(name) != nullptr) continue;
    Meaning meaning = each.meaning;
    meaning.sort = Sort::rate;
    meaning.first += draft.nw();
    draft.names.add(name, meaning);
  }
}

void name_ideal_forces(Draft& draft) {
  std::vector<Unit> forces;
  for (int i = 0; i < draft.nw(); ++i) forces.push_back(draft.force_unit(i));
  draft.names.set_ideal_force(std::move(forces), !draft.has_velocity);
}

}  // namespace

int add_discrete(Draft& draft, const std::string& name, const std::string& meaning, formula::Unit unit) {
  SystemInfo& info = draft.statement.info;
  info.parameters.push_back({name, "", 0, meaning});
  draft.parameter_units.push_back(std::move(unit));
  draft.statement.discrete_start.push_back(draft.graph.number(0));
  ++info.discrete;
  return static_cast<int>(info.parameters.size()) - 1;
}

void name_parameters(Draft& draft) {
  draft.names.set_units(Sort::parameter, draft.parameter_units);
  draft.names.set_labels(Sort::parameter, names_of(draft.statement.info.parameters));
}

void read_coordinates(Draft& draft) {
  draft.coordinates = declare_coordinates(draft);
  const std::vector<Declared>& declared = draft.coordinates;
  std::vector<Variable>& variables = draft.statement.info.coordinates;
  draft.coordinate_units = fill(draft, declared, read_variable, variables);
  add_names(draft, Sort::coordinate, declared, variables, draft.coordinate_units);
  const auto unstated = [](const Variable& each) { return each.unit.empty(); };
  if (std::ranges::all_of(draft.statement.info.parameters, unstated) && std::ranges::all_of(variables, unstated)) {
    draft.second = draft.units.fresh("t");
    draft.names.set_time_unit(draft.second);
    draft.statement.info.has_time_unit = false;
  }
}

void read_rates(Draft& draft) {
  SystemInfo& info = draft.statement.info;
  const std::optional<Node> table = rates_table(draft);
  const bool momenta = draft.rates_word == "momenta";
  const bool has_velocity = draft.section("velocity").has_value();
  if (draft.rates_word == "quasi-velocities" && !has_velocity) {
    table->fail(
        "quasi-velocities need [model.velocity], which states the rates of the coordinates as functions of them");
  }
  draft.rates_are_velocities = !momenta && !has_velocity;
  draft.has_velocity = has_velocity;
  draft.statement.quasi_velocities = draft.section("lagrangian").has_value() && has_velocity;
  info.formulation = momenta ? Formulation::hamilton : has_velocity ? Formulation::kane : Formulation::lagrange;
  if (table) {
    const std::vector<Declared> declared = declare(draft, *table, Sort::rate);
    if (declared.empty()) table->fail("expected an entry such as x_dot = \"m/s\"");
    draft.rate_units = fill(draft, declared, read_variable, info.rates);
    if (draft.rates_are_velocities || draft.section("hamiltonian")) {
      if (draft.nq() != draft.nw()) {
        table->fail(fmt::format("expected one for each of the {} coordinates, in their order, found {}", draft.nq(),
                                draft.nw()));
      }
    }
    add_names(draft, Sort::rate, declared, info.rates, draft.rate_units);
  } else if (has_velocity && !momenta) {
    draft.section("velocity")
        ->fail("states the rates of the coordinates as functions of others; name these under [model.quasi_velocities]");
  } else {
    read_derived_rates(draft, momenta);
  }
  if (has_velocity && !momenta) add_velocities(draft);
  name_ideal_forces(draft);
  refuse_equal_labels(draft);
}

namespace {

/// Declares coordinates or rates of a mechanism, one of each name.
std::vector<Declared> declare_all(Draft& draft, Sort sort, const std::vector<MechanismFreedom>& freedoms,
                                  std::vector<Variable>& variables, std::vector<Unit>& units) {
  std::vector<Declared> declared;
  for (const MechanismFreedom& each : freedoms) {
    if (formula::is_reserved(each.name)) {
      each.node.fail(fmt::format("{} means something in every expression; choose another name", each.name));
    }
    if (draft.names.find(each.name) != nullptr) {
      each.node.fail(fmt::format("its {} would be called {}, and that is the name of something else",
                                 sort == Sort::rate ? "rate" : "coordinate", each.name));
    }
    refuse_column(each.node, each.name);
    Key key;
    key.name = each.name;
    declared.push_back({each.node, key, {.sort = sort, .first = static_cast<int>(declared.size())}});
    Variable variable;
    variable.name = each.name;
    variable.unit = each.unit_text;
    variables.push_back(variable);
    units.push_back(each.unit);
  }
  add_names(draft, sort, declared, variables, units);
  return declared;
}

}  // namespace

void declare_freedoms(Draft& draft, const std::vector<MechanismFreedom>& coordinates,
                      const std::vector<MechanismFreedom>& rates, bool has_velocity) {
  SystemInfo& info = draft.statement.info;
  draft.rates_word = has_velocity ? "quasi-velocities" : "rates";
  draft.has_velocity = has_velocity;
  draft.rates_are_velocities = !has_velocity;
  draft.statement.quasi_velocities = draft.section("lagrangian").has_value() && has_velocity;
  info.formulation = has_velocity ? Formulation::kane : Formulation::lagrange;
  draft.coordinates = declare_all(draft, Sort::coordinate, coordinates, info.coordinates, draft.coordinate_units);
  declare_all(draft, Sort::rate, rates, info.rates, draft.rate_units);
  if (has_velocity) add_velocities(draft);
  name_ideal_forces(draft);
  refuse_equal_labels(draft);
}

}  // namespace kalaba::text_model
