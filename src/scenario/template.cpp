#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <sstream>
#include <utility>

#include "kalaba/swarm.hpp"
#include "scenario/document/toml_text.hpp"
#include "scenario/effective_text.hpp"
#include "scenario/read_options.hpp"
#include "scenario/scenario.hpp"

namespace kalaba {
namespace {

constexpr int comment_column = 42;

/// Every pseudo-inverse, the default first; those that the core has not but a GPU, last.
std::string pseudo_inverse_words() {
  std::string words(pseudo_inverse_name(PseudoInverse::automatic));
  for (const PseudoInverseFacts& each : pseudo_inverses) {
    if (each.type != nullptr) words += fmt::format(" | {}", each.name);
  }
  return words + fmt::format(" | {} (cuda only)", pseudo_inverse_name(PseudoInverse::cusolver));
}

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
  std::vector<std::string> laws;
  for (const SwarmLaw& law : swarm_laws()) laws.push_back(law.name);
  lines.value("agents", fmt::format("{}", system.agents), fmt::format("up to {}", most_agents));
  lines.value("dimension", fmt::format("{}", system.structure.at("dimension")), "2 or 3");
  lines.value("law", toml_string(laws.front()), fmt::format("{}", fmt::join(laws, " | ")));
}

void write_swarm_parameters(Lines& lines, const SystemInfo& system) {
  for (const Variable& parameter : system.parameters) {
    const bool follows_structure = parameter.name == "active";  // as many as there are, where it is left out
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

void write_swarm_solver(Lines& lines, const Options& options) {
  lines.value("# pair_sum", toml_string(std::string(pair_sum_name(options.pair_sum))),
              "auto | all_pairs | cells | multipole");
  lines.value("# pair_tolerance", toml_number(options.pair_tolerance),
              "relative error of the pair forces that multipole may make");
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
  lines.comment("a list of their names says another order: grid = [\"parameters.NAME\", \"initial.NAME\"]");
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
    for (const Variable& parameter : system.parameters) {
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

void write_time(Lines& lines, const TimeGrid& time) {
  lines.table("time");
  lines.value("start", toml_number(time.start), "s");
  lines.value("end", toml_number(time.end), "s: a whole number of steps after the start");
  lines.value("dt", toml_number(time.dt), "s; adaptive steps only begin by trying it");
  lines.value("save_every", toml_save_every(time), "steps, or \"final\"");
  lines.comment(fmt::format("In place of save_every: save_at = [{}], any ascending times.", toml_number(time.end)));
}

std::string in_quotes(std::string_view name) { return fmt::format("\"{}\"", name); }

void write_method(Lines& lines, const Options& options) {
  const Method& method = options.method;
  lines.value("backend", in_quotes(backend_name(options.backend)), "auto | cuda | cpu | reference");
  lines.value("precision", in_quotes(precision_name(options.precision)), "double | single");
  lines.value("integrator", in_quotes(integrator_name(method.integrator)),
              fmt::format("rk4 | {}: steps as long as the tolerances allow", adaptive_names(" | ")));
  lines.comment(fmt::format("Of {} alone: relative_tolerance = {}, absolute_tolerance = {} (1e-4 and 1e-6 in",
                            adaptive_names(", "), toml_number(method.relative_tolerance),
                            toml_number(method.absolute_tolerance)));
  lines.comment("single precision), largest_step and smallest_step (s; a member that needs a smaller one fails),");
  lines.comment("max_steps (accepted and rejected, of a member in the whole run; one that needs more fails)");
  lines.value("pseudo_inverse", in_quotes(pseudo_inverse_name(method.pseudo_inverse)), pseudo_inverse_words());
  lines.value("# rank_tolerance", toml_number(method.rank_tolerance),
              "of the largest singular value; 1e-4 in single precision");
  lines.value("# consistency_tolerance", toml_number(method.consistency_tolerance),
              "of |b| + |A||a|, beyond which A w' = b has no solution");
  lines.value("stabilization", toml_stabilization(method.stabilization),
              "\"projection\" | \"none\" | { baumgarte = [alpha, beta] } | { feedback = kappa }");
  lines.value("# compile", in_quotes(compile_name(options.compile)),
              "auto | never | always: the model by this machine's C++ compiler, for its CPU");
}

void write_solver(Lines& lines, const SystemInfo& system, const Options& options) {
  lines.table("solver");
  if (system.agents > 0) {
    lines.value("backend", in_quotes(backend_name(options.backend)), "auto | cuda | cpu");
    lines.value("precision", in_quotes(precision_name(options.precision)), "double | single (of pairs, on a GPU)");
    write_swarm_solver(lines, options);
  } else {
    write_method(lines, options);
  }
  lines.value("# threads", fmt::format("{}", options.threads), "0: one a CPU that this process may use");
  lines.value("# block_members", fmt::format("{}", options.block_members),
              "held at once; 0: some seconds of work, as memory allows");
  lines.value("# memory", toml_number(options.memory_budget),
              "bytes for one block of members, and as many for statistics");
  lines.value("# devices", "[]", "GPUs by number, as kalaba devices lists them; []: every one");
  lines.value("# threads_per_member", fmt::format("{}", options.threads_per_member),
              "of a GPU: 1, 4, 8, 16 or 32; 0: what fits the kernel");
}

/// Of the fields, one to show.
std::string first_component(const SystemInfo& system, FieldSet fields) {
  for (const Field field : all_fields) {
    const FieldLayout layout = field_layout(system, field);
    if (fields.has(field) && !layout.components.empty()) return layout.components.front();
  }
  return "";
}

void write_output(Lines& lines, const System& system, FieldSet chosen) {
  lines.table("output");
  lines.value("file", toml_string(system.info.name + ".nc"), ".nc: netCDF, .csv: CSV");
  lines.value("fields", toml_fields(chosen), "");
  lines.value("# statistics", "[\"mean\", \"quantiles\", \"histogram\"]",
              "also \"std\", \"min\", \"max\", \"correlation\": over the ok members, by time");
  if (const std::string name = first_component(system.info, chosen); !name.empty()) {
    lines.value("# histogram", fmt::format("{{ bins = 40, {} = [-1.0, 1.0] }}", name),
                "ranges, of any components of fields");
  }
  lines.value("# quantiles", "[0.05, 0.5, 0.95]", "which ones; 0.5 is the median");
  lines.value("# trajectories", "true", "false: the file holds statistics alone, and events");
  lines.comment(
      "\"correlation\" is with every parameter and initial value that varies. group_by = \"parameters.NAME\", of");
  lines.comment("a variable of few values, takes mean, std, min and max of the members of each value as well.");
  lines.comment(fmt::format("fields: any of {}", fmt::join(field_names(system.info), ", ")));
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
  lines.comment("\"gradient\" among output.statistics says how mean, std and quantiles of q and w move along them.");
  lines.comment("With sensitivities.lyapunov = true, Lyapunov exponents of every start.");
}

}  // namespace

std::string scenario_template(const System& system) {
  const Options options = default_options(system);
  Lines lines;
  write_heading(lines, system.info);
  write_members(lines, system.info);
  write_initial(lines, system.info, options.project_start);
  write_correlated(lines, system.info);
  write_time(lines, options.time);
  write_solver(lines, system.info, options);
  write_output(lines, system, options.fields);
  if (system.info.agents > 0) {
    write_held_agents(lines);
  } else {
    write_events(lines, system.info);
    write_sensitivities(lines, system.info);
  }
  return std::move(lines).text();
}

}  // namespace kalaba
