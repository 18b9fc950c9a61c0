#include "scenario/model/contacts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <span>
#include <utility>

#include "formula/graph/differentiate.hpp"
#include "formula/graph/program.hpp"
#include "formula/graph/traverse.hpp"
#include "formula/mechanics/defaults.hpp"
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
  std::vector<Node> slips = {};                 ///< none, one, or two of friction in a plane
};

/// Returns true for a limit of a joint, whose gap the mechanism states.
bool is_limit(const Draft& draft, const Declared& contact) { return draft.limits.contains(contact.key.name); }

/// Indices of the contacts of an entry: one, or those of a family.
std::vector<int> contacts_of(const Declared& each) {
  std::vector<int> contacts;
  for (long i = 1; i <= std::max(each.meaning.members, 1L); ++i) {
    contacts.push_back(static_cast<int>(each.meaning.at(i)));
  }
  return contacts;
}

/// Returns an expression as text.
std::string text_of(const Node& node) { return node.is_text() ? node.text() : toml_number(node.number()); }

/// The slips of a contact: a text, or a list of one or two.
std::vector<Node> slips_of(const Node& node) {
  const auto slip = entry_of(node, "slip");
  if (!slip) return {};
  if (slip->is_text()) return {*slip};
  std::vector<Node> texts = slip->items("a velocity, such as \"x_dot - R*th_dot\"");
  if (texts.empty() || texts.size() > 2) {
    slip->expected("a list of one velocity, or of two along orthogonal directions, such as [\"x_dot\", \"y_dot\"]");
  }
  return texts;
}

std::string slip_text(const SaidContact& said) {
  std::string text;
  for (const Node& each : said.slips) text += (text.empty() ? "" : ", ") + each.text();
  return text;
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
  said.slips = slips_of(node);
  if (said.friction && said.slips.empty()) {
    said.friction->fail("slip is missing; add slip = [\"...\"], the velocity of the contact along its friction");
  }
  if (!said.slips.empty() && !said.friction) {
    said.slips.front().fail("friction is missing; add friction = ..., its coefficient");
  }
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
  const double value = formula::at_defaults(draft.graph, {id}, draft.statement.info).front();
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
      info.contacts[static_cast<std::size_t>(contact)].friction.emplace().in_plane = slips_of(each.node).size() == 2;
    }
  }
  for (Contact& contact : info.contacts) {
    if (!contact.friction) continue;
    contact.friction->sticks = add_discrete(draft, contact.name + "_sticks", "1 while the contact sticks, else 0", {});
  }
  for (Contact& contact : info.contacts) {
    if (!contact.friction) continue;
    const char* meaning = contact.friction->in_plane ? "1 while the contact slides, else 0"
                                                     : "sign of the slip while the contact slides, else 0";
    contact.friction->slides = add_discrete(draft, contact.name + "_slides", meaning, {});
  }
  for (Contact& contact : info.contacts) {
    if (!contact.friction) continue;
    contact.friction->slack = add_discrete(draft, contact.name + "@slip", "", draft.units.fresh());
    if (!contact.friction->in_plane) continue;
    for (int i = 0; i < 2; ++i) {
      contact.friction->way[i] = add_discrete(draft, fmt::format("{}@way_{}", contact.name, i + 1), "", {});
    }
    contact.friction->least = add_discrete(draft, contact.name + "@least_slip", "", draft.units.fresh());
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
                                   said.friction ? text_of(*said.friction) : "0", slip_text(said)});
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

