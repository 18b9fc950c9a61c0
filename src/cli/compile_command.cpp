#include <fmt/format.h>

#include <memory>
#include <string>
#include <vector>

#include "backend/backends.hpp"
#include "backend/compiled/compiled_runner.hpp"
#include "cli/command.hpp"
#include "cli/new_file.hpp"
#include "kalaba/compiled_source.hpp"
#include "kalaba/swarm_limits.hpp"
#include "scenario/scenario.hpp"

namespace kalaba {
namespace {

struct CompileRequest {
  std::string scenario;
  std::vector<std::string> overrides;
  std::string source;
};

ExitCode compile(const CompileRequest& request) {
  const Scenario scenario = load_scenario(request.scenario, request.overrides);
  const System& system = *scenario.system;
  if (const char* why = swarm_lacks(system.info, NotOfSwarms::compiling)) throw Error(ExitCode::bad_input, why);
  if (system.device_code.type.empty()) {
    throw Error(ExitCode::bad_input, system.info.name + ": was compiled with the program, and is not compiled anew");
  }
  if (!request.source.empty()) {
    write_new_file(request.source, compiled_source(system, scenario.options));
    return ExitCode::ok;
  }
  const Options options = options_to_compile(system, scenario.options);
  CompileReport report;
  if (compile_runner(system, options, report) == nullptr) {
    throw Error(ExitCode::no_backend, report.text(system.info.name));
  }
  std::fputs((report.text(system.info.name) + "\n").c_str(), stdout);
  return ExitCode::ok;
}

}  // namespace

Command add_compile_command(const CommandWords& app) {
  const CommandWords words =
      app.add_command("compile", "Compile a scenario's model for this machine, before it is run");
  const auto request = std::make_shared<CompileRequest>();
  words.add_option("SCENARIO", request->scenario, "A scenario file (.toml) or the name of a system")
      .type_name("")
      .required();
  words.add_overrides(request->overrides);
  words.add_option("--source", request->source,
                   "Write the code as a C++ source into this new file, for programs that run without a compiler");
  words.footer(
      "The code is kept where runs find it: $KALABA_CACHE_DIR, else $XDG_CACHE_HOME/kalaba, else ~/.cache/kalaba.\n"
      "Example:\n  kalaba compile sweep.toml\n  kalaba compile bead.toml --source bead_compiled.cpp");
  return {words, [request] { return compile(*request); }};
}

}  // namespace kalaba
