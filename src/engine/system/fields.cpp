#include "kalaba/fields.hpp"

#include <algorithm>

#include "kalaba/run.hpp"

namespace kalaba {
namespace {

struct Description {
  std::string_view name;
  std::string_view meaning;
  std::string_view dimension;
};

constexpr std::array<Description, field_count> descriptions = {{
    {"q", "coordinates", "coordinate"},
    {"w", "rates: velocities, momenta or quasi-velocities", "rate"},
    {"constraint_force", "generalized constraint force, ideal and non-ideal", "rate"},
    {"ideal_force", "ideal part of the constraint force", "rate"},
    {"non_ideal_force", "non-ideal part of the constraint force", "rate"},
    {"constraint_rate", "part of w' that the constraints alone require", "rate"},
    {"balance_rate", "part of w' that balances momentum, orthogonal to constraint_rate in the metric", "rate"},
    {"multipliers", "Lagrange multipliers, minimum norm where the constraints are dependent", "constraint"},
    {"constraints", "values of the constraints phi, psi", "constraint"},
    {"residual", "constraint residual max |A w' - b|", ""},
    {"violation", "constraint violation max of |phi|, |phi'|, |psi|", ""},
    {"rank", "rank of the constraint matrix A", ""},
    {"sigma_kept", "smallest singular value of A G^(-1/2) that counts in its rank", ""},
    {"sigma_dropped", "largest singular value of A G^(-1/2) below the rank tolerance", ""},
    {"energy", "energy", ""},
    {"invariants", "first integrals, errors and angles that the system names", "invariant"},
    {"joint_reactions", "force and torque that each joint exerts on its child, in the frame of the joint", "reaction"},
    {"q_sensitivity", "derivatives of the coordinates with respect to what [sensitivities] names", "coordinate"},
    {"w_sensitivity", "derivatives of the rates with respect to what [sensitivities] names", "rate"},
    {"energy_sensitivity", "derivatives of the energy with respect to what [sensitivities] names", ""},
    {"invariants_sensitivity", "derivatives of the invariants with respect to what [sensitivities] names", "invariant"},
    {"multipliers_sensitivity",
     "derivatives of the multipliers with respect to what [sensitivities] names, nan where constraints are dependent",
     "constraint"},
    {"lyapunov_exponents", "Lyapunov exponents of the motion from its start on, the largest first", "exponent"},
}};

/// Returns the unit of a generalized force that does work, or changes momentum, along a rate of this unit; "" if
/// unknown.
std::string force_unit(std::string_view rate_unit) {
  constexpr std::array<std::array<std::string_view, 2>, 5> units = {
      {{"m/s", "N"}, {"kg m/s", "N"}, {"rad/s", "N m"}, {"1/s", "N m"}, {"kg m^2/s", "N m"}}};
  const auto known = std::ranges::find(units, rate_unit, [](const auto& row) { return row[0]; });
  return known == units.end() ? "" : std::string((*known)[1]);
}

void add_named(FieldLayout& layout, const std::vector<Variable>& variables) {
  for (const Variable& variable : variables) {
    layout.components.push_back(variable.name);
    layout.units.push_back(variable.unit);
  }
}

void add_forces(FieldLayout& layout, const std::string& prefix, const std::vector<Variable>& rates) {
  for (const Variable& rate : rates) {
    layout.components.push_back(prefix + rate.name);
    layout.units.push_back(force_unit(rate.unit));
  }
}

void add_rates(FieldLayout& layout, const std::vector<Variable>& rates) {
  for (const Variable& rate : rates) {
    layout.components.push_back(layout.name + "_" + rate.name);
    layout.units.push_back(rate.unit.empty() ? "" : rate.unit + "/s");
  }
}

void add_constraints(FieldLayout& layout, const std::vector<Variable>& rows) {
  for (const Variable& row : rows) {
    layout.components.push_back("constraint_" + row.name);
    layout.units.push_back(row.unit);
  }
}

std::vector<Variable> multipliers_of(const SystemInfo& system) {
  std::vector<Variable> multipliers(system.constraints.size());
  for (std::size_t i = 0; i < multipliers.size(); ++i) multipliers[i].name = "lambda_" + std::to_string(i + 1);
  return multipliers;
}

void add_derivatives(FieldLayout& layout, const std::vector<Variable>& variables, const std::vector<Variable>& by) {
  layout.columns = by.size();
  for (const Variable& column : by) {
    for (const Variable& variable : variables) {
      layout.components.push_back("sensitivity_" + variable.name + "_to_" + column.name);
      layout.units.push_back(ratio_unit(variable.unit, column.unit));
    }
  }
}

void add_scalar(FieldLayout& layout, const std::string& unit) {
  layout.components.push_back(layout.name);
  layout.units.push_back(unit);
}

}  // namespace

bool FieldLayout::is_held(std::size_t component) const { return std::ranges::count(held, components[component]) > 0; }

std::string_view field_name(Field field) { return descriptions[static_cast<std::size_t>(field)].name; }

std::string ratio_unit(const std::string& unit, const std::string& by) {
  if (by.empty() || by == "1") return unit;
  if (unit == by) return "1";
  const bool is_one = by.find_first_of(" /") == std::string::npos;
  return (unit.empty() ? "1" : unit) + "/" + (is_one ? by : "(" + by + ")");
}

FieldLayout field_layout(const SystemInfo& system, Field field) {
  const Description& description = descriptions[static_cast<std::size_t>(field)];
  FieldLayout layout = {
      field, std::string(description.name), std::string(description.meaning), std::string(description.dimension), {},
      {}};
  constexpr std::array<std::string_view, 3> by_agents = {"coordinate", "rate", "constraint"};
  if (std::ranges::count(by_agents, description.dimension) > 0) layout.agents = system.agents;
  switch (field) {
    case Field::q:
      add_named(layout, system.coordinates);
      break;
    case Field::w:
      add_named(layout, system.rates);
      break;
    case Field::constraint_force:
      add_forces(layout, "force_", system.rates);
      break;
    case Field::ideal_force:
      add_forces(layout, "ideal_", system.rates);
      break;
    case Field::non_ideal_force:
      add_forces(layout, "non_ideal_", system.rates);
      break;
    case Field::constraint_rate:
    case Field::balance_rate:
      add_rates(layout, system.rates);
      break;
    case Field::constraints:
      add_constraints(layout, system.constraints);
      break;
    case Field::multipliers:
      add_named(layout, multipliers_of(system));
      break;
    case Field::residual:
    case Field::violation:
    case Field::sigma_kept:
    case Field::sigma_dropped:
      add_scalar(layout, "");
      break;
    case Field::rank:
      add_scalar(layout, "1");
      layout.held = layout.components;
      break;
    case Field::energy:
      if (system.has_energy) add_scalar(layout, "J");
      break;
    case Field::invariants:
      add_named(layout, system.invariants);
      for (const Variable& each :
           std::span(system.parameters).subspan(static_cast<std::size_t>(system.first_discrete())))
        layout.held.push_back(each.name);
      break;
    case Field::joint_reactions:
      add_named(layout, system.reactions);
      break;
    case Field::q_sensitivity:
      add_derivatives(layout, system.coordinates, system.sensitivities);
      break;
    case Field::w_sensitivity:
      add_derivatives(layout, system.rates, system.sensitivities);
      break;
    case Field::energy_sensitivity:
      if (system.has_energy) add_derivatives(layout, {{"energy", "J", 0, ""}}, system.sensitivities);
      break;
    case Field::invariants_sensitivity:
      add_derivatives(layout, system.invariants, system.sensitivities);
      break;
    case Field::multipliers_sensitivity:
      if (!system.servo) add_derivatives(layout, multipliers_of(system), system.sensitivities);
      layout.units.assign(layout.components.size(), "");  // as for multipliers
      break;
    case Field::lyapunov_exponents:
      add_named(layout, system.exponents);
      break;
  }
  return layout;
}

FieldLayout chosen_layout(FieldLayout whole, std::vector<std::size_t> chosen) {
  FieldLayout layout = std::move(whole);
  std::vector<std::string> components;
  std::vector<std::string> units;
  for (const std::size_t each : chosen) {
    components.push_back(layout.components[each]);
    units.push_back(layout.units[each]);
  }
  layout.components = std::move(components);
  layout.units = std::move(units);
  layout.dimension = layout.name + "_" + layout.dimension;
  layout.chosen = std::move(chosen);
  return layout;
}

std::vector<FieldLayout> saved_layouts(const SystemInfo& system, const SavedFields& fields) {
  std::vector<FieldLayout> layouts;
  for (const Field field : all_fields) {
    if (!fields.has(field)) continue;
    FieldLayout layout = field_layout(system, field);
    std::vector<std::size_t> chosen;
    for (std::size_t i = 0; i < layout.components.size(); ++i) {
      if (std::ranges::count(fields.components(field), layout.components[i]) > 0) chosen.push_back(i);
    }
    if (!chosen.empty() && chosen.size() < layout.components.size()) {
      layout = chosen_layout(std::move(layout), std::move(chosen));
    }
    if (!layout.components.empty()) layouts.push_back(std::move(layout));
  }
  return layouts;
}

std::span<const double> number_row(const Frame& frame, const FieldLayout& layout, std::size_t number) {
  const auto stride = static_cast<std::size_t>(frame.block.stride);
  const auto members = static_cast<std::size_t>(frame.block.members);
  const std::span<const double> values = frame.values(layout.field);
  const std::size_t first = layout.row(number) * stride;
  if (values.size() < first + members) {
    throw Error(ExitCode::internal_error, "the backend did not compute the field " + layout.name);
  }
  return values.subspan(first, members);
}

const std::vector<Variable>& labels_of(const SystemInfo& system, Field field) {
  static const std::vector<Variable> none;
  const std::string_view dimension = descriptions[static_cast<std::size_t>(field)].dimension;
  if (dimension == "coordinate") return system.coordinates;
  if (dimension == "rate") return system.rates;
  if (dimension == "constraint") return system.constraints;
  if (dimension == "invariant") return system.invariants;
  if (dimension == "reaction") return system.reactions;
  if (dimension == "exponent") return system.exponents;
  return none;
}

bool has_field(const SystemInfo& system, Field field) {
  if (system.agents > 0) {
    constexpr FieldSet of_swarms = {Field::q,           Field::w,         Field::constraint_force,
                                    Field::constraints, Field::residual,  Field::violation,
                                    Field::rank,        Field::invariants};
    return of_swarms.has(field);
  }
  const bool differentiates = !system.sensitivities.empty() && system.exponents.empty();
  switch (field) {
    case Field::energy:
      return system.has_energy;
    case Field::invariants:
      return !system.invariants.empty();
    case Field::joint_reactions:
      return !system.reactions.empty();
    case Field::q_sensitivity:
    case Field::w_sensitivity:
      return differentiates;
    case Field::energy_sensitivity:
      return differentiates && system.has_energy;
    case Field::invariants_sensitivity:
      return differentiates && !system.invariants.empty();
    case Field::multipliers_sensitivity:
      return differentiates && !system.constraints.empty() && !system.servo;
    case Field::lyapunov_exponents:
      return !system.exponents.empty();
    default:
      return true;
  }
}

}  // namespace kalaba