/// Components of the friction of a contact that slides, relative to mu lambda_n and against it: slides, the sign of the
/// slip v. In a plane slides v / |v|, with two exceptions where a contact comes to rest or begins to slide, in the
/// direction d. Below the slip `least`, its part across d is relative to `least`. And a slip v that opposes d is taken
/// as -v: friction does not turn within the last step.
std::vector<formula::Id> friction_along(formula::Graph& graph, const ContactFriction& friction,
                                        const std::vector<formula::Id>& slips) {
  const auto parameter = [&](int index) { return graph.symbol(formula::Op::parameter, index); };
  const formula::Id slides = parameter(friction.slides);
  if (!friction.in_plane) return {slides};
  const formula::Id zero = graph.number(0);
  const formula::Id one = graph.number(1);
  const formula::Id d[2] = {parameter(friction.way[0]), parameter(friction.way[1])};
  const auto square = [&](formula::Id a) { return graph.multiply(a, a); };
  const auto is_less = [&](formula::Id a, formula::Id b) { return graph.binary(formula::Op::less, a, b); };
  const auto root = [&](formula::Id a) { return graph.unary(formula::Op::sqrt, a); };
  const formula::Id along =
      graph.add(graph.add(graph.multiply(d[0], slips[0]), graph.multiply(d[1], slips[1])), parameter(friction.slack));
  const formula::Id across = graph.subtract(graph.multiply(d[0], slips[1]), graph.multiply(d[1], slips[0]));
  const formula::Id back = is_less(along, graph.negate(graph.unary(formula::Op::abs, across)));
  const formula::Id side = graph.select(back, graph.negate(across), across);
  const formula::Id speed2 = graph.add(square(along), square(across));
  const formula::Id least2 = square(parameter(friction.least));
  const formula::Id is_slow = is_less(speed2, least2);
  const formula::Id rest = graph.select(is_slow, graph.subtract(least2, square(across)), one);
  const formula::Id forward = graph.select(is_slow, root(rest), graph.select(back, graph.negate(along), along));
  const formula::Id length2 = graph.select(is_slow, least2, speed2);
  // A contact that does not slide has no direction, and may have no slip.
  const formula::Id length = root(graph.select(is_less(zero, length2), length2, one));
  const auto component = [&](formula::Id a, formula::Id b) {
    return graph.multiply(slides, graph.divide(graph.add(graph.multiply(forward, a), graph.multiply(side, b)), length));
  };
  return {component(d[0], graph.negate(d[1])), component(d[1], d[0])};
}

/// Constant factor of a slip relative to another one, from their coefficients of the rates at several states; NaN if
/// there is none.
double factor_of(const Draft& draft, const std::vector<formula::Id>& slip, const std::vector<formula::Id>& other) {
  constexpr int states = 5;
  constexpr double rounding = 1e-9;
  const std::vector<double> parameters = formula::default_parameters(draft.statement.info);
  std::vector<double> coordinates(draft.statement.info.coordinates.size());
  double time = 0;
  const formula::Inputs inputs = {.parameters = parameters.data(), .coordinates = coordinates.data(), .time = &time};
  std::vector<formula::Id> both = slip;
  both.insert(both.end(), other.begin(), other.end());
  const formula::Program program(draft.graph, both);
  std::minstd_rand bits(1);
  const auto number = [&] { return static_cast<double>(bits() % 2000001) / 1e6 - 1; };
  double factor = std::nan("");
  for (int state = 0; state < states; ++state) {
    for (double& each : coordinates) each = number();
    time = number();
    const std::vector<double> values = program(inputs);
    if (!std::ranges::all_of(values, [](double each) { return std::isfinite(each); })) continue;
    const std::span<const double> a = std::span(values).first(slip.size());
    const std::span<const double> b = std::span(values).subspan(slip.size());
    const auto longest = std::ranges::max_element(b, {}, [](double each) { return std::abs(each); }) - b.begin();
    const auto at = static_cast<std::size_t>(longest);
    if (b[at] == 0) return std::nan("");
    if (std::isnan(factor)) factor = a[at] / b[at];
    for (std::size_t i = 0; i < a.size(); ++i) {
      if (std::abs(a[i] - factor * b[i]) > rounding * std::abs(factor * b[at])) return std::nan("");
    }
  }
  return factor;
}

