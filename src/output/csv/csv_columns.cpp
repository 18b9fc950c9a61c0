#include "output/csv/csv_columns.hpp"

#include <algorithm>
#include <string_view>

#include "kalaba/system.hpp"

namespace kalaba {
namespace {

/// Returns the catalogue system whose coordinates and rates are the first names, or nullptr.
const SystemInfo* system_with(const std::vector<std::string>& names) {
  for (const System& system : catalogue()) {
    std::vector<std::string> states = field_layout(system.info, Field::q).components;
    const std::vector<std::string> rates = field_layout(system.info, Field::w).components;
    states.insert(states.end(), rates.begin(), rates.end());
    if (states.size() <= names.size() && std::equal(states.begin(), states.end(), names.begin())) return &system.info;
  }
  return nullptr;
}

bool is_derived(const std::string& name) {
  constexpr std::array prefixes = {"force_",        "ideal_",  "non_ideal_",   "constraint_",
                                   "balance_rate_", "lambda_", "sensitivity_", "lyapunov_"};
  if (std::ranges::any_of(prefixes, [&](const char* prefix) { return name.starts_with(prefix); })) return true;
  constexpr std::array scalars = {Field::residual,   Field::violation,     Field::rank,
                                  Field::sigma_kept, Field::sigma_dropped, Field::energy};
  return std::ranges::any_of(scalars, [&](Field field) { return name == field_name(field); });
}

bool is_rate(const std::string& name) { return name.ends_with("_dot") || name.starts_with("p_"); }

/// Returns the most plausible system for the names, if none of the catalogue fits. Without a name as rates have, as
/// many names are rates as coordinates.
SystemInfo guessed_system(const std::vector<std::string>& names) {
  SystemInfo system;
  const auto states = static_cast<std::size_t>(std::ranges::find_if(names, is_derived) - names.begin());
  const auto first_rate = static_cast<std::size_t>(std::ranges::find_if(names, is_rate) - names.begin());
  const std::size_t coordinates = first_rate < states ? first_rate : (states + 1) / 2;
  for (std::size_t i = 0; i < states; ++i) {
    (i < coordinates ? system.coordinates : system.rates).push_back({names[i], "", 0, ""});
  }
  constexpr std::string_view prefix = "constraint_";
  for (const std::string& name : names) {
    if (name.starts_with(prefix) && !name.starts_with("constraint_rate_")) {
      system.constraints.push_back({name.substr(prefix.size()), "", 0, ""});
    }
  }
  system.constraints.resize(names.size());  // upper bound of the multipliers
  system.has_energy = true;
  return system;
}

/// Adds the variables of the sensitivity columns.
void add_sensitivities(const std::vector<std::string>& names, SystemInfo& system) {
  if (system.coordinates.empty()) return;
  const std::string prefix = "sensitivity_" + system.coordinates.front().name + "_to_";
  for (const std::string& name : names) {
    if (name.starts_with(prefix)) system.sensitivities.push_back({name.substr(prefix.size()), "", 0, ""});
  }
}

void add_exponents(const std::vector<std::string>& names, SystemInfo& system) {
  for (const std::string& name : names) {
    if (name.starts_with("lyapunov_")) system.exponents.push_back({name, "1/s", 0, ""});
  }
}

}  // namespace

std::vector<Column> csv_columns(const std::vector<std::string>& names) {
  const SystemInfo* known = system_with(names);
  SystemInfo system = known != nullptr ? *known : guessed_system(names);
  add_sensitivities(names, system);
  add_exponents(names, system);
  std::vector<Column> columns;
  for (const std::string& name : names) columns.push_back({name, "", Field::energy, 0});
  for (Field field : all_fields) {
    const FieldLayout layout = field_layout(system, field);
    for (std::size_t i = 0; i < layout.components.size(); ++i) {
      const auto column = std::ranges::find(columns, layout.components[i], &Column::name);
      if (column != columns.end()) {
        *column = {column->name, layout.units[i], field, static_cast<int>(i), layout.is_held(i)};
      }
    }
  }
  return columns;
}

}  // namespace kalaba
