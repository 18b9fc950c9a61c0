#include "scenario/model/mechanics.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "formula/graph/traverse.hpp"

namespace kalaba::text_model {
namespace {

using formula::Id;
using formula::Rules;
using formula::Sort;
using formula::Unit;
using formula::Value;

Rules rules(unsigned allowed, const std::string& whose, const std::string& made_of) {
  Rules result;
  result.allowed = allowed;
  result.whose = whose;
  result.made_of = made_of;
  return result;
}

/// Expressions of a table by variable; zero for variables without an entry.
std::vector<Id> by_variable(Draft& draft, const Node& table, int count, const std::vector<Sort>& sorts,
                            const Rules& rules, const std::string& what, const std::function<Unit(int)>& unit) {
  std::vector<Id> values(static_cast<std::size_t>(count), draft.graph.number(0));
  std::vector<bool> stated(static_cast<std::size_t>(count), false);
  for (const Node& entry : table.entries()) {
    const Written written = read_written(entry);
    for (const Target& target : targets_of(draft, entry, sorts, what)) {
      const auto at = static_cast<std::size_t>(target.index);
      if (stated[at]) entry.fail("this is stated already");
      stated[at] = true;
      const std::string name = read_key(entry).name;
      const Wanted wanted{rules, unit(target.index), fmt::format("{} along {}", what, name)};
      values[at] = draft.of_rates(take(draft, written, target.bindings, wanted).id);
    }
  }
  return values;
}

std::string rate_of(const Draft& draft) { return draft.rates_word; }

/// The velocity of a coordinate for each rate that is one, such as pin_dot beside the quasi-velocities of a ball.
std::map<Id, Id> velocities_of(const Draft& draft) {
  std::map<Id, Id> result;
  for (const auto& [velocity, rate] : draft.velocities) {
    if (draft.graph[rate].op == formula::Op::rate) result.try_emplace(rate, velocity);
  }
  return result;
}

/// Fails if a Lagrangian of velocities contains the rates themselves.
void refuse_rates(Draft& draft, const Written& written, Id id) {
  for (const Id symbol : formula::symbols_in(draft.graph, std::span(&id, 1), formula::Op::rate)) {
    const int index = draft.graph[symbol].index;
    if (index >= draft.nw()) continue;
    written.node.fail(
        fmt::format("a Lagrangian is of t, coordinates and velocities such as {}_dot, found the "
                    "quasi-velocity {}",
                    draft.statement.info.coordinates.front().name,
                    draft.statement.info.rates[static_cast<std::size_t>(index)].name));
  }
}

Id read_energy(Draft& draft, const Node& node, const std::string& whose, const std::string& what) {
  Rules energy = rules(formula::on_state, whose, "t, coordinates and " + rate_of(draft));
  energy.most_degree = 2;
  energy.rates = draft.rates_word == "momenta" ? "momenta" : "rates";
  return take(draft, read_written(node), {}, {energy, draft.energy, what}).id;
}

/// Checks that a momentum times a velocity has the unit of energy.
void check_momenta(Draft& draft, const Node& hamiltonian) {
  for (std::size_t i = 0; i < draft.rate_units.size(); ++i) {
    const Unit momentum = draft.energy * draft.second / draft.coordinate_units[i];
    if (draft.units.unify(draft.rate_units[i], momentum)) continue;
    const SystemInfo& info = draft.statement.info;
    draft.section("momenta")
        .value_or(hamiltonian)
        .fail(fmt::format("the momentum of {} is {}, and {} is {}", info.coordinates[i].name,
                          draft.units.said(momentum), info.rates[i].name, draft.units.said(draft.rate_units[i])));
  }
}

}  // namespace

std::vector<Sort> directions(const Draft& draft) {
  const bool each_has_one = !draft.has_velocity;
  return each_has_one ? std::vector<Sort>{Sort::rate, Sort::coordinate} : std::vector<Sort>{Sort::rate};
}

void read_energies(Draft& draft) {
  const auto lagrangian = draft.section("lagrangian");
  const auto hamiltonian = draft.section("hamiltonian");
  if (lagrangian && hamiltonian) hamiltonian->fail("expected a Lagrangian or a Hamiltonian, found both");
  if (lagrangian) {
    if (draft.rates_word == "momenta") lagrangian->fail("a Lagrangian is of rates, found [model.momenta]");
    draft.statement.lagrangian = read_energy(draft, *lagrangian, "a Lagrangian", "a Lagrangian");
    if (draft.statement.quasi_velocities && draft.section("bodies")) {
      draft.statement.lagrangian = formula::substitute(draft.graph, *draft.statement.lagrangian, velocities_of(draft));
    }
    if (draft.statement.quasi_velocities) refuse_rates(draft, read_written(*lagrangian), *draft.statement.lagrangian);
  }
  if (hamiltonian) {
    draft.statement.hamiltonian = read_energy(draft, *hamiltonian, "a Hamiltonian", "a Hamiltonian");
    if (const auto velocity = draft.section("velocity")) {
      velocity->fail("q' follows from the Hamiltonian; leave out one of the two");
    }
    check_momenta(draft, *hamiltonian);
  }
}

void read_velocity(Draft& draft) {
  const auto table = draft.section("velocity");
  if (!table) return;
  const auto unit = [&](int i) { return draft.coordinate_units[static_cast<std::size_t>(i)] / draft.second; };
  const Rules state = rules(formula::on_state, "a velocity", "t, coordinates and " + rate_of(draft));
  std::vector<Id> velocity = by_variable(draft, *table, draft.nq(), {Sort::coordinate}, state, "the velocity", unit);
  for (int i = 0; i < draft.nq(); ++i) {
    const Id id = velocity[static_cast<std::size_t>(i)];
    for (const Id symbol : formula::symbols_in(draft.graph, std::span(&id, 1), formula::Op::rate)) {
      if (draft.graph[symbol].index < draft.nw()) continue;
      table->fail(fmt::format("the velocity along {} depends on {}, which this table defines",
                              draft.statement.info.coordinates[static_cast<std::size_t>(i)].name,
                              draft.names.label(draft.graph[symbol])));
    }
  }
  if (draft.rates_word != "momenta") {
    for (int i = 0; i < draft.nq(); ++i) {
      draft.velocities[draft.graph.symbol(formula::Op::rate, draft.nw() + i)] = velocity[static_cast<std::size_t>(i)];
    }
  }
  draft.statement.velocity = std::move(velocity);
}

namespace {

Unit metric_unit(const Draft& draft, std::size_t i, std::size_t j) {
  return draft.energy / (draft.rate_units[i] * draft.rate_units[j]);
}

Rules metric_rules() { return rules(formula::on_positions, "a metric", "t and coordinates"); }

/// Reads the diagonal: one expression per rate.
void read_diagonal(Draft& draft, const Node& node) {
  const std::vector<Node> items = node.items();
  if (items.size() != static_cast<std::size_t>(draft.nw())) {
    node.fail(fmt::format("expected {} expressions, one for each of the {}, found {}", draft.nw(), draft.rates_word,
                          items.size()));
  }
  for (std::size_t i = 0; i < items.size(); ++i) {
    const Wanted wanted{metric_rules(), metric_unit(draft, i, i),
                        "the metric of " + draft.statement.info.rates[i].name};
    draft.statement.metric.push_back(take(draft, read_written(items[i]), {}, wanted).id);
  }
  draft.statement.diagonal = true;
}

/// Reads the lower triangle: row i has i expressions.
void read_triangle(Draft& draft, const Node& node) {
  const std::vector<Node> rows = node.items();
  if (rows.size() != static_cast<std::size_t>(draft.nw())) {
    node.fail(
        fmt::format("expected {} rows, one for each of the {}, found {}", draft.nw(), draft.rates_word, rows.size()));
  }
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const std::vector<Node> row = rows[i].items("an array, a row of the lower triangle");
    if (row.size() != i + 1) {
      rows[i].fail(fmt::format("row {} of the lower triangle has {} expressions, found {}", i + 1, i + 1, row.size()));
    }
    for (std::size_t j = 0; j <= i; ++j) {
      const auto& names = draft.statement.info.rates;
      const Wanted wanted{metric_rules(), metric_unit(draft, i, j),
                          "the metric of " + names[i].name + (i == j ? "" : " and " + names[j].name)};
      draft.statement.metric.push_back(take(draft, read_written(row[j]), {}, wanted).id);
    }
  }
}

}  // namespace