/// Adds the rows of a contact that sticks, and the force of one that slides.
void add_friction(Draft& draft, const Declared& declared, long member, const SaidContact& said, Contact& contact) {
  Wanted wanted;
  wanted.rules.allowed = formula::on_state;
  wanted.rules.whose = "a slip";
  wanted.rules.made_of = "t, coordinates and " + draft.rates_word;
  wanted.unit = draft.row_units.at(contact.name) / draft.second;
  wanted.what = "the slip";
  const formula::Bindings bindings = bindings_of(declared, member);
  ContactFriction& friction = *contact.friction;
  std::vector<formula::Id> slips;
  for (const Node& each : said.slips) {
    slips.push_back(draft.of_rates(take(draft, read_written(each), bindings, wanted).id));
  }
  const formula::Id mu = read_coefficient(draft, said.friction, bindings, "a coefficient of friction");
  friction.coefficient = program_of(draft, *said.friction, mu);
  formula::Statement& statement = draft.statement;
  if (statement.hamiltonian) said.friction->fail("friction of contacts does not go with momenta; state a lagrangian");
  formula::Graph& graph = draft.graph;
  const auto nw = static_cast<std::size_t>(draft.nw());
  if (statement.non_ideal.empty()) statement.non_ideal.assign(nw, graph.number(0));
  const formula::Id pressure = graph.symbol(formula::Op::ideal, draft.nw() + contact.row);
  const formula::Id sticks = graph.symbol(formula::Op::parameter, friction.sticks);
  const std::vector<formula::Id> along = friction_along(graph, friction, slips);
  friction.row = static_cast<int>(statement.holonomic.size() + statement.nonholonomic.size());
  std::vector<std::vector<formula::Id>> shares(slips.size());  // of the rates in the slips
  for (std::size_t k = 0; k < slips.size(); ++k) {
    const Node& node = said.slips[k];
    const formula::Id force = graph.multiply(graph.multiply(mu, along[k]), pressure);
    bool has_rate = false;
    for (std::size_t i = 0; i < nw; ++i) {
      const formula::Id rate = graph.symbol(formula::Op::rate, static_cast<int>(i));
      const formula::Id share = formula::derivative(graph, slips[k], rate);
      if ((draft.traits.depends_on(share) & formula::on_rates) != 0) {
        node.fail("expected a slip that is linear in the " + draft.rates_word + ", found " + node.found());
      }
      shares[k].push_back(share);
      has_rate = has_rate || !graph.is_number(share, 0);
      statement.non_ideal[i] = graph.subtract(statement.non_ideal[i], graph.multiply(force, share));
    }
    if (!has_rate) node.fail("expected a slip that depends on " + draft.rates_word + ", found " + node.found());
    if (const double factor = k == 1 ? factor_of(draft, shares[1], shares[0]) : 0; std::abs(factor) > 0) {
      node.fail(fmt::format(
          "expected a slip along a direction orthogonal to that of the first, found {}, which is {} {}; "
          "state one slip for a contact that slips along a line",
          node.found(), factor == 1 ? "equal to" : fmt::format("{:.6g} times", factor), said.slips[0].found()));
    }
    const std::string suffix = friction.in_plane ? fmt::format("_stick_{}", k + 1) : "_stick";
    const std::string name = contact.name + suffix;
    if (!draft.row_units.try_emplace(name, *wanted.unit).second) {
      declared.node.fail(fmt::format("the row of its friction is {}, which is stated already", name));
    }
    statement.nonholonomic.push_back({name, "", "slip while the contact sticks", graph.multiply(sticks, slips[k])});
    draft.names.add_multiplier(declared.key.name + suffix, member, draft.energy / draft.second / *wanted.unit);
  }
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
    if (std::ranges::count(contacts_of(each), which) == 0) continue;
    return is_limit(draft, each) ? each.node : *entry_of(each.node, "gap");
  }
  return draft.model;
}

/// Sets the programs of the slips, as outputs if they are too long for the event of the friction.
void set_slips(Draft& draft, formula::Terms& terms, Contact& contact) {
  ContactFriction& friction = *contact.friction;
  const std::map<formula::Id, formula::Id> sticking = {
      {draft.graph.symbol(formula::Op::parameter, friction.sticks), draft.graph.number(1)}};
  const Node node = gap_node(draft, contact);
  std::vector<formula::Id> slips;
  for (int k = 0; k < friction.rows(); ++k) {
    const std::size_t row = static_cast<std::size_t>(friction.row + k) - terms.phi.size();
    slips.push_back(formula::substitute(draft.graph, terms.psi[row], sticking));
    if (formula::depends_on(draft.graph, slips.back(), formula::Op::table)) program_of(draft, node, slips.back());
  }
  try {
    for (std::size_t k = 0; k < slips.size(); ++k) {
      friction.slip[k] = formula::watched_program(draft.graph, slips[k], {0, 1});
    }
    WatchedContact watched;
    watched.friction.coefficient = friction.coefficient;
    if (friction_event(watched, friction.slip[0], friction.slip[1]).size > 0) return;
  } catch (const formula::Fault&) {
  }
  for (std::size_t k = 0; k < slips.size(); ++k) {
    const std::string suffix = friction.in_plane ? fmt::format("_{}", k + 1) : "";
    const std::string name = contact.name + "_slip_velocity" + suffix;
    const formula::Unit unit = draft.row_units.at(contact.name + "_stick" + suffix);
    if (!draft.row_units.try_emplace(name, unit).second) {
      node.fail(fmt::format("its slip is the output {}, which is stated already", name));
    }
    const formula::Unit known = draft.units.resolve(unit);
    friction.slip[k] = output_program(
        draft, {name, known.is_known() ? draft.units.text(known) : "", "slip of the contact", slips[k]}, terms);
  }
}

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

void complete_contacts(Draft& draft, formula::Terms& terms) {
  if (draft.contacts.empty()) return;
  check_model(draft, draft.section("unilateral").value_or(draft.contacts.front().node));
  for (Contact& each : draft.statement.info.contacts) {
    if (each.friction) set_slips(draft, terms, each);
  }
}

}  // namespace kalaba::text_model
