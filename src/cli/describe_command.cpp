#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <memory>

#include "cli/command.hpp"
#include "cli/named_systems.hpp"
#include "cli/table.hpp"
#include "kalaba/swarm.hpp"
#include "kalaba/swarm_limits.hpp"
#include "kalaba/system.hpp"
#include "scenario/model/text_system.hpp"
#include "scenario/option_text.hpp"
#include "scenario/scenario.hpp"
#include "text/json.hpp"

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

/// Parameters of a system without its discrete variables.
std::vector<Variable> constant_parameters(const SystemInfo& info) {
  return {info.parameters.begin(), info.parameters.begin() + info.first_discrete()};
}
std::vector<Variable> discrete_variables(const SystemInfo& info) {
  std::vector<Variable> variables(info.parameters.begin() + info.first_discrete(), info.parameters.end());
  std::erase_if(variables, is_internal);
  return variables;
}

std::string set_text(const std::vector<NewValue>& set) {
  std::string text;
  for (const NewValue& each : set) text += fmt::format("{}{} = {}", text.empty() ? "" : "; ", each.target, each.value);
  return text;
}

/// Events that change members, clocks, and noise.
std::string changes_text(const Options& options, const SystemInfo& info) {
  std::vector<std::vector<std::string>> rows;
  for (const Event& each : options.events) {
    if (!each.set.empty()) rows.push_back({each.name, "where " + each.when, set_text(each.set)});
  }
  for (const Clock& each : options.clocks) {
    std::string when = fmt::format("every {:g} s", each.every);
    if (each.offset > 0) when += fmt::format(" from {:g} s", each.offset);
    if (each.delay > 0) when += fmt::format(", {} ticks late", each.delay);
    rows.push_back({each.name, when, set_text(each.set)});
  }
  if (info.noise) {
    std::string along;
    for (const Noise::Term& term : info.noise->terms) {
      along += (along.empty() ? "impulses along " : ", ") + info.rates[static_cast<std::size_t>(term.rate)].name;
    }
    rows.push_back({"noise", fmt::format("every {:g} s", info.noise->every), along});
  }
  return table_text(rows);
}

