#include "scenario/effective_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <iterator>
#include <string>
#include <vector>

#include "scenario/document/toml_text.hpp"
#include "scenario/model/text_system.hpp"
#include "scenario/read_events.hpp"
#include "scenario/read_options.hpp"
#include "scenario/read_statistics.hpp"
#include "scenario/read_swarm.hpp"

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
    append(text, "{} = {}\n", variable_of(system, variable).name, variable.distribution.to_toml());
  }
}

std::string toml_numbers(const std::vector<double>& values) {
  std::vector<std::string> numbers;
  for (const double value : values) numbers.push_back(toml_number(value));
  return fmt::format("[{}]", fmt::join(numbers, ", "));
}

std::string quoted(const std::vector<std::string>& names) {
  std::vector<std::string> texts;
  for (const std::string& name : names) texts.push_back(toml_string(name));
  return fmt::format("{}", fmt::join(texts, ", "));
}

void append_time(std::string& text, const Options& options) {
  const TimeGrid& time = options.time;
  append(text, "\n[time]\nstart = {}\nend = {}\ndt = {}\n", toml_number(time.start), toml_number(time.end),
         toml_number(time.dt));
  if (!options.save_at.empty()) {
    append(text, "save_at = {}\n", toml_numbers(options.save_at));
  } else {
    append(text, "save_every = {}\n", toml_save_every(time));
  }
}

void append_step_control(std::string& text, const Method& method) {
  append(text, "relative_tolerance = {}\nabsolute_tolerance = {}\n", toml_number(method.relative_tolerance),
         toml_number(method.absolute_tolerance));
  if (method.largest_step > 0) append(text, "largest_step = {}\n", toml_number(method.largest_step));
  if (method.smallest_step > 0) append(text, "smallest_step = {}\n", toml_number(method.smallest_step));
  if (method.max_steps > 0) append(text, "max_steps = {:.0f}\n", method.max_steps);
}

void append_solver(std::string& text, const Options& options) {
  append(text, "\n[solver]\nbackend = \"{}\"\nprecision = \"{}\"\nintegrator = \"{}\"\npseudo_inverse = \"{}\"\n",
         backend_name(options.backend), precision_name(options.precision), integrator_name(options.method.integrator),
         pseudo_inverse_name(options.method.pseudo_inverse));
  if (adapts(options.method.integrator)) append_step_control(text, options.method);
  append(text, "rank_tolerance = {}\nconsistency_tolerance = {}\nstabilization = {}\n",
         toml_number(options.method.rank_tolerance), toml_number(options.method.consistency_tolerance),
         toml_stabilization(options.method.stabilization));
  if (options.compile != Compile::automatic) append(text, "compile = \"{}\"\n", compile_name(options.compile));
  append(text, "threads = {}\nblock_members = {}\nmemory = {}\n", options.threads, options.block_members,
         toml_number(options.memory_budget));
  append(text, "devices = [{}]\nthreads_per_member = {}\n", fmt::join(options.devices, ", "),
         options.threads_per_member);
}

void append_statistics(std::string& text, const Options& options) {
  append(text, "statistics = {}\n", toml_statistics(options.statistics));
  if (options.statistics.has(Statistic::quantiles)) {
    append(text, "quantiles = {}\n", toml_numbers(options.statistics.quantiles));
  }
  if (options.statistics.has(Statistic::histogram)) {
    append(text, "histogram = {}\n", toml_histogram(options.statistics));
  }
  if (!options.statistics.group_by.empty()) {
    append(text, "group_by = {}\n", toml_string(options.statistics.group_by));
  }
  append(text, "trajectories = {}\n", options.trajectories);
}

}  // namespace

std::string toml_stabilization(const Stabilization& stabilization) {
  if (stabilization.kind == Stabilization::Kind::none) return "\"none\"";
  if (stabilization.kind == Stabilization::Kind::projection) return "\"projection\"";
  if (stabilization.position_gain == 0) {
    return fmt::format("{{ feedback = {} }}", toml_number(stabilization.rate_gain));
  }
  return fmt::format("{{ baumgarte = [{}, {}] }}", toml_number(stabilization.rate_gain / 2),
                     toml_number(std::sqrt(stabilization.position_gain)));
}

std::string toml_save_every(const TimeGrid& time) {
  return time.save_every > 0 ? fmt::format("{}", time.save_every) : "\"final\"";
}

std::string toml_fields(FieldSet fields) {
  std::vector<std::string> names;
  for (const Field field : all_fields) {
    if (fields.has(field)) names.push_back(fmt::format("\"{}\"", field_name(field)));
  }
  return fmt::format("[{}]", fmt::join(names, ", "));
}

std::string effective_text(const Scenario& scenario, const Members& members, const AgentStart* agents) {
  const SystemInfo& system = scenario.system->info;
  std::string text = fmt::format("system = {}\n", toml_string(system.name));
  const TextSystem* const model = scenario.model.get();
  if (model != nullptr && !model->model.events.empty() && scenario.options.events.empty()) text += "events = []\n";
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
  append_time(text, scenario.options);
  append_solver(text, scenario.options);
  if (agents != nullptr) {
    append(text, "pair_sum = \"{}\"\npair_tolerance = {}\n", pair_sum_name(scenario.options.pair_sum),
           toml_number(scenario.options.pair_tolerance));
  }
  if (!system.sensitivities.empty()) {
    std::vector<std::string> of;
    for (const Variable& each : system.sensitivities) of.push_back(each.name);
    append(text, "\n[sensitivities]\nof = [{}]\n", quoted(of));
    if (!system.exponents.empty()) text += "lyapunov = true\n";
  }
  text += "\n[output]\n";
  if (!scenario.output_file.empty()) append(text, "file = {}\n", toml_string(scenario.output_file));
  append(text, "fields = {}\n", toml_fields(scenario.options.fields));
  append_statistics(text, scenario.options);
  if (agents != nullptr) text += agents->held;
  text += toml_events(scenario.options.events);
  if (model != nullptr) text += model->model.toml;
  return text;
}

}  // namespace kalaba
