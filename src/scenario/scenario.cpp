#include "scenario/scenario.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <utility>

#include "scenario/document.hpp"
#include "scenario/effective_text.hpp"
#include "scenario/read_members.hpp"
#include "scenario/read_options.hpp"
#include "scenario/read_statistics.hpp"
#include "scenario/read_swarm.hpp"

namespace kalaba {
namespace {

bool names_a_file(const std::string& source) {
  return source.find('/') != std::string::npos || source.ends_with(".toml");
}

/// FNV-1a over the bits of the numbers.
std::uint64_t fingerprint(const std::vector<SampledVariable>& variables) {
  std::uint64_t sum = 14695981039346656037ULL;
  for (const SampledVariable& variable : variables) {
    if (variable.distribution.kind != Distribution::Kind::file) continue;
    for (const double value : variable.distribution.values) {
      sum = (sum ^ std::bit_cast<std::uint64_t>(value)) * 1099511628211ULL;
    }
  }
  return sum;
}

/// What there is to know of the files that the members came from, each once.
std::vector<std::string> notes_of(const std::vector<SampledVariable>& variables) {
  std::vector<std::string> notes;
  for (const SampledVariable& variable : variables) {
    const std::string& note = variable.distribution.note;
    if (!note.empty() && std::ranges::count(notes, note) == 0) notes.push_back(note);
  }
  return notes;
}

void add_files(const std::vector<SampledVariable>& variables, std::vector<InputFile>& files) {
  for (const SampledVariable& variable : variables) {
    if (!variable.distribution.path.empty()) {
      files.push_back({variable.distribution.path, variable.distribution.where});
    }
  }
}

/// All but what its members are and where its agents start.
struct ScenarioFrame {
  Scenario scenario;
  std::string held;  // tables of the agents that are
};

ScenarioFrame read_run(Document& document, const std::vector<System>& systems) {
  auto [system, held] = read_system(document, systems);
  Scenario scenario;
  scenario.system = std::move(system);
  scenario.options = read_options(document, *scenario.system);
  check_paths(held, scenario.options.time);
  for (const HeldAgentTables::Path& path : held.paths) {
    if (path.node.is_text()) {
      scenario.input_files.push_back({(path.node.folder() / path.node.text()).string(), path.node.where()});
    }
  }
  if (const auto node = document.find("ensemble.seed")) {
    scenario.seed = static_cast<std::uint64_t>(node->integer(0, std::numeric_limits<std::int64_t>::max()));
  }
  if (const auto node = document.find("output.file")) scenario.output_file = node->text();
  return {std::move(scenario), std::move(held.toml)};
}

Scenario read_scenario(Document document, const std::vector<std::string>& overrides,
                       const std::vector<System>& systems) {
  document.apply(overrides);
  ScenarioFrame frame = read_run(document, systems);
  Scenario scenario = std::move(frame.scenario);
  Members members = read_members(document, scenario.system->info);
  scenario.members = members.count;
  scenario.inputs = fingerprint(members.variables);
  scenario.notes = notes_of(members.variables);
  add_files(members.variables, scenario.input_files);
  read_statistics_inputs(document, scenario.system->info, members, scenario.options.statistics);
  const UnitCube cube = {members.design, scenario.seed, scenario.members};
  if (scenario.system->info.agents > 0) {
    AgentStart start = read_agent_start(document, *scenario.system, std::move(frame.held));
    document.refuse_unknown_keys();
    scenario.inputs ^= fingerprint(start.variables);
    add_files(start.variables, scenario.input_files);
    scenario.text = effective_text(scenario, members, &start);
    scenario.source =
        std::make_shared<SwarmSampler>(*scenario.system, std::move(members.variables), std::move(start), cube);
    return scenario;
  }
  document.refuse_unknown_keys();

  scenario.text = effective_text(scenario, members);
  scenario.source = std::make_shared<Sampler>(*scenario.system, std::move(members.variables), cube);
  return scenario;
}

}  // namespace

Scenario load_scenario(const std::string& source, const std::vector<std::string>& overrides,
                       const std::vector<System>& systems) {
  return read_scenario(names_a_file(source) ? Document::read_file(source) : Document::of_system(source), overrides,
                       systems);
}

Scenario load_scenario_text(const std::string& text, const std::string& name, const std::vector<std::string>& overrides,
                            const std::vector<System>& systems) {
  return read_scenario(Document::of_text(text, name), overrides, systems);
}

Scenario load_run_text(const std::string& text, const std::string& name, const std::vector<System>& systems) {
  Document document = Document::of_text(text, name);
  return read_run(document, systems).scenario;
}

}  // namespace kalaba