void read_metric(Draft& draft) {
  const auto mass = draft.section("mass");
  const auto metric = draft.section("metric");
  if (const auto singular = draft.section("singular_metric")) {
    draft.statement.singular_metric = singular->boolean();
  }
  if (mass && metric) metric->fail("mass and metric are two words for one thing; found both");
  const bool has_energy = draft.statement.lagrangian || draft.statement.hamiltonian;
  const std::optional<Node>& node = mass ? mass : metric;
  if (has_energy) {
    if (node) node->fail("the metric follows from the energy; leave out one of the two");
    return;
  }
  if (!node) {
    draft.model.fail("expected an energy (lagrangian or hamiltonian) or a metric (mass = [\"m\", ...]), found none");
  }
  if (node->is_table()) {
    const auto unit = [&](int i) {
      return metric_unit(draft, static_cast<std::size_t>(i), static_cast<std::size_t>(i));
    };
    draft.statement.metric =
        by_variable(draft, *node, draft.nw(), directions(draft), metric_rules(), "the metric", unit);
    draft.statement.diagonal = true;
    return;
  }
  const std::vector<Node> items = node->items("an array of expressions, or of the rows of a lower triangle");
  const bool is_triangle = !items.empty() && !items.front().is_text() && !items.front().is_number();
  is_triangle ? read_triangle(draft, *node) : read_diagonal(draft, *node);
}

