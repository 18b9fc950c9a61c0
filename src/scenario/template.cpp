#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <sstream>
#include <utility>

#include "kalaba/swarm.hpp"
#include "scenario/document/toml_text.hpp"
#include "scenario/option_text.hpp"
#include "scenario/read_options.hpp"
#include "scenario/scenario.hpp"
#include "text/nearest.hpp"

namespace kalaba {
namespace {

constexpr int comment_column = 42;

/// Collects lines of TOML with their comments in one column.
class Lines {
 public:
  void comment(const std::string& text) { text_ += text.empty() ? "#\n" : "# " + text + "\n"; }
  void table(const char* name) { text_ += fmt::format("\n[{}]\n", name); }
  void value(const std::string& key, const std::string& value, const std::string& comment) {
    const std::string line = key + " = " + value;
    text_ += comment.empty() ? line + "\n" : fmt::format("{:<{}}# {}\n", line + " ", comment_column, comment);
  }
  std::string text() && { return std::move(text_); }

 private:
  std::string text_;
};

std::string unit_and_meaning(const Variable& variable) {
  return variable.meaning.empty() ? variable.unit : fmt::format("{}: {}", variable.unit, variable.meaning);
}

void write_swarm_structure(Lines& lines, const SystemInfo& system) {
  const std::vector<std::string> laws = names_of(swarm_laws());
  lines.value("agents", fmt::format("{}", system.agents), fmt::format("up to {}", most_agents));
  lines.value("dimension", fmt::format("{}", system.structure.at("dimension")), "2 or 3");
  lines.value("law", toml_string(laws.front()), fmt::format("{}", fmt::join(laws, " | ")));
}

void write_swarm_parameters(Lines& lines, const SystemInfo& system) {
  for (const Variable& parameter : system.parameters) {
    const bool follows_structure = parameter.name == "active";  // default: the number of agents
    lines.value((follows_structure ? "# " : "") + parameter.name, toml_number(parameter.value),
                unit_and_meaning(parameter));
  }
  for (const SwarmLaw& law : swarm_laws()) {
    if (&law == &swarm_laws().front()) continue;
    for (const Variable& parameter : law.parameters) {
      lines.value("# " + parameter.name, toml_number(parameter.value),
                  fmt::format("law {}: {}", law.name, unit_and_meaning(parameter)));
    }
  }
}

void write_swarm_start(Lines& lines) {
  lines.value("# agents", "{ disk = 10.0 }",
              "m, at random in a disk or ball; { spiral = radius }, { grid = spacing }, { normal = sd }");
  lines.value("# x_dot", "{ normal = [0.0, 0.1] }", "a coordinate or rate, over the agents");
}

void write_held_agents(Lines& lines) {
  lines.comment("");
  lines.comment("Agents that a constraint of their own holds, beside the swarm's law:");
  lines.comment("[[agents]]");
  lines.comment("which = [0]                             # by number, or \"0-9\"");
  lines.comment("constraint = \"circle\"                   # circle | line | path");
  lines.comment("centre = [0.0, 0.0]                     # m; a line: point, direction");
  lines.comment("radius = 3.0                            # m; a path: path = [[t, x, y], ...], or a CSV file");
  lines.comment("angular_speed = 0.5                     # rad/s: it leads; left out, it is free along the circle");
}

void write_heading(Lines& lines, const SystemInfo& system) {
  lines.comment(system.name + ": " + system.summary);
  lines.comment(system.source);
  lines.comment("");
  std::istringstream equations(system.equations);
  for (std::string line; std::getline(equations, line);) lines.comment("    " + line);
  lines.comment("");
  lines.comment("Every key but system may be left out. A commented key shows a default or another choice.");
}

void write_members(Lines& lines, const SystemInfo& system) {
  lines.value("system", toml_string(system.name), "");
  if (!system.structure.empty()) lines.table("structure");
  if (system.agents > 0) {
    write_swarm_structure(lines, system);
  } else {
    for (const auto& [name, size] : system.structure) lines.value(name, fmt::format("{}", size), "");
  }
  lines.table("ensemble");
  lines.value("members", "1", "a whole multiple of the grid, where there is one");
  lines.value("seed", "1", "of the random numbers");
  lines.value("# design", "\"independent\"", "latin_hypercube | sobol: even; one_at_a_time: axes in turn; saltelli");
  lines.comment("The axes of a grid (linspace, values) follow one another as they are written, the last one fastest;");
  lines.comment("a list of their names sets another order: grid = [\"parameters.NAME\", \"initial.NAME\"]");
  lines.table("parameters");
  lines.comment("A number, or one of");
  lines.comment("{ uniform = [low, high] }          { normal = [mean, sd] }         { log_uniform = [low, high] }");
  lines.comment("{ normal = [mean, sd], within = [low, high] }      { discrete = [1, 2, 5], weights = [3, 2, 1] }");
  lines.comment("{ linspace = [first, last, n] }    { values = [1, 2, 5] }          each an axis of one full grid");
  lines.comment("{ file = \"members.csv\", column = \"name\" }                       a row for every member");
  lines.comment("{ file = \"earlier.nc\", column = \"name\" }                        a variable of one dimension, or");
  lines.comment("                                                                where an earlier run ended");
  if (system.agents > 0) {
    write_swarm_parameters(lines, system);
  } else {
    for (int i = 0; i < system.first_discrete(); ++i) {
      const Variable& parameter = system.parameters[static_cast<std::size_t>(i)];
      lines.value(parameter.name, toml_number(parameter.value), unit_and_meaning(parameter));
    }
  }
}

void write_initial(Lines& lines, const SystemInfo& system, bool project) {
  lines.table("initial");
  if (system.agents > 0) {
    write_swarm_start(lines);
  } else {
    lines.comment("What is not given follows from the parameters.");
    for (const auto* variables : {&system.coordinates, &system.rates}) {
      for (const Variable& variable : *variables) {
        lines.value("# " + variable.name, toml_number(variable.value), unit_and_meaning(variable));
      }
    }
  }
  lines.value("project", project ? "true" : "false", "put the initial state on the constraints first");
  if (system.agents > 0) return;
  lines.comment("Or \"keep_varied\": what varies between members stays as it is drawn, the others give way;");
  lines.comment("\"refuse\": members whose given start is not on the constraints fail.");
}

void write_correlated(Lines& lines, const SystemInfo& system) {
  std::vector<std::string> names;
  std::vector<std::string> means;
  for (const auto& [table, variables] : {std::pair("parameters.", &system.parameters), {"initial.", &system.rates}}) {
    for (const Variable& variable : *variables) {
      if (names.size() == 2) break;
      names.push_back(toml_string(table + variable.name));
      means.push_back(toml_number(variable.value));
    }
  }
  if (names.size() < 2) return;
  lines.comment("");
  lines.comment("Normals that are drawn together, in place of what stands above for these variables:");
  lines.comment("    [[correlated]]");
  lines.comment(fmt::format("    variables = [{}]", fmt::join(names, ", ")));
  lines.comment(fmt::format("    mean = [{}]", fmt::join(means, ", ")));
  lines.comment("    covariance = [[0.04, 0.01], [0.01, 0.09]]      or std = [...] and correlation = [[...], [...]]");
}

std::string in_quotes(std::string_view name) { return fmt::format("\"{}\"", name); }

/// Writes the options of a table with their defaults.
void write_options(Lines& lines, std::string_view table, const SystemInfo& system, const Options& options,
                   std::span<const RunOption> rows) {
  constexpr std::string_view marks[] = {"", "# ", "#     "};
  for (const RunOption& option : rows) {
    const OptionUse other = system.agents > 0 ? OptionUse::members : OptionUse::swarms;
    const bool is_offered = option.use != other && (option.use != OptionUse::adaptive_steps || system.agents == 0);
    if (option.table() != table || !is_offered) continue;
    const std::string value = *option.example != '\0' ? option.example : toml_value(option, options);
    lines.value(fmt::format("{}{}", marks[static_cast<int>(option.in_template)], option.name()), value,
                option_comment(option));
  }
}

void write_output(Lines& lines, const SystemInfo& system, const Options& options, std::span<const RunOption> rows) {
  lines.table("output");
  lines.value("file", toml_string(system.name + ".nc"), ".nc: netCDF, .csv: CSV");
  write_options(lines, "output", system, options, rows);
  lines.comment("\"correlation\" is with every parameter and initial value that varies.");
  lines.comment(fmt::format("fields: any of {}", fmt::join(field_names(system), ", ")));
}

void write_events(Lines& lines, const SystemInfo& system) {
  lines.comment("");
  lines.comment(fmt::format("What may happen to a member, up to {} times [[events]]:", Watch::most_events));
  lines.value("# [[events]]\n# name", "\"zero\"", "");
  lines.value(
      "# when", toml_string(system.coordinates.front().name),
      "reaches zero, or a condition such as x < 0 and t > 1; of the state, parameters, t, energy, lambda_1 ...");
  lines.value("# direction", in_quotes(crossing_name(Crossing::any)),
              "rising | falling | any (of a condition: rising)");
  lines.value("# action", in_quotes(event_action_name(EventAction::stop)),
              "stop: the member keeps its state; record: time and state are noted");
}

void write_sensitivities(Lines& lines, const SystemInfo& system) {
  lines.comment("");
  lines.comment(fmt::format("Derivatives of the motion: sensitivities.of = [\"initial.{}\"], or of",
                            system.coordinates.front().name));
  lines.comment("any \"parameters.NAME\", gives the fields q_sensitivity and w_sensitivity;");
  lines.comment(
      "\"gradient\" in output.statistics adds the derivatives of mean, std and quantiles of q and w along them.");
  lines.comment("With sensitivities.lyapunov = true, Lyapunov exponents of every start.");
}

}  // namespace

std::string scenario_template(const System& system, std::span<const RunOption> rows) {
  const SystemInfo& info = system.info;
  const Options options = default_options(system);
  Lines lines;
  write_heading(lines, info);
  write_members(lines, info);
  write_initial(lines, info, options.project_start);
  write_correlated(lines, info);
  for (const char* table : {"time", "solver"}) {
    lines.table(table);
    write_options(lines, table, info, options, rows);
  }
  write_output(lines, info, options, rows);
  if (info.agents > 0) {
    write_held_agents(lines);
  } else {
    write_events(lines, info);
    write_sensitivities(lines, info);
  }
  return std::move(lines).text();
}

}  // namespace kalaba
