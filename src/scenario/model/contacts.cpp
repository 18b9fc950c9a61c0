#include "scenario/model/contacts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "formula/program.hpp"
#include "formula/traverse.hpp"
#include "formula/watched.hpp"
#include "scenario/document/toml_text.hpp"
#include "scenario/model/variables.hpp"

namespace kalaba::text_model {
namespace {

using formula::Rules;
using formula::Sort;
using formula::Value;

/// Attributes of a contact.
struct SaidContact {
  Node gap;
  std::optional<Node> restitution;
  ImpactLaw law = ImpactLaw::newton;
  std::string meaning;
};

/// Returns an expression as text.
std::string text_of(const Node& node) { return node.is_text() ? node.text() : toml_number(node.number()); }

SaidContact read_said(const Node& node) {
  if (!node.is_table()) node.expected("a table such as { gap = \"y - R\", restitution = 0.5 }");
  for (const char* key : {"friction", "slip"}) {
    if (const auto found = entry_of(node, key)) found->fail("friction of contacts is not supported yet");
  }
  refuse_other_keys(node, {"gap", "restitution", "law", "meaning"});
  const auto gap = entry_of(node, "gap");
  if (!gap) node.fail("gap is missing; add gap = \"...\", an expression that is positive where the contact is open");
  SaidContact said{gap->called_as(node), entry_of(node, "restitution"), ImpactLaw::newton, ""};
  if (const auto law = entry_of(node, "law")) {
    said.law = law->choice({"newton", "poisson"}) == 0 ? ImpactLaw::newton : ImpactLaw::poisson;
  }
  if (const auto meaning = entry_of(node, "meaning")) said.meaning = in_one_line(meaning->text());
  return said;
}

/// Program of an expression of a contact; fails for one that events cannot evaluate.
Expression program_of(const Draft& draft, const Node& node, formula::Id id) {
  const std::size_t length = node.is_text() ? node.text().size() : 1;
  return placed(node, [&] { return formula::watched_program(draft.graph, id, {0, length}); });
}

/// Evaluates the restitution at the default parameters; fails for a value that is not at least 0.
void check_restitution(const Draft& draft, const Node& node, formula::Id id) {
  std::vector<double> parameters;
  for (const Variable& each : draft.statement.info.parameters) parameters.push_back(each.value);
  formula::Inputs inputs;
  inputs.parameters = parameters.data();
  const double value = formula::Program(draft.graph, std::vector<formula::Id>{id})(inputs).front();
  if (value >= 0) return;
  node.fail(fmt::format("expected a restitution of at least 0, found {}",
                        std::isnan(value) ? "a value that is not a number" : fmt::format("{:g}", value)));
}

Value read_gap(Draft& draft, const Declared& each, const SaidContact& said, const Written& written, long member) {
  Wanted wanted;
  wanted.rules.allowed = formula::on_positions;
  wanted.rules.whose = "a gap";
  wanted.rules.made_of = "t and coordinates";
  wanted.rules.note = "a contact restrains positions";
  wanted.rules.rates = draft.rates_word;
  const Value value = take(draft, written, bindings_of(each, member), wanted);
  if (written.number || (draft.traits.depends_on(value.id) & formula::on_coordinates) == 0) {
    said.gap.fail("expected a gap that depends on coordinates, found " + said.gap.found());
  }
  return value;
}

formula::Id read_restitution(Draft& draft, const Declared& each, const SaidContact& said, long member) {
  if (!said.restitution) return draft.graph.number(0);
  Wanted wanted;
  wanted.rules.allowed = formula::on_parameters;
  wanted.rules.whose = "a restitution";
  wanted.rules.made_of = "parameters";
  wanted.unit = formula::Unit();
  wanted.what = "a restitution";
  std::vector<Use>* const uses_go_to = std::exchange(draft.uses_go_to, nullptr);
  const Written written = read_written(*said.restitution);
  const formula::Id id = take(draft, written, bindings_of(each, member), wanted).id;
  draft.uses_go_to = uses_go_to;
  check_restitution(draft, *said.restitution, id);
  return id;
}

/// Fails for parts of a model that do not go with contacts.
void check_model(const Draft& draft, const Node& table) {
  const formula::Statement& statement = draft.statement;
  const auto refuse = [&](bool has, const char* what) {
    if (has) table.fail(fmt::format("contacts do not go with {} yet", what));
  };
  refuse(!statement.non_ideal.empty(), "[model.non_ideal]");
  refuse(!statement.actuation.empty(), "[model.actuation]");
  refuse(statement.singular_metric, "singular_metric");
}

/// Adds a discrete variable; returns its index among the parameters.
int add_discrete(Draft& draft, const std::string& name, const std::string& meaning, formula::Unit unit) {
  SystemInfo& info = draft.statement.info;
  info.parameters.push_back({name, unit.is_one() && unit.is_known() ? "1" : "", 0, meaning});
  draft.parameter_units.push_back(std::move(unit));
  draft.statement.discrete_start.push_back(draft.graph.number(0));
  ++info.discrete;
  return static_cast<int>(info.parameters.size()) - 1;
}

}  // namespace

void declare_contacts(Draft& draft) {
  const auto table = draft.section("unilateral");
  if (!table) return;
  SystemInfo& info = draft.statement.info;
  draft.contacts = declare(draft, *table, Sort::parameter);
  const long count = count_of(draft.contacts);
  if (count > Watch::most_contacts) {
    table->fail(fmt::format("expected at most {} contacts, found {}", Watch::most_contacts, count));
  }
  for (const Variable& each : labelled(draft.contacts)) info.contacts.push_back({.name = each.name});
  const auto first = static_cast<int>(info.parameters.size());
  for (Contact& contact : info.contacts) {
    contact.mode = add_discrete(draft, contact.name + "_closed", "1 while the contact is closed, else 0", {});
  }
  for (Contact& contact : info.contacts) {
    contact.slack = add_discrete(draft, contact.name + "@slack", "", draft.units.fresh());
  }
  for (const Declared& each : draft.contacts) {
    formula::Meaning mode = each.meaning;
    mode.first += first;
    const std::string name = each.key.name + "_closed";
    refuse_column(each.node, name);
    if (draft.names.find(name) != nullptr) {
      each.node.fail(fmt::format("expected another name; {} is stated already", name));
    }
    draft.names.add(name, std::move(mode));
  }
  draft.names.set_units(Sort::parameter, draft.parameter_units);
  std::vector<std::string> labels;
  for (const Variable& each : info.parameters) labels.push_back(each.name);
  draft.names.set_labels(Sort::parameter, std::move(labels));
}

void read_contacts(Draft& draft) {
  const auto table = draft.section("unilateral");
  const auto order = draft.section("impacts");
  SystemInfo& info = draft.statement.info;
  if (order) {
    if (!table) order->fail("impacts states the order of impacts at contacts, and the model has no [model.unilateral]");
    info.impacts =
        order->choice({"simultaneous", "sequential"}) == 0 ? ImpactOrder::simultaneous : ImpactOrder::sequential;
  }
  if (!table) return;
  for (const Declared& each : draft.contacts) {
    if (draft.names.find(each.key.name) != nullptr) {
      each.node.fail(fmt::format("expected a new name; {} is stated already", each.key.name));
    }
    const SaidContact said = read_said(each.node);
    const Written written = read_written(said.gap);
    const std::optional<Node> law = entry_of(each.node, "law");
    draft.contact_texts.push_back({each.node.name(), text_of(said.gap),
                                   said.restitution ? text_of(*said.restitution) : "0", law ? law->text() : "newton"});
    for (long i = 1; i <= std::max(each.meaning.members, 1L); ++i) {
      const long member = each.meaning.members > 0 ? i : 0;
      Contact& contact = info.contacts[static_cast<std::size_t>(each.meaning.at(i))];
      const Value gap = read_gap(draft, each, said, written, member);
      const formula::Id value = draft.of_rates(gap.id);
      const formula::Id restitution = read_restitution(draft, each, said, member);
      contact.law = said.law;
      contact.row = static_cast<int>(draft.statement.holonomic.size());
      contact.gap = program_of(draft, said.gap, value);
      contact.restitution = program_of(draft, said.restitution.value_or(said.gap), restitution);
      const formula::Id mode = draft.graph.symbol(formula::Op::parameter, contact.mode);
      draft.statement.holonomic.push_back({contact.name, "", said.meaning, draft.graph.multiply(mode, value)});
      if (!draft.row_units.try_emplace(contact.name, gap.unit).second) {
        each.node.fail(fmt::format("expected a new name; {} is stated already", contact.name));
      }
      draft.names.add_multiplier(each.key.name, member, draft.energy / gap.unit);
    }
  }
}

namespace {

/// Text of the gap of a contact.
Node gap_of(const Draft& draft, const Contact& contact) {
  const int which = contact.mode - draft.statement.info.contacts.front().mode;
  for (const Declared& each : draft.contacts) {
    for (long i = 1; i <= std::max(each.meaning.members, 1L); ++i) {
      if (each.meaning.at(i) == which) return *entry_of(each.node, "gap");
    }
  }
  return draft.model;
}

}  // namespace

void complete_contacts(Draft& draft, const formula::Terms& terms) {
  const auto table = draft.section("unilateral");
  if (!table) return;
  check_model(draft, *table);
  for (Contact& contact : draft.statement.info.contacts) {
    const formula::Id mode = draft.graph.symbol(formula::Op::parameter, contact.mode);
    const formula::Id rate = formula::substitute(draft.graph, terms.phi_dot[static_cast<std::size_t>(contact.row)],
                                                 {{mode, draft.graph.number(1)}});
    const Node node = gap_of(draft, contact);
    contact.gap_rate = program_of(draft, node, rate);
    if (contact_event({}, 0, contact.gap, contact.gap_rate).size == 0) {
      node.fail("the gap and its rate are too long for the event of a contact");
    }
  }
}

}  // namespace kalaba::text_model
