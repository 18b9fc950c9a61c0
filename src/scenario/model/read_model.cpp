#include "scenario/model/read_model.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <utility>

#include "formula/make_system.hpp"
#include "formula/mechanics/derive.hpp"
#include "kalaba/system.hpp"
#include "scenario/document/toml_text.hpp"
#include "scenario/model/contacts.hpp"
#include "scenario/model/definitions.hpp"
#include "scenario/model/figures.hpp"
#include "scenario/model/mechanics.hpp"
#include "scenario/model/mechanism_text.hpp"
#include "scenario/model/noise.hpp"
#include "scenario/model/start.hpp"
#include "scenario/read_events.hpp"
#include "scenario/read_options.hpp"
#include "scenario/read_time.hpp"
#include "text/nearest.hpp"

namespace kalaba::text_model {
namespace {

const std::vector<std::string> keys = {
    "name",     "summary",    "source",        "note",         "structure", "parameters",
    "discrete", "clocks",     "coordinates",   "rates",        "momenta",   "quasi_velocities",
    "let",      "lagrangian", "hamiltonian",   "mass",         "metric",    "singular_metric",
    "force",    "velocity",   "holonomic",     "nonholonomic", "non_ideal", "actuation",
    "gain",     "energy",     "valid",         "invariants",   "outputs",   "start",
    "time",     "events",     "stabilization", "figures",      "tables",    "unilateral",
    "impacts",  "noise"};

std::string read_name(const Draft& draft) {
  const auto node = draft.section("name");
  if (!node) draft.model.fail("name is missing; add name = \"...\", a word of letters, digits and _");
  const std::string name = node->text();
  const auto in_word = [](unsigned char c) { return std::isalnum(c) || c == '_' || c == '-'; };
  if (name.size() > 64 || !std::ranges::all_of(name, in_word)) {
    node->expected("a word of letters, digits, _ and -, at most 64");
  }
  if (name == "swarm") node->fail("swarm is the name of what moves any number of agents; choose another one");
  return name;
}

void read_words(Draft& draft) {
  SystemInfo& info = draft.statement.info;
  info.name = read_name(draft);
  const std::pair<const char*, std::string*> words[] = {
      {"summary", &info.summary}, {"source", &info.source}, {"note", &info.note}};
  for (const auto& [key, word] : words) {
    if (const auto node = draft.section(key)) *word = in_one_line(node->text());
  }
}

void read_time_and_stabilization(Draft& draft, Document& document) {
  SystemInfo& info = draft.statement.info;
  info.time = {.start = 0, .end = 10, .dt = 1e-3, .save_every = 100};
  if (const auto table = draft.section("time")) {
    refuse_other_keys(*table, {"start", "end", "dt", "save_every"});
    info.time = read_time(document, info.time, "model.time");
  }
  const bool servo = !draft.statement.actuation.empty();
  if (servo) info.stabilization = Stabilization::none();
  if (const auto node = draft.section("stabilization")) info.stabilization = read_stabilization(*node, servo);
}

/// Fails for an initial value that depends on a discrete variable.
void refuse_discrete_starts(const Draft& draft) {
  for (const Use& use : draft.start_uses) {
    for (const auto& [span, id] : use.lowered.leaves) {
      const formula::Node& leaf = draft.graph[id];
      if (leaf.op != formula::Op::parameter || leaf.index < draft.statement.info.first_discrete()) continue;
      fail_at(use.node, formula::Fault("initial values do not depend on discrete variables", span));
    }
  }
}

/// Reads all sections that contain equations.
void read_equations(Draft& draft, MechanismText* mechanism) {
  if (mechanism != nullptr) mechanism->read_geometry();
  read_velocity(draft);
  read_energies(draft);
  if (mechanism == nullptr) read_metric(draft);
  read_forces(draft);
  if (mechanism != nullptr) mechanism->add_terms();
  read_constraints(draft);
  if (mechanism != nullptr) mechanism->check_constraints();
  read_non_ideal(draft);
  read_gains(draft);
  draft.uses_go_to = nullptr;
  read_noise(draft);
  read_observables(draft);
  if (mechanism != nullptr) {
    mechanism->add_outputs();
    mechanism->add_reactions();
  }
  draft.uses_go_to = &draft.start_uses;
  read_start(draft);
  draft.uses_go_to = nullptr;
  refuse_discrete_starts(draft);
}

/// Stores the units that were inferred from other units; units that remain unknown stay empty.
void fill_units(Draft& draft) {
  const auto text = [&](const formula::Unit& unit) {
    return draft.units.resolve(unit).is_known() ? draft.units.text(unit) : std::string();
  };
  const auto fill = [&](std::vector<Variable>& variables, const std::vector<formula::Unit>& units) {
    for (std::size_t i = 0; i < variables.size(); ++i) {
      if (variables[i].unit.empty()) variables[i].unit = text(units[i]);
    }
  };
  formula::Statement& statement = draft.statement;
  fill(statement.info.parameters, draft.parameter_units);
  fill(statement.info.coordinates, draft.coordinate_units);
  fill(statement.info.rates, draft.rate_units);
  for (auto* equations : {&statement.holonomic, &statement.nonholonomic, &statement.invariants}) {
    for (formula::Equation& each : *equations) each.unit = text(draft.row_units[each.name]);
  }
  for (formula::Equation& each : statement.reactions) {
    if (text(draft.row_units[each.name]).empty()) each.unit.clear();
  }
}

/// Derives the equations of motion; reports an error of the derivation at the section that it concerns.
formula::Terms derived(Draft& draft) {
  try {
    return formula::derive(draft.graph, draft.statement);
  } catch (const formula::StatementError& error) {
    draft.section(error.part).value_or(draft.model).fail(error.what());
  } catch (const Error& error) {  // too large
    draft.model.fail(error.what());
  }
}

std::string kink_of(const Draft& draft) {
  for (const Use& use : draft.uses) {
    if (use.lowered.kinks.empty()) continue;
    return fmt::format("{}: {} has kinks", use.node.where(), use.lowered.kinks.front().function);
  }
  return "";
}

void collect_lines(const Node& table, const std::string& name, std::string& text) {
  text += fmt::format("\n[{}]\n", name);
  std::vector<Node> tables;
  for (const Node& entry : table.entries()) {
    if (entry.is_table()) {
      tables.push_back(entry);
    } else {
      text += fmt::format("{} = {}\n", toml_key(entry.name()), entry.to_toml());
    }
  }
  for (const Node& each : tables) {
    text += fmt::format("\n[{}.{}]\n", name, toml_key(each.name()));
    for (const Node& entry : each.entries()) {
      text += fmt::format("{} = {}\n", toml_key(entry.name()), entry.to_toml());
    }
  }
}

}  // namespace

std::string table_toml(const Node& table, const std::string& name) {
  std::string text;
  collect_lines(table, name, text);
  return text;
}

/// The table [model] as TOML, including the contents of the files that it reads.
std::string model_toml(const Draft& draft) {
  std::string text = table_toml(draft.model, "model");
  const std::string files = draft.tables.read_files();
  if (files.empty()) return text;
  const std::string heading = "\n[model.tables]\n";
  const std::size_t place = text.find(heading);
  if (place == std::string::npos) return text + heading + files;
  return text.insert(place + heading.size(), files);
}

namespace {

/// Reports each discrete variable like an invariant that varies.
void add_discrete(Draft& draft) {
  formula::Statement& statement = draft.statement;
  const SystemInfo& info = statement.info;
  for (int i = info.first_discrete(); i < static_cast<int>(info.parameters.size()); ++i) {
    const Variable& each = info.parameters[static_cast<std::size_t>(i)];
    if (is_internal(each)) continue;
    statement.invariants.push_back({each.name, each.unit, each.meaning, draft.graph.symbol(formula::Op::parameter, i)});
    statement.info.invariance.push_back(Invariance::free);
  }
}

}  // namespace

Model read_model(Document& document, const AskedStructure& asked, const std::optional<Node>& clocks) {
  const auto node = document.find("model");
  if (!node) document.fail_missing("model", "add [model], the table of a model");
  if (!node->is_table()) node->expected("a table");
  std::vector<std::string> known = keys;
  known.insert(known.end(), MechanismText::keys().begin(), MechanismText::keys().end());
  refuse_other_keys(*node, known);
  const auto owned = std::make_unique<Draft>(*node);  // its readers hold references into it
  Draft& draft = *owned;
  read_words(draft);
  read_structure(draft, asked);
  read_parameters(draft);
  const std::optional<Node> own_clocks = draft.section("clocks");
  read_discrete(draft, delayed_values(clocks ? *clocks : own_clocks));
  declare_contacts(draft);
  declare_noise(draft);
  const std::unique_ptr<MechanismText> mechanism = MechanismText::of(draft);
  if (mechanism != nullptr) {
    mechanism->declare();
  } else {
    read_coordinates(draft);
    read_rates(draft);
  }
  Definitions definitions(draft);
  read_equations(draft, mechanism.get());
  definitions.finish();
  read_time_and_stabilization(draft, document);
  fill_units(draft);
  add_discrete(draft);
  read_figures(draft);
  formula::Terms terms = derived(draft);
  complete_contacts(draft, terms);
  Model model;
  if (mechanism != nullptr) {
    mechanism->find_mobility(terms);
    model.mechanism = mechanism->description();
    model.picture = std::make_shared<const MechanismPicture>(mechanism->picture());
  }
  model.contacts = std::move(draft.contact_texts);
  model.start = report_start(draft, terms);
  model.kink = kink_of(draft);
  model.toml = model_toml(draft);
  if (const auto events = draft.section("events")) {
    model.events = read_event_tables(*events, formula::describe(draft.statement, terms));
  }
  if (own_clocks && !clocks) {
    model.clocks = read_clock_tables(*own_clocks, formula::describe(draft.statement, terms), model.events);
  }
  model.graph = std::move(draft.graph);
  model.statement = std::move(draft.statement);
  return model;
}

}  // namespace kalaba::text_model
