#include "kalaba/sensitivities.hpp"

#include <algorithm>
#include <span>

#include "kalaba/core/rate/columns.hpp"
#include "kalaba/error.hpp"
#include "kalaba/starts.hpp"
#include "kalaba/swarm_limits.hpp"

namespace kalaba {
namespace {

/// Returns the parameters without the discrete variables, the coordinates and the rates under their names in scenarios.
std::vector<Variable> inputs_of(const SystemInfo& system) {
  std::vector<Variable> inputs;
  const auto add = [&](const char* table, std::span<const Variable> variables) {
    for (const Variable& each : variables) inputs.push_back({table + each.name, each.unit, each.value, each.meaning});
  };
  add("parameters.", std::span(system.parameters).first(static_cast<std::size_t>(system.first_discrete())));
  add("initial.", system.coordinates);
  add("initial.", system.rates);
  return inputs;
}

}  // namespace

std::vector<std::string> sensitivity_names(const SystemInfo& system) {
  std::vector<std::string> names;
  for (const Variable& each : inputs_of(system)) names.push_back(each.name);
  return names;
}

std::vector<std::string> with_all_starts(const SystemInfo& system, const std::vector<std::string>& names) {
  std::vector<std::string> all;
  for (const std::string& name : names) {
    if (name != "initial.*") {
      all.push_back(name);
      continue;
    }
    for (const auto* variables : {&system.coordinates, &system.rates}) {
      for (const Variable& each : *variables) all.push_back("initial." + each.name);
    }
  }
  return all;
}

System with_sensitivities(const System& system, const std::vector<std::string>& asked_for) {
  const auto refuse = [&](const std::string& why) {
    throw Error(ExitCode::bad_input, system.info.name + ": sensitivities: " + why);
  };
  if (const char* why = swarm_lacks(system.info, NotOfSwarms::sensitivities)) refuse(why);
  const std::vector<std::string> of = with_all_starts(system.info, asked_for);
  if (of.empty()) refuse("expected a variable such as \"parameters.NAME\" or \"initial.NAME\", found none");
  if (of.size() > static_cast<std::size_t>(Sensitivities::most)) {
    refuse("expected at most " + std::to_string(Sensitivities::most) + " variables, found " +
           std::to_string(of.size()));
  }
  const std::vector<Variable> inputs = inputs_of(system.info);
  System requested = system;
  std::vector<Variable>& columns = requested.info.sensitivities;
  columns.clear();
  requested.info.exponents.clear();
  for (const std::string& name : of) {
    const auto found = std::ranges::find(inputs, name, &Variable::name);
    if (found == inputs.end()) {
      std::string known;
      for (const Variable& each : inputs) known += (known.empty() ? "" : ", ") + each.name;
      refuse("unknown variable \"" + name + "\" (there are " + known + ")");
    }
    if (std::ranges::count(columns, name, &Variable::name) > 0) refuse("\"" + name + "\" is there twice");
    columns.push_back(*found);
  }
  return requested;
}

System with_lyapunov_exponents(const System& system, const std::vector<std::string>& of) {
  System requested = with_sensitivities(system, of);
  std::vector<Variable>& exponents = requested.info.exponents;
  for (const Variable& column : requested.info.sensitivities) {
    if (!column.name.starts_with("initial.")) {
      throw Error(ExitCode::bad_input, system.info.name + ": Lyapunov exponents: expected directions such as " +
                                           "\"initial.*\", found \"" + column.name + "\"");
    }
    exponents.push_back({"lyapunov_" + std::to_string(exponents.size() + 1), "1/s", 0, ""});
  }
  return requested;
}

std::string fault_of_exponents(const SystemInfo& system, const Options& options) {
  if (system.exponents.empty()) return "";
  if (!system.contacts.empty()) return "Lyapunov exponents do not go with contacts yet";
  if (!options.events.empty()) return "Lyapunov exponents do not go with events yet";
  if (!options.project_start && !system.servo && !system.constraints.empty()) {
    return "Lyapunov exponents go with starts that are put on the constraints: directions off them are none of the "
           "motion's";
  }
  return "";
}

std::string fault_of_differentiated(const Expression& expression, const SystemInfo& system) {
  const WatchedRows rows = system.watched_rows();
  const auto code = std::span(expression.code).first(static_cast<std::size_t>(expression.size));
  const auto is_number = [](const Instruction& each, double value) {
    return each.operation == Operation::number && each.value == value;
  };
  if (code.size() > 2 && code.back().operation == Operation::select && is_number(code[code.size() - 2], -1) &&
      is_number(code[code.size() - 3], 1)) {
    return "a condition has no derivatives; give the expression that it compares with zero";
  }
  for (const Instruction& each : code) {
    if (each.operation == Operation::observed && each.index >= rows.multiplier(0)) {
      return "multipliers are not differentiated yet";
    }
  }
  return "";
}

SensitivityPlan sensitivity_plan(const System& system, const MemberSource& source) {
  SensitivityPlan plan;
  if (system.info.sensitivities.empty()) return plan;
  const std::vector<std::string> names = sensitivity_names(system.info);
  for (const Variable& each : system.info.sensitivities) {
    const auto place = static_cast<int>(std::ranges::find(names, each.name) - names.begin());
    plan.of.push_back(place < system.info.first_discrete() ? place : place + system.info.discrete);
  }
  const std::size_t coordinates = system.info.coordinates.size();
  plan.follows.assign(coordinates + system.info.rates.size(), source.starts_follow_parameters() ? 1 : 0);
  for (const GivenStart& given : source.given_starts()) {
    plan.follows[static_cast<std::size_t>(given.index) + (given.is_rate ? coordinates : 0)] = 0;
  }
  const auto parameters = static_cast<int>(system.info.parameters.size());
  for (const int of : plan.of) {
    if (of >= parameters) plan.follows[static_cast<std::size_t>(of - parameters)] = 0;
  }
  plan.complete_start = start_completion(system);
  return plan;
}

}  // namespace kalaba
