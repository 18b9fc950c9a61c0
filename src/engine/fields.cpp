#include "kalaba/fields.hpp"

#include <algorithm>

#include "kalaba/system.hpp"

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
    {"multipliers", "Lagrange multipliers, minimum norm where the constraints are dependent", "constraint"},
    {"residual", "constraint residual max |A w' - b|", ""},
    {"violation", "constraint violation max of |phi|, |phi'|, |psi|", ""},
    {"rank", "rank of the constraint matrix A", ""},
    {"energy", "energy", ""},
}};

/// The unit of a generalized force that does work, or changes momentum, along a rate of this unit; "" where unknown.
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

void add_forces(FieldLayout& layout, const std::vector<Variable>& rates) {
  for (const Variable& rate : rates) {
    layout.components.push_back("force_" + rate.name);
    layout.units.push_back(force_unit(rate.unit));
  }
}

void add_multipliers(FieldLayout& layout, std::size_t count) {
  for (std::size_t i = 1; i <= count; ++i) layout.components.push_back("lambda_" + std::to_string(i));
  layout.units.resize(count);
}

void add_scalar(FieldLayout& layout, const std::string& unit) {
  layout.components.push_back(layout.name);
  layout.units.push_back(unit);
}

}  // namespace

std::string_view field_name(Field field) { return descriptions[static_cast<std::size_t>(field)].name; }

FieldLayout field_layout(const SystemInfo& system, Field field) {
  const Description& description = descriptions[static_cast<std::size_t>(field)];
  FieldLayout layout = {
      field, std::string(description.name), std::string(description.meaning), std::string(description.dimension), {},
      {}};
  switch (field) {
    case Field::q:
      add_named(layout, system.coordinates);
      break;
    case Field::w:
      add_named(layout, system.rates);
      break;
    case Field::constraint_force:
      add_forces(layout, system.rates);
      break;
    case Field::multipliers:
      add_multipliers(layout, system.constraints.size());
      break;
    case Field::residual:
    case Field::violation:
      add_scalar(layout, "");
      break;
    case Field::rank:
      add_scalar(layout, "1");
      break;
    case Field::energy:
      if (system.has_energy) add_scalar(layout, "J");
      break;
  }
  return layout;
}

}  // namespace kalaba