void read_forces(Draft& draft) {
  const auto unit = [&](int i) { return draft.force_unit(i); };
  const std::string state = "t, coordinates and " + rate_of(draft);
  if (const auto table = draft.section("force")) {
    draft.statement.force = by_variable(draft, *table, draft.nw(), directions(draft),
                                        rules(formula::on_state, "a force", state), "the force", unit);
  }
  const auto actuators = draft.section("actuation");
  if (!actuators) return;
  if (draft.section("non_ideal")) actuators->fail("a servo-constraint takes no non-ideal force");
  for (const Node& column : actuators->entries()) {
    if (!column.is_table()) column.expected("a table such as { theta = \"1\" }");
    const Unit effort = draft.units.fresh(column.name());
    const auto share = [&](int i) { return draft.force_unit(i) / effort; };
    draft.statement.actuation.push_back(
        by_variable(draft, column, draft.nw(), directions(draft),
                    rules(formula::on_positions, "an actuator's direction", "t and coordinates"),
                    "the actuator " + column.name(), share));
  }
}

void read_non_ideal(Draft& draft) {
  const auto table = draft.section("non_ideal");
  if (!table) return;
  const Rules all =
      rules(formula::on_state | formula::on_ideal_force, "a non-ideal force", "t, coordinates and " + rate_of(draft));
  draft.statement.non_ideal = by_variable(draft, *table, draft.nw(), directions(draft), all, "the non-ideal force",
                                          [&](int i) { return draft.force_unit(i); });
}

void read_gains(Draft& draft) {
  const auto table = draft.section("gain");
  if (!table) return;
  refuse_other_keys(*table, {"holonomic", "position"});
  const Rules fixed = rules(formula::on_parameters, "a gain", "parameters");
  const auto gain = [&](const char* key, const Unit& unit) -> std::optional<Id> {
    const auto node = entry_of(*table, key);
    if (!node) return std::nullopt;
    return take(draft, read_written(*node), {}, {fixed, unit, "this gain"}).id;
  };
  draft.statement.gain = gain("holonomic", Unit() / draft.second);
  draft.statement.position_gain = gain("position", Unit() / (draft.second * draft.second));
}

}  // namespace kalaba::text_model