/// Contacts, and the order of their impacts.
std::string contacts_text(const TextSystem& model, const SystemInfo& info) {
  if (model.model.contacts.empty()) return "";
  std::vector<std::vector<std::string>> rows;
  for (const text_model::ContactText& each : model.model.contacts) {
    rows.push_back({each.name, each.gap, "e = " + each.restitution, each.law});
    if (!each.slip.empty()) rows.push_back({each.name, "slip " + each.slip, "mu = " + each.friction, "Coulomb"});
  }
  rows.push_back({"impacts", info.impacts == ImpactOrder::sequential ? "sequential" : "simultaneous"});
  return table_text(rows);
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

/// Lists the constraints of single agents of a swarm, with their parameters.
std::string laws_text() {
  std::string text;
  for (const SwarmLaw& law : swarm_laws()) {
    text += section(fmt::format("law \"{}\": {}", law.name, law.equations), variables_text(law.parameters));
  }
  return text;
}

/// Features that runs of a swarm do not have.
std::string limits_text() {
  std::string text;
  for (const SwarmLimit& each : swarm_limits()) text += std::string("  ") + each.name + "\n";
  return section("not of swarms", text);
}

std::string description(const std::vector<const System*>& entries) {
  const SystemInfo& info = entries.front()->info;
  const std::string sizes = sizes_text(entries);
  return info.name + (info.summary.empty() ? "" : ": " + info.summary) + "\n" +
         section("source", indented(info.source)) +
         section("formulation", indented(formulation_text(info.formulation))) +
         section("equations", indented(info.equations)) + section("note", indented(info.note)) +
         section(info.agents > 0 ? fmt::format("sizes (agents = {} is described here)", info.agents)
                                 : "sizes (the first is described here)",
                 indented(sizes)) +
         section("parameters: default, unit", variables_text(constant_parameters(info))) +
         section("discrete variables: start, unit", variables_text(discrete_variables(info))) +
         section("coordinates: default start, unit", variables_text(info.coordinates)) +
         section("rates: default start, unit", variables_text(info.rates)) +
         section("constraints", constraints_text(info)) + section("invariants", invariants_text(info)) +
         section("defaults", defaults_text(info)) + (info.agents > 0 ? laws_text() + limits_text() : "");
}

std::string json_variables(const std::vector<Variable>& variables, bool with_value) {
  std::vector<std::string> objects;
  for (const Variable& each : variables) {
    JsonObject object;
    object.add("name", each.name);
    object.add("unit", each.unit);
    if (with_value) object.add("default", each.value);
    object.add("meaning", each.meaning);
    objects.push_back(object.text());
  }
  return json_array(objects);
}

std::string json_description(const std::vector<const System*>& entries) {
  const SystemInfo& info = entries.front()->info;
  JsonObject time;
  time.add("start", info.time.start);
  time.add("end", info.time.end);
  time.add("dt", info.time.dt);
  time.add("save_every", info.time.save_every);
  JsonObject object;
  object.add("name", info.name);
  object.add("summary", info.summary);
  object.add("source", info.source);
  object.add("formulation", formulation_text(info.formulation));
  object.add("equations", info.equations);
  object.add("note", info.note);
  object.add("sizes", sizes_text(entries));
  object.add_raw("parameters", json_variables(constant_parameters(info), true));
  object.add_raw("discrete", json_variables(discrete_variables(info), true));
  object.add_raw("coordinates", json_variables(info.coordinates, true));
  object.add_raw("rates", json_variables(info.rates, true));
  object.add_raw("constraints", json_variables(info.constraints, false));
  object.add("holonomic", info.holonomic);
  object.add_raw("invariants", json_variables(info.invariants, false));
  object.add("has_energy", info.has_energy);
  object.add("time", time);
  object.add("stabilization", toml_stabilization(info.stabilization));
  return object.text();
}

enum class Form { text, json, latex };

std::string catalogue_description(const std::string& name, Form form) {
  if (form == Form::json) return json_description(systems_named(name)) + "\n";
  if (form == Form::latex) throw Error(ExitCode::bad_input, "--latex is for models in files (.toml), found " + name);
  return description(systems_named(name));
}

/// Describes a model as text, with the derived formulas and the report on its start.
std::string file_description(const std::string& path, Form form) {
  const Scenario scenario = load_scenario(path, {});
  const TextSystem* const model = scenario.model.get();
  if (model == nullptr) return catalogue_description(scenario.system->info.name, form);
  for (const std::string& note : {model->model.start.error, model->model.start.off, model->model.start.loose}) {
    if (!note.empty()) std::fputs(fmt::format("kalaba: {}\n", note).c_str(), stderr);
  }
  if (form == Form::json) return json_description({scenario.system.get()}) + "\n";
  if (form == Form::latex) return equations_latex(*model);
  return description({scenario.system.get()}) +
         section("contacts: name, gap, restitution, law", contacts_text(*model, scenario.system->info)) +
         section("changes: name, when, new values", changes_text(scenario.options, scenario.system->info)) +
         section("mechanism", indented(model->model.mechanism)) +
         section("structure", indented(structure_text(*model)));
}

}  // namespace

Command add_describe_command(const CommandWords& app) {
  struct Request {
    std::string name;
    bool json = false;
    bool latex = false;
  };
  const CommandWords words =
      app.add_command("describe", "Show a system: equations, parameters, coordinates, constraints");
  const auto request = std::make_shared<Request>();
  words.add_option("NAME", request->name, "A system of the catalogue, or a scenario or model (.toml)")
      .type_name("")
      .required();
  words.add_flag("--latex", request->latex, "Of a model in a file: its derived equations as LaTeX, nothing else");
  words.add_flag("--json", request->json, "Print it as one JSON object, for scripts");
  words.footer(
      "Example:\n"
      "  kalaba describe spherical_pendulum\n"
      "  kalaba describe bead.toml --latex");
  return {words, [request] {
            if (request->json && request->latex) {
              throw Error(ExitCode::bad_input, "--json and --latex exclude each other");
            }
            const Form form = request->json ? Form::json : request->latex ? Form::latex : Form::text;
            const std::string text = names_a_file(request->name) ? file_description(request->name, form)
                                                                 : catalogue_description(request->name, form);
            std::fputs(text.c_str(), stdout);
            return ExitCode::ok;
          }};
}

}  // namespace kalaba
