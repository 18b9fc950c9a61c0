#include "scenario/scenario.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <filesystem>
#include <limits>
#include <system_error>
#include <utility>

#include "kalaba/check_options.hpp"
#include "kalaba/friction_step.hpp"
#include "scenario/continued_run.hpp"
#include "scenario/document/document.hpp"
#include "scenario/effective_text.hpp"
#include "scenario/model/text_system.hpp"
#include "scenario/model/written.hpp"
#include "scenario/read_members.hpp"
#include "scenario/read_options.hpp"
#include "scenario/read_sensitivities.hpp"
#include "scenario/read_statistics.hpp"
#include "scenario/read_swarm.hpp"

namespace kalaba {
namespace {

/// FNV-1a hash of the bits of the numbers.
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

/// Remarks on the files that the members were read from, without duplicates.
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

/// Scenario without its members and the starts of its agents.
struct ScenarioFrame {
  Scenario scenario;
  std::string held;  // tables of the constrained agents
};

/// Compiles the events and clocks; an error is reported at their table.
Watch read_watch(Document& document, const Options& options, const SystemInfo& system) {
  try {
    return watch_of(options.events, system, options.clocks);
  } catch (const Error& error) {
    for (const char* key : {"clocks", "events", "model", "system"}) {
      if (const auto node = document.find(key)) node->fail(error.what());
    }
    throw;
  }
}

/// Checks the periods of clocks and of noise; an error is reported where the document states them.
void check_periods(Document& document, const Options& options, const SystemInfo& system) {
  for (std::size_t i = 0; i < options.clocks.size(); ++i) {
    const std::string why = fault_of_period(options.clocks[i].every, options);
    if (why.empty()) continue;
    for (const char* key : {"clocks", "model.clocks"}) {
      const auto node = document.find(key);
      if (node && i < node->items().size()) text_model::entry_of(node->items()[i], "every")->fail(why);
    }
    if (const auto node = document.find("system"))
      node->fail(fmt::format("clock \"{}\": {}", options.clocks[i].name, why));
  }
  if (!system.noise) return;
  const std::string why = fault_of_period(system.noise->every, options);
  if (why.empty()) return;
  if (const auto node = document.find("model.noise.every")) node->fail(why);
  if (const auto node = document.find("system")) node->fail("noise: " + why);
}

ScenarioFrame read_run(Document& document, const std::vector<System>& systems) {
  auto [system, held, text] = read_system(document, systems);
  Scenario scenario;
  if (const auto named = document.find("system"); text && named && !document.find("model")) {
    scenario.input_files.push_back({(named->folder() / named->text()).string(), named->where()});
  }
  scenario.system = read_sensitivities(document, std::move(system));
  scenario.model = std::move(text);
  scenario.options = read_options(document, *scenario.system);
  scenario.start_rule = read_start_rule(document, scenario.system->info.servo, scenario.options);
  if (scenario.model && !document.find("events")) scenario.options.events = scenario.model->model.events;
  if (scenario.model && !document.find("clocks")) scenario.options.clocks = scenario.model->model.clocks;
  scenario.options.events = with_contacts(std::move(scenario.options.events), scenario.system->info);
  check_periods(document, scenario.options, scenario.system->info);
  scenario.options.watch = read_watch(document, scenario.options, scenario.system->info);
  check_output(document, scenario.options);
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

std::string first_formula(const SystemInfo& system, const std::vector<SampledVariable>& variables) {
  const auto found =
      std::ranges::find_if(variables, [](const SampledVariable& each) { return each.program != nullptr; });
  return found == variables.end() ? "" : full_name(system, *found);
}

void put_on_constraints(Scenario& scenario) {
  scenario.source =
      kalaba::put_on_constraints(*scenario.system, std::move(scenario.source), scenario.options, scenario.start_rule);
}

/// Returns true if every member starts at the default start of the model.
bool starts_by_default(const std::vector<SampledVariable>& variables, const SystemInfo& system) {
  return std::ranges::all_of(variables, [&](const SampledVariable& each) {
    return each.distribution.kind == Distribution::Kind::constant &&
           each.distribution.first == variable_of(system, each).value;
  });
}

/// Sets the start rule to keep_given if the scenario gives starts that are projected, does not state initial.project,
/// and computes no sensitivities, which need the backend's differentiable projection.
void hold_given(Document& document, const std::vector<SampledVariable>& variables, Scenario& scenario) {
  const SystemInfo& system = scenario.system->info;
  const bool is_stated = document.find("initial.project").has_value();
  const bool gives = std::ranges::any_of(
      variables, [](const SampledVariable& each) { return each.role != SampledVariable::Role::parameter; });
  const bool projects = scenario.start_rule == StartRule::project && !system.constraints.empty() && !system.servo &&
                        system.agents == 0 && scenario.system->reference;
  if (is_stated || !gives || !projects || !system.sensitivities.empty()) return;
  scenario.start_rule = StartRule::keep_given;
  scenario.holds_by_default = true;
}

/// Adds the findings at the model's default start (start_report.hpp), before a run starts there.
void look_at_start(const TextSystem& model, const std::vector<SampledVariable>& variables, Scenario& scenario) {
  const IntegratorFacts& integrator = facts_of(scenario.options.method.integrator);
  if (!model.model.kink.empty() && !integrator.uses_series) {  // the steps of a series end there
    scenario.notes.push_back(
        fmt::format("kalaba: {}; {} loses its order where one is crossed, and may miss two within a step; steps of "
                    "taylor end there",
                    model.model.kink, integrator.name));
  }
  if (!starts_by_default(variables, model.system.info)) return;
  if (!model.model.start.error.empty()) throw Error(ExitCode::bad_input, model.model.start.error);
  if (!model.model.start.loose.empty()) scenario.notes.push_back("kalaba: " + model.model.start.loose);
  if (!model.model.start.off.empty() && !scenario.options.project_start) {
    scenario.notes.push_back("kalaba: " + model.model.start.off);
  }
}

Scenario read_scenario(Document document, const std::vector<std::string>& overrides,
                       const std::vector<System>& systems) {
  document.apply(overrides);
  ScenarioFrame frame = read_run(document, systems);
  Scenario scenario = std::move(frame.scenario);
  Members members = read_members(document, *scenario.system);
  scenario.members = members.count;
  const std::vector<std::string> notes =
      continue_discrete(scenario.system->info, scenario.options.clocks, members.variables);
  scenario.inputs = fingerprint(members.variables);
  scenario.notes = notes_of(members.variables);
  scenario.notes.insert(scenario.notes.end(), notes.begin(), notes.end());
  scenario.member_formula = first_formula(scenario.system->info, members.variables);
  if (scenario.model) look_at_start(*scenario.model, members.variables, scenario);
  add_files(members.variables, scenario.input_files);
  check_sensitive_options(document, scenario.system->info, scenario.options);
  check_sensitive_members(document, scenario.system->info, members, scenario.start_rule);
  read_statistics_inputs(document, scenario.system->info, members, scenario.options.statistics);
  hold_given(document, members.variables, scenario);
  const UnitCube cube = {members.design, scenario.seed, scenario.members, members.drawn};
  if (scenario.system->info.agents > 0) {
    AgentStart start = read_agent_start(document, *scenario.system, std::move(frame.held));
    document.refuse_unknown_keys();
    scenario.inputs ^= fingerprint(start.variables);
    add_files(start.variables, scenario.input_files);
    scenario.text = effective_text(scenario, members, &start);
    scenario.source =
        std::make_shared<SwarmSampler>(*scenario.system, std::move(members.variables), std::move(start), cube);
    put_on_constraints(scenario);
    return scenario;
  }
  document.refuse_unknown_keys();

  scenario.text = effective_text(scenario, members);
  scenario.source = std::make_shared<Sampler>(*scenario.system, std::move(members.variables), cube);
  put_on_constraints(scenario);
  const std::string note = friction_step_note(*scenario.system, scenario.options, *scenario.source);
  if (!note.empty()) scenario.notes.push_back("kalaba: " + note);
  return scenario;
}

}  // namespace

void refuse_to_overwrite(std::span<const InputFile> inputs, const std::string& written, std::string_view writer) {
  for (const InputFile& input : inputs) {
    std::error_code ignored;  // of an output that does not exist yet
    if (!std::filesystem::equivalent(input.path, written, ignored)) continue;
    throw Error(ExitCode::bad_input,
                fmt::format("{}: expected a file that the {} does not write, found {}", input.where, writer, written));
  }
}

Scenario load_scenario(const std::string& source, const std::vector<std::string>& overrides,
                       const std::vector<System>& systems) {
  const bool is_file = source == "-" || names_a_file(source);  // "-": standard input
  return read_scenario(is_file ? Document::read_file(source) : Document::of_system(source), overrides, systems);
}

Scenario load_scenario_text(const std::string& text, const std::string& name, const std::vector<std::string>& overrides,
                            const std::vector<System>& systems) {
  return read_scenario(Document::of_text(text, name), overrides, systems);
}

Scenario load_given_scenario(const std::string& text, const std::string& name, const GivenArrays& arrays,
                             const std::vector<System>& systems) {
  Document document = Document::of_text(text, name);
  document.give(arrays);
  return read_scenario(std::move(document), {}, systems);
}

Scenario load_run_text(const std::string& text, const std::string& name, const std::vector<System>& systems) {
  Document document = Document::of_text(text, name);
  return read_run(document, systems).scenario;
}

}  // namespace kalaba
