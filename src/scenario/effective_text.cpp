#include "scenario/effective_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <iterator>
#include <string>
#include <vector>

#include "scenario/document/toml_text.hpp"
#include "scenario/model/text_system.hpp"
#include "scenario/option_text.hpp"
#include "scenario/read_events.hpp"
#include "scenario/read_swarm.hpp"
#include "text/nearest.hpp"

namespace kalaba {
namespace {

template <class... Values>
void append(std::string& text, fmt::format_string<Values...> format, Values&&... values) {
  fmt::format_to(std::back_inserter(text), format, std::forward<Values>(values)...);
}

void append_variables(std::string& text, const SystemInfo& system, const std::vector<SampledVariable>& variables,
                      bool parameters) {
  for (const SampledVariable& variable : variables) {
    if ((variable.role == SampledVariable::Role::parameter) != parameters) continue;
    if (variable.distribution.kind == Distribution::Kind::correlated) continue;  // has a table of its own
    if (parameters && variable.index >= system.first_discrete()) continue;       // follows from the model
    append(text, "{} = {}\n", variable_of(system, variable).name, variable.distribution.to_toml());
  }
}

std::string quoted(const std::vector<std::string>& names) {
  std::vector<std::string> texts;
  for (const std::string& name : names) texts.push_back(toml_string(name));
  return fmt::format("{}", fmt::join(texts, ", "));
}

}  // namespace

std::string effective_text(const Scenario& scenario, const Members& members, const AgentStart* agents) {
  const SystemInfo& system = scenario.system->info;
  std::string text = fmt::format("system = {}\n", toml_string(system.name));
  const TextSystem* const model = scenario.model.get();
  if (model != nullptr && !model->model.events.empty() &&
      std::ranges::all_of(scenario.options.events, [](const Event& each) { return each.contact >= 0; }))
    text += "events = []\n";
  if (model != nullptr && !model->model.clocks.empty() && scenario.options.clocks.empty()) text += "clocks = []\n";
  if (!system.structure.empty()) text += "\n[structure]\n";
  for (const auto& [name, size] : system.structure) append(text, "{} = {}\n", name, size);
  for (const auto& [name, word] : system.structure_words) append(text, "{} = {}\n", name, toml_string(word));
  append(text, "\n[ensemble]\nmembers = {}\nseed = {}\ndesign = \"{}\"\n", scenario.members, scenario.seed,
         design_name(members.design));
  if (!members.grid.empty()) text += fmt::format("grid = [{}]\n", quoted(members.grid));
  text += "\n[parameters]\n";
  append_variables(text, system, members.variables, true);
  text += "\n[initial]\n";
  append_variables(text, system, members.variables, false);
  if (agents != nullptr) {
    append(text, "agents = {}\n", agents->placement.to_toml());
    append_variables(text, system, agents->variables, false);
  }
  const bool is_word = scenario.start_rule != StartRule::as_given && scenario.start_rule != StartRule::project;
  append(text, "project = {1}{0}{1}\n", start_rule_name(scenario.start_rule), is_word ? "\"" : "");
  for (const CorrelatedNormal& normal : members.correlated) text += "\n" + normal.to_toml();
  const auto append_options = [&](const char* table) {
    text += toml_options(table, scenario.options, system.agents > 0);
  };
  text += "\n[time]\n";
  append_options("time");
  text += "\n[solver]\n";
  append_options("solver");
  if (!system.sensitivities.empty()) {
    append(text, "\n[sensitivities]\nof = [{}]\n", quoted(names_of(system.sensitivities)));
    if (!system.exponents.empty()) text += "lyapunov = true\n";
  }
  text += "\n[output]\n";
  if (!scenario.output_file.empty()) append(text, "file = {}\n", toml_string(scenario.output_file));
  append_options("output");
  if (agents != nullptr) text += agents->held;
  text += toml_events(scenario.options.events);
  text += toml_clocks(scenario.options.clocks);
  if (model != nullptr) text += model->model.toml;
  return text;
}

}  // namespace kalaba
