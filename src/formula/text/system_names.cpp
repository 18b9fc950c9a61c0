#include "formula/text/system_names.hpp"

#include "kalaba/core/events/event.hpp"
#include "kalaba/system.hpp"

namespace kalaba::formula {
namespace {

Unit unit_of(const Variable& variable, Units& units) {
  if (variable.unit.empty()) return units.fresh(variable.name);
  try {
    return parse_unit(variable.unit);
  } catch (const UnitFault&) {
    return units.fresh(variable.name);
  }
}

void add(Sort sort, const std::vector<Variable>& variables, Names& names) {
  std::vector<std::string> labels;
  for (const Variable& each : variables) {
    if (!is_internal(each)) names.add(each.name, {.sort = sort, .first = static_cast<int>(labels.size())});
    labels.push_back(each.name);
  }
  names.set_labels(sort, labels);
}

void add_state(const SystemInfo& system, Names& names) {
  add(Sort::parameter, system.parameters, names);
  add(Sort::rate, system.rates, names);
  add(Sort::coordinate, system.coordinates, names);
}

}  // namespace

void add_names(const SystemInfo& system, Names& names, Units& units) {
  add_state(system, names);
  const auto set_units = [&](Sort sort, const std::vector<Variable>& variables) {
    std::vector<Unit> found;
    for (const Variable& each : variables) found.push_back(unit_of(each, units));
    names.set_units(sort, found);
  };
  set_units(Sort::parameter, system.parameters);
  set_units(Sort::coordinate, system.coordinates);
  set_units(Sort::rate, system.rates);
}

namespace {

void add_row(const std::string& name, int row, Names& names) {
  names.add(name, {.sort = Sort::observed, .first = row});
}

void add_derived(const SystemInfo& system, Names& names) {
  const WatchedRows rows = system.watched_rows();
  if (system.has_energy) add_row("energy", rows.energy(), names);
  for (int i = 0; i < rows.invariants; ++i) {
    add_row(system.invariants[static_cast<std::size_t>(i)].name, rows.invariant(i), names);
  }
  for (int r = 0; r < rows.constraints; ++r) add_row("lambda_" + std::to_string(r + 1), rows.multiplier(r), names);
}

}  // namespace

void add_watched_names(const SystemInfo& system, Names& names) {
  add_derived(system, names);
  add_state(system, names);  // has precedence over derived quantities
}

void add_names_at_changes(const SystemInfo& system, Names& names, Units& units) {
  const WatchedRows rows = system.watched_rows();
  std::vector<Unit> found(static_cast<std::size_t>(rows.rows()));
  for (Unit& each : found) each = units.fresh();
  for (int i = 0; i < rows.invariants; ++i) {
    found[static_cast<std::size_t>(rows.invariant(i))] = unit_of(system.invariants[static_cast<std::size_t>(i)], units);
  }
  names.set_units(Sort::observed, std::move(found));
  add_derived(system, names);
  add_names(system, names, units);  // has precedence over derived quantities
}

}  // namespace kalaba::formula
