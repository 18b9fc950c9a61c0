#include "output/base/parameter_names.hpp"

#include <algorithm>
#include <array>
#include <span>
#include <string_view>

#include "kalaba/fields.hpp"

namespace kalaba {
namespace {

// clang-format off
constexpr std::array<std::string_view, 39> own_names = {
    "time", "member", "agent", "repetition",
    "coordinate", "rate", "constraint", "invariant", "reaction", "sensitivity", "exponent",
    "coordinate_unit", "rate_unit", "constraint_unit", "invariant_unit", "reaction_unit", "sensitivity_unit",
    "exponent_unit",
    "status", "failure_time", "event", "event_when", "event_direction", "event_action", "event_count", "event_time",
    "event_last_time",
    "event_q", "event_w", "event_time_sensitivity", "event_q_sensitivity", "event_w_sensitivity",
    "ok_members", "quantile", "variable", "variable_unit", "group", "bin", "bin_edge"};

/// Suffixes of the names of fields.
constexpr std::array<std::string_view, 34> of_fields = {
    "", "_coordinate", "_rate", "_constraint", "_invariant", "_reaction", "_exponent",
    "_coordinate_unit", "_rate_unit", "_constraint_unit", "_invariant_unit", "_reaction_unit", "_exponent_unit",
    "_count", "_mean", "_std", "_min", "_max", "_quantile", "_correlation",
    "_histogram", "_below", "_above", "_bin_edge",
    "_group_count", "_group_mean", "_group_std", "_group_min", "_group_max",
    "_gradient_count", "_mean_gradient", "_variance_gradient", "_std_gradient", "_quantile_gradient"};
// clang-format on

bool is_of_start(const SystemInfo& system, const std::string& name) {
  const auto is_of = [&](const Variable& variable) {
    return name == "initial_" + variable.name || name == "projected_" + variable.name;
  };
  return std::ranges::any_of(system.coordinates, is_of) || std::ranges::any_of(system.rates, is_of);
}

}  // namespace

bool is_own_name(const std::string& name) {
  const auto is_of = [&](Field field) {
    const std::string_view prefix = field_name(field);
    return name.starts_with(prefix) && std::ranges::count(of_fields, std::string_view(name).substr(prefix.size())) > 0;
  };
  const auto has_name = [&](const BlockCounter& counter) { return counter.name != nullptr && name == counter.name; };
  return std::ranges::count(own_names, name) > 0 || std::ranges::any_of(block_counters, has_name) ||
         std::ranges::any_of(all_fields, is_of);
}

std::vector<std::string> parameter_names(const SystemInfo& system) {
  std::vector<std::string> names;
  for (const Variable& parameter :
       std::span(system.parameters).first(static_cast<std::size_t>(system.first_discrete()))) {
    const auto is_other = [&](const std::string& name) {
      return name != parameter.name && std::ranges::count(system.parameters, name, &Variable::name) > 0;
    };
    std::string name = parameter.name;
    while (is_own_name(name) || is_of_start(system, name) || is_other(name)) name.insert(0, "parameter_");
    names.push_back(name);
  }
  return names;
}

std::vector<BlockCounter> saved_counters(Integrator integrator) {
  std::vector<BlockCounter> saved;
  for (const BlockCounter& counter : block_counters) {
    if (counter.name != nullptr && (!counter.is_adaptive() || adapts(integrator))) saved.push_back(counter);
  }
  return saved;
}

}  // namespace kalaba
