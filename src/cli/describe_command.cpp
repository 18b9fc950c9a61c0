#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <sstream>

#include "cli/command.hpp"
#include "cli/named_systems.hpp"
#include "cli/table.hpp"
#include "kalaba/swarm.hpp"
#include "scenario/effective_text.hpp"

namespace kalaba {
namespace {

const char* formulation_text(Formulation formulation) {
  switch (formulation) {
    case Formulation::hamilton:
      return "Hamiltonian: the rates are momenta";
    case Formulation::kane:
      return "quasi-velocities (Kane)";
    case Formulation::lagrange:
      break;
  }
  return "Lagrangian: the rates are velocities";
}

std::string indented(const std::string& text) {
  std::istringstream lines(text);
  std::string result;
  for (std::string line; std::getline(lines, line);) result += "  " + line + "\n";
  return result;
}

std::string section(const std::string& title, const std::string& body) {
  return body.empty() ? "" : "\n" + title + "\n" + body;
}

std::string variables_text(const std::vector<Variable>& variables) {
  std::vector<std::vector<std::string>> rows;
  for (const Variable& each : variables) {
    rows.push_back({each.name, fmt::format("{:.6g}", each.value), each.unit, each.meaning});
  }
  return table_text(rows);
}

std::string constraints_text(const SystemInfo& info) {
  std::vector<std::vector<std::string>> rows;
  for (const Variable& each : info.constraints) {
    const bool holonomic = rows.size() < static_cast<std::size_t>(info.holonomic);
    rows.push_back({each.name, each.unit, holonomic ? "holonomic" : "nonholonomic", each.meaning});
  }
  return table_text(rows);
}

std::string invariants_text(const SystemInfo& info) {
  constexpr const char* kinds[] = {"stays zero", "constant", ""};
  std::vector<std::vector<std::string>> rows;
  for (std::size_t i = 0; i < info.invariants.size(); ++i) {
    const Variable& each = info.invariants[i];
    rows.push_back({each.name, each.unit, kinds[static_cast<int>(info.invariance[i])], each.meaning});
  }
  return table_text(rows);
}

std::string defaults_text(const SystemInfo& info) {
  const TimeGrid& time = info.time;
  return table_text({{"time", fmt::format("{:g} s to {:g} s in steps of {:g} s, every {} saved", time.start, time.end,
                                          time.dt, time.save_every)},
                     {"stabilization", toml_stabilization(info.stabilization)}});
}

/// What a swarm of any number of agents has that the catalogue's sizes have not.
std::string any_swarm_text(const SystemInfo& info) {
  if (info.name != "swarm") return "";
  std::string text = indented(fmt::format(
      "structure.agents (1 to {}, on cpu and cuda), structure.dimension (2 or 3), structure.law", most_agents));
  for (const SwarmLaw& law : swarm_laws()) {
    const System swarm = make_swarm(law, 100);
    text += section(fmt::format("law \"{}\": {}", law.name, law.equations), variables_text(law.parameters));
    if (&law != &swarm_laws().back()) continue;
    std::vector<Variable> common = swarm.info.parameters;
    std::erase_if(common, [&](const Variable& each) {
      const auto is_it = [&](const Variable& other) { return other.name == each.name; };
      return std::ranges::any_of(law.parameters, is_it) || std::ranges::any_of(info.parameters, is_it);
    });
    for (Variable& each : common) {
      if (each.name == "active") each.meaning += "; all where it is left out";
    }
    text += section("parameters of every law", variables_text(common)) +
            section("observables", invariants_text(swarm.info));
  }
  return section("any number of agents", text);
}

std::string description(const std::vector<const System*>& entries) {
  const SystemInfo& info = entries.front()->info;
  const std::string sizes = sizes_text(entries);
  return fmt::format("{}: {}\n", info.name, info.summary) + section("source", indented(info.source)) +
         section("formulation", indented(formulation_text(info.formulation))) +
         section("equations", indented(info.equations)) + section("note", indented(info.note)) +
         section("sizes (the first is described here)", indented(sizes)) +
         section("parameters: default, unit", variables_text(info.parameters)) +
         section("coordinates: default start, unit", variables_text(info.coordinates)) +
         section("rates: default start, unit", variables_text(info.rates)) +
         section("constraints", constraints_text(info)) + section("invariants", invariants_text(info)) +
         section("defaults", defaults_text(info)) + any_swarm_text(info);
}

}  // namespace

Command add_describe_command(CLI::App& app) {
  CLI::App* words = app.add_subcommand("describe", "Show a system: equations, parameters, coordinates, constraints");
  const auto name = std::make_shared<std::string>();
  words->add_option("NAME", *name, "A system of the catalogue")->type_name("")->required();
  words->footer("Example:\n  kalaba describe spherical_pendulum");
  return {words, [name] {
            std::fputs(description(systems_named(*name)).c_str(), stdout);
            return ExitCode::ok;
          }};
}

}  // namespace kalaba
