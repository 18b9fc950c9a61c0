#include <fmt/format.h>

#include <cstdio>
#include <memory>

#include "cli/command.hpp"
#include "cli/named_systems.hpp"
#include "cli/new_file.hpp"
#include "scenario/document/toml_text.hpp"
#include "scenario/model/model_template.hpp"
#include "scenario/model/text_system.hpp"
#include "scenario/scenario.hpp"

namespace kalaba {
namespace {

struct InitRequest {
  std::string name;
  std::string file;
  bool is_model = false;
  bool is_mechanism = false;
};

/// Returns a scenario for the model in a file.
std::string template_of_file(const std::string& path) {
  const Scenario scenario = load_scenario(path, {});
  std::string text = scenario_template(*scenario.system);
  const std::string named = "system = " + toml_string(scenario.system->info.name);
  if (const auto at = text.find(named); at != std::string::npos) {
    text.replace(at, named.size(), "system = " + toml_string(path));
  }
  return text;
}

std::string text_of(const InitRequest& request) {
  if (request.is_model && request.is_mechanism) {
    throw Error(ExitCode::bad_input, "--model and --mechanism exclude each other");
  }
  if (request.is_model || request.is_mechanism) {
    if (!request.name.empty()) {
      const std::string option = request.is_model ? "--model" : "--mechanism";
      throw Error(ExitCode::bad_input, option + " writes a model of its own; leave out " + request.name);
    }
    return request.is_model ? model_template() : mechanism_template();
  }
  if (request.name.empty()) {
    throw Error(ExitCode::bad_input,
                "expected the NAME of a system, --model for a model as text, or --mechanism for bodies and joints");
  }
  if (names_a_file(request.name)) return template_of_file(request.name);
  return scenario_template(*systems_named(request.name).front());
}

ExitCode init(const InitRequest& request) {
  const std::string text = text_of(request);
  if (request.file.empty()) {
    std::fputs(text.c_str(), stdout);
  } else {
    write_new_file(request.file, text);
    std::fputs(fmt::format("{}: run it with  kalaba run {}\n", request.file, request.file).c_str(), stderr);
  }
  return ExitCode::ok;
}

}  // namespace

Command add_init_command(const CommandWords& app) {
  const CommandWords words = app.add_command("init", "Write a commented scenario or model to start from");
  const auto request = std::make_shared<InitRequest>();
  words.add_option("NAME", request->name, "A system of the catalogue, or a model (.toml)").type_name("");
  words.add_flag("--model", request->is_model, "In place of NAME: a commented model as text, to be changed");
  words.add_flag("--mechanism", request->is_mechanism, "In place of NAME: a commented mechanism of bodies and joints");
  words.add_option("-o,--output", request->file, "A new file for it (standard output where left out)")
      .type_name("FILE");
  words.footer(
      "Example:\n"
      "  kalaba init spherical_pendulum -o pendulum.toml\n"
      "  kalaba init --model -o mine.toml\n"
      "  kalaba init --mechanism -o mine.toml");
  return {words, [request] { return init(*request); }};
}

}  // namespace kalaba
