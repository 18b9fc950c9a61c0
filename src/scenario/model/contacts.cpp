#include "scenario/model/contacts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "formula/graph/differentiate.hpp"
#include "formula/graph/program.hpp"
#include "formula/graph/traverse.hpp"
#include "formula/mechanics/open_contacts.hpp"
#include "formula/text/watched.hpp"
#include "scenario/document/toml_text.hpp"
#include "scenario/model/declarations.hpp"
#include "scenario/model/joint_limits.hpp"
#include "scenario/model/variables.hpp"

namespace kalaba::text_model {
namespace {

using formula::Rules;
using formula::Sort;
using formula::Value;

/// Attributes of a contact of [model.unilateral].
struct SaidContact {
  Node gap;
  std::optional<Node> restitution;
  ImpactLaw law = ImpactLaw::newton;
  std::string meaning;
  std::optional<Node> friction = std::nullopt;  ///< coefficient
  std::optional<Node> slip = std::nullopt;
};

/// Returns true for a limit of a joint, whose gap the mechanism states.
bool is_limit(const Draft& draft, const Declared& contact) { return draft.limits.contains(contact.key.name); }

/// Returns an expression as text.
std::string text_of(const Node& node) { return node.is_text() ? node.text() : toml_number(node.number()); }

/// The slip of a contact: a text, or a list of one.
std::optional<Node> slip_of(const Node& node) {
  const auto slip = entry_of(node, "slip");
  if (!slip || slip->is_text()) return slip;
  const std::vector<Node> texts = slip->items("a velocity, such as \"x_dot - R*th_dot\"");
  if (texts.size() == 2) slip->fail("friction along two directions is not supported yet: expected one velocity");
  if (texts.size() != 1) slip->expected("a list of one velocity, such as [\"x_dot - R*th_dot\"]");
  return texts.front();
}

SaidContact read_said(const Node& node) {
  if (!node.is_table()) node.expected("a table such as { gap = \"y - R\", restitution = 0.5 }");
  refuse_other_keys(node, {"gap", "restitution", "law", "friction", "slip", "meaning"});
  const auto gap = entry_of(node, "gap");
  if (!gap) node.fail("gap is missing; add gap = \"...\", an expression that is positive where the contact is open");
  SaidContact said{gap->called_as(node), entry_of(node, "restitution"), ImpactLaw::newton, ""};
  if (const auto law = entry_of(node, "law")) {
    said.law = law->choice({"newton", "poisson"}) == 0 ? ImpactLaw::newton : ImpactLaw::poisson;
  }
  if (const auto meaning = entry_of(node, "meaning")) said.meaning = in_one_line(meaning->text());
  said.friction = entry_of(node, "friction");
  said.slip = slip_of(node);
  if (said.friction && !said.slip) {
    said.friction->fail("slip is missing; add slip = [\"...\"], the velocity of the contact along its friction");
  }
  if (said.slip && !said.friction) said.slip->fail("friction is missing; add friction = ..., its coefficient");
  if (said.friction && said.law == ImpactLaw::poisson) {
    said.friction->fail("friction does not go with law = \"poisson\" yet");
  }
  return said;
}

/// Program of an expression of a contact; fails for one that events cannot evaluate.
Expression program_of(const Draft& draft, const Node& node, formula::Id id) {
  const std::size_t length = node.is_text() ? node.text().size() : 1;
  return placed(node, [&] { return formula::watched_program(draft.graph, id, {0, length}); });
}

/// Program of an expression that the model computes as an output in addition to those that it has.
Expression output_program(Draft& draft, formula::Equation output, formula::Terms& terms) {
  formula::Statement& statement = draft.statement;
  const auto index = static_cast<int>(statement.invariants.size());
  const WatchedRows rows = {index + 1, 0};
  Expression program;
  program.code[program.size++] = {Operation::observed, rows.invariant(index), 0};
  terms.invariants.push_back(output.value);
  statement.info.invariance.push_back(Invariance::free);
  statement.invariants.push_back(std::move(output));
  return program;
}

/// Evaluates a coefficient at the default parameters; fails for a value that is not at least 0.
void check_coefficient(const Draft& draft, const Node& node, formula::Id id, const std::string& what) {
  std::vector<double> parameters;
  for (const Variable& each : draft.statement.info.parameters) parameters.push_back(each.value);
  formula::Inputs inputs;
  inputs.parameters = parameters.data();
  const double value = formula::Program(draft.graph, std::vector<formula::Id>{id})(inputs).front();
  if (value >= 0) return;
  node.fail(fmt::format("expected {} of at least 0, found {}", what,
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

/// Reads a number without a unit that depends on parameters alone; 0 if it is not stated.
formula::Id read_coefficient(Draft& draft, const std::optional<Node>& node, const formula::Bindings& bindings,
                             const std::string& what) {
  if (!node) return draft.graph.number(0);
  Wanted wanted;
  wanted.rules.allowed = formula::on_parameters;
  wanted.rules.whose = what;
  wanted.rules.made_of = "parameters";
  wanted.unit = formula::Unit();
  wanted.what = what;
  std::vector<Use>* const uses_go_to = std::exchange(draft.uses_go_to, nullptr);
  const Written written = read_written(*node);
  const formula::Id id = take(draft, written, bindings, wanted).id;
  draft.uses_go_to = uses_go_to;
  check_coefficient(draft, *node, id, what);
  return id;
}

}  // namespace

formula::Id read_restitution(Draft& draft, const std::optional<Node>& node, const formula::Bindings& bindings) {
  return read_coefficient(draft, node, bindings, "a restitution");
}

namespace {

/// Fails for parts of a model that do not go with contacts.
void check_model(const Draft& draft, const Node& table) {
  const formula::Statement& statement = draft.statement;
  const auto refuse = [&](bool has, const char* what) {
    if (has) table.fail(fmt::format("contacts do not go with {} yet", what));
  };
  refuse(draft.section("non_ideal").has_value(), "[model.non_ideal]");
  refuse(!statement.actuation.empty(), "[model.actuation]");
  refuse(statement.singular_metric, "singular_metric");
}

}  // namespace

namespace {

/// Indices of the contacts of an entry: one, or those of a family.
std::vector<int> contacts_of(const Declared& each) {
  std::vector<int> contacts;
  for (long i = 1; i <= std::max(each.meaning.members, 1L); ++i) {
    contacts.push_back(static_cast<int>(each.meaning.at(i)));
  }
  return contacts;
}

}  // namespace

void declare_contacts(Draft& draft) {
  const auto table = draft.section("unilateral");
  if (table) draft.contacts = declare(draft, *table, Sort::parameter);
  for (const JointLimit& each : joint_limits(draft)) {
    Key key;
    key.name = each.name();
    const auto has_name = [&](const Declared& other) { return other.key.name == key.name; };
    if (std::ranges::any_of(draft.contacts, has_name)) {
      each.value.fail(
          fmt::format("the contact of this limit is called {}, which is stated already; choose another "
                      "name for the joint or the other contact",
                      key.name));
    }
    draft.contacts.push_back({each.value, key, {.sort = Sort::parameter, .first = count_of(draft.contacts)}});
  }
  if (draft.contacts.empty()) return;
  SystemInfo& info = draft.statement.info;
  const long count = count_of(draft.contacts);
  if (count > Watch::most_contacts) {
    (table ? *table : draft.contacts.back().node)
        .fail(fmt::format("expected at most {} contacts and limits, found {}", Watch::most_contacts, count));
  }
  for (const Variable& each : labelled(draft.contacts)) info.contacts.push_back({.name = each.name});
  for (Contact& contact : info.contacts) {
    contact.mode = add_discrete(draft, contact.name + "_closed", "1 while the contact is closed, else 0", {});
  }
  for (Contact& contact : info.contacts) {
    contact.slack = add_discrete(draft, contact.name + "@slack", "", draft.units.fresh());
  }
  for (const Declared& each : draft.contacts) {
    if (is_limit(draft, each) || !each.node.is_table() || !entry_of(each.node, "friction")) continue;
    for (const int contact : contacts_of(each)) {
      info.contacts[static_cast<std::size_t>(contact)].friction.emplace();
    }
  }
  for (Contact& contact : info.contacts) {
    if (!contact.friction) continue;
    contact.friction->sticks = add_discrete(draft, contact.name + "_sticks", "1 while the contact sticks, else 0", {});
  }
  for (Contact& contact : info.contacts) {
    if (!contact.friction) continue;
    contact.friction->slides =
        add_discrete(draft, contact.name + "_slides", "sign of the slip while the contact slides, else 0", {});
  }
  for (Contact& contact : info.contacts) {
    if (contact.friction)
      contact.friction->slack = add_discrete(draft, contact.name + "@slip", "", draft.units.fresh());
  }
  for (const Declared& each : draft.contacts) {
    const auto add = [&](const char* suffix, int place) {
      formula::Meaning meaning = each.meaning;
      meaning.first = place;
      const std::string name = each.key.name + suffix;
      refuse_column(each.node, name);
      if (draft.names.find(name) != nullptr) {
        each.node.fail(fmt::format("expected another name; {} is stated already", name));
      }
      draft.names.add(name, std::move(meaning));
    };
    const Contact& contact = info.contacts[static_cast<std::size_t>(contacts_of(each).front())];
    add("_closed", contact.mode);
    if (!contact.friction) continue;
    add("_sticks", contact.friction->sticks);
    add("_slides", contact.friction->slides);
  }
  name_parameters(draft);
}

namespace {

/// A contact as read, for one member of its family (0: none).
struct ReadContact {
  Value gap;
  Node gap_node;
  formula::Id restitution;
  Node restitution_node;
  ImpactLaw law = ImpactLaw::newton;
  std::string meaning;
};

void add_contact(Draft& draft, const Declared& declared, long member, ReadContact read) {
  Contact& contact = draft.statement.info.contacts[static_cast<std::size_t>(declared.meaning.at(std::max(member, 1L)))];
  contact.law = read.law;
  contact.row = static_cast<int>(draft.statement.holonomic.size());
  contact.restitution = program_of(draft, read.restitution_node, read.restitution);
  const formula::Id mode = draft.graph.symbol(formula::Op::parameter, contact.mode);
  draft.statement.holonomic.push_back({contact.name, "", read.meaning, draft.graph.multiply(mode, read.gap.id)});
  if (!draft.row_units.try_emplace(contact.name, read.gap.unit).second) {
    declared.node.fail(fmt::format("expected a new name; {} is stated already", contact.name));
  }
  draft.names.add_multiplier(declared.key.name, member, draft.energy / read.gap.unit);
}

}  // namespace

void read_contacts(Draft& draft) {
  const auto order = draft.section("impacts");
  SystemInfo& info = draft.statement.info;
  if (order) {
    if (draft.contacts.empty()) {
      order->fail(
          "impacts states the order of impacts at contacts, and the model has no [model.unilateral] and no limits");
    }
    info.impacts =
        order->choice({"simultaneous", "sequential"}) == 0 ? ImpactOrder::simultaneous : ImpactOrder::sequential;
  }
  for (const Declared& each : draft.contacts) {
    if (draft.names.find(each.key.name) != nullptr) {
      each.node.fail(fmt::format("expected a new name; {} is stated already", each.key.name));
    }
    if (is_limit(draft, each)) {
      const LimitTerms& limit = draft.limits.at(each.key.name);
      add_contact(draft, each, 0,
                  {limit.gap, each.node, limit.restitution, each.node, ImpactLaw::newton, limit.meaning});
      continue;
    }
    const SaidContact said = read_said(each.node);
    const Written written = read_written(said.gap);
    const std::optional<Node> law = entry_of(each.node, "law");
    draft.contact_texts.push_back({each.node.name(), text_of(said.gap),
                                   said.restitution ? text_of(*said.restitution) : "0", law ? law->text() : "newton",
                                   said.friction ? text_of(*said.friction) : "0", said.slip ? said.slip->text() : ""});
    if (said.friction && info.impacts == ImpactOrder::sequential) {
      said.friction->fail("friction does not go with impacts = \"sequential\" yet");
    }
    for (long i = 1; i <= std::max(each.meaning.members, 1L); ++i) {
      const long member = each.meaning.members > 0 ? i : 0;
      Value gap = read_gap(draft, each, said, written, member);
      gap.id = draft.of_rates(gap.id);
      const formula::Id restitution = read_restitution(draft, said.restitution, bindings_of(each, member));
      add_contact(draft, each, member,
                  {gap, said.gap, restitution, said.restitution.value_or(said.gap), said.law, said.meaning});
    }
  }
}

namespace {

/// Adds the row of a contact that sticks, and the force of one that slides, -mu lambda_n slides d(slip)/dw.
void add_friction(Draft& draft, const Declared& declared, long member, const SaidContact& said, Contact& contact) {
  Wanted wanted;
  wanted.rules.allowed = formula::on_state;
  wanted.rules.whose = "a slip";
  wanted.rules.made_of = "t, coordinates and " + draft.rates_word;
  wanted.unit = draft.row_units.at(contact.name) / draft.second;
  wanted.what = "the slip";
  const formula::Bindings bindings = bindings_of(declared, member);
  const formula::Id slip = draft.of_rates(take(draft, read_written(*said.slip), bindings, wanted).id);
  const formula::Id mu = read_coefficient(draft, said.friction, bindings, "a coefficient of friction");
  ContactFriction& friction = *contact.friction;
  friction.coefficient = program_of(draft, *said.friction, mu);
  formula::Statement& statement = draft.statement;
  if (statement.hamiltonian) said.friction->fail("friction of contacts does not go with momenta; state a lagrangian");
  formula::Graph& graph = draft.graph;
  const auto nw = static_cast<std::size_t>(draft.nw());
  if (statement.non_ideal.empty()) statement.non_ideal.assign(nw, graph.number(0));
  const formula::Id pressure = graph.symbol(formula::Op::ideal, draft.nw() + contact.row);
  const formula::Id force =
      graph.multiply(graph.multiply(mu, graph.symbol(formula::Op::parameter, friction.slides)), pressure);
  bool has_rate = false;
  for (std::size_t i = 0; i < nw; ++i) {
    const formula::Id rate = graph.symbol(formula::Op::rate, static_cast<int>(i));
    const formula::Id share = formula::derivative(graph, slip, rate);
    if ((draft.traits.depends_on(share) & formula::on_rates) != 0) {
      said.slip->fail("expected a slip that is linear in the " + draft.rates_word + ", found " + said.slip->found());
    }
    has_rate = has_rate || !graph.is_number(share, 0);
    statement.non_ideal[i] = graph.subtract(statement.non_ideal[i], graph.multiply(force, share));
  }
  if (!has_rate) {
    said.slip->fail("expected a slip that depends on " + draft.rates_word + ", found " + said.slip->found());
  }
  const std::string name = contact.name + "_stick";
  if (!draft.row_units.try_emplace(name, *wanted.unit).second) {
    declared.node.fail(fmt::format("the row of its friction is {}, which is stated already", name));
  }
  friction.row = static_cast<int>(statement.holonomic.size() + statement.nonholonomic.size());
  const formula::Id sticks = graph.symbol(formula::Op::parameter, friction.sticks);
  statement.nonholonomic.push_back({name, "", "slip while the contact sticks", graph.multiply(sticks, slip)});
  draft.names.add_multiplier(declared.key.name + "_stick", member, draft.energy / draft.second / *wanted.unit);
}

}  // namespace

void read_friction(Draft& draft) {
  for (const Declared& each : draft.contacts) {
    if (is_limit(draft, each)) continue;
    const SaidContact said = read_said(each.node);
    if (!said.friction) continue;
    for (const int contact : contacts_of(each)) {
      const long member = each.meaning.members > 0 ? contact - each.meaning.first + 1 : 0;
      add_friction(draft, each, member, said, draft.statement.info.contacts[static_cast<std::size_t>(contact)]);
    }
  }
}

namespace {

/// Place of the gap of a contact in the text.
Node gap_node(const Draft& draft, const Contact& contact) {
  const int which = contact.mode - draft.statement.info.contacts.front().mode;
  for (const Declared& each : draft.contacts) {
    for (long i = 1; i <= std::max(each.meaning.members, 1L); ++i) {
      if (each.meaning.at(i) == which) return is_limit(draft, each) ? each.node : *entry_of(each.node, "gap");
    }
  }
  return draft.model;
}

/// Sets the programs of the gap and of its rate. Expressions that are too long for the event of a contact become
/// outputs; those with tables are refused.
void set_gap(Draft& draft, formula::Terms& terms, Contact& contact, formula::Id gap, formula::Id rate) {
  if (formula::depends_on(draft.graph, gap, formula::Op::table)) program_of(draft, gap_node(draft, contact), gap);
  try {
    const formula::Span whole = {0, 1};
    contact.gap = formula::watched_program(draft.graph, gap, whole);
    contact.gap_rate = formula::watched_program(draft.graph, rate, whole);
    WatchedContact watched;
    if (contact_event(watched, 0, contact.gap, contact.gap_rate).size > 0) return;
  } catch (const formula::Fault&) {
  }
  const formula::Unit& unit = draft.row_units[contact.name];
  const auto add = [&](const char* suffix, const char* meaning, formula::Id value, const formula::Unit& own) {
    const std::string name = contact.name + suffix;
    if (!draft.row_units.try_emplace(name, own).second) {
      gap_node(draft, contact).fail(fmt::format("its gap is the output {}, which is stated already", name));
    }
    const formula::Unit known = draft.units.resolve(own);
    return output_program(draft, {name, known.is_known() ? draft.units.text(known) : "", meaning, value}, terms);
  };
  contact.gap = add("_gap", "gap of the contact", gap, unit);
  contact.gap_rate = add("_gap_rate", "rate of the gap of the contact", rate, unit / draft.second);
}

/// Sets the program of the slip, as an output if it is too long for the event of the friction.
void set_slip(Draft& draft, formula::Terms& terms, Contact& contact) {
  ContactFriction& friction = *contact.friction;
  const std::map<formula::Id, formula::Id> sticking = {
      {draft.graph.symbol(formula::Op::parameter, friction.sticks), draft.graph.number(1)}};
  const std::size_t row = static_cast<std::size_t>(friction.row) - terms.phi.size();
  const formula::Id slip = formula::substitute(draft.graph, terms.psi[row], sticking);
  const Node node = gap_node(draft, contact);
  if (formula::depends_on(draft.graph, slip, formula::Op::table)) program_of(draft, node, slip);
  try {
    friction.slip = formula::watched_program(draft.graph, slip, {0, 1});
    WatchedContact watched;
    watched.friction.coefficient = friction.coefficient;
    if (friction_event(watched, 0, friction.slip).size > 0) return;
  } catch (const formula::Fault&) {
  }
  const std::string name = contact.name + "_slip_velocity";
  const formula::Unit unit = draft.row_units.at(contact.name + "_stick");
  if (!draft.row_units.try_emplace(name, unit).second) {
    node.fail(fmt::format("its slip is the output {}, which is stated already", name));
  }
  const formula::Unit known = draft.units.resolve(unit);
  friction.slip = output_program(
      draft, {name, known.is_known() ? draft.units.text(known) : "", "slip of the contact", slip}, terms);
}

}  // namespace

void complete_contacts(Draft& draft, formula::Terms& terms) {
  if (draft.contacts.empty()) return;
  check_model(draft, draft.section("unilateral").value_or(draft.contacts.front().node));
  std::vector<Contact>& contacts = draft.statement.info.contacts;
  const std::vector<formula::Id> gaps = formula::contact_gaps(draft.graph, terms);
  for (std::size_t i = 0; i < contacts.size(); ++i) {
    set_gap(draft, terms, contacts[i], gaps[i], gaps[contacts.size() + i]);
    if (contacts[i].friction) set_slip(draft, terms, contacts[i]);
  }
}

}  // namespace kalaba::text_model
