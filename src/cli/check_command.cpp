#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <memory>
#include <mutex>

#include "backend/backends.hpp"
#include "check/check.hpp"
#include "check/verdict.hpp"
#include "cli/build_info.hpp"
#include "cli/check_table.hpp"
#include "cli/command.hpp"
#include "cli/named_systems.hpp"
#include "kalaba/backend/parallel.hpp"
#include "output/durable/pending_file.hpp"
#include "report/text/progress.hpp"
#include "scenario/model/text_system.hpp"
#include "scenario/scenario.hpp"
#include "text/nearest.hpp"

namespace kalaba {
namespace {

using check::Verdicts;

struct CheckRequest {
  std::vector<std::string> names;
  std::string backend;
  std::string json;
  bool with_long = false;
  bool verbose = false;
};

std::vector<Backend> backends_present() {
  std::vector<Backend> present = {Backend::reference, Backend::cpu};
  if (cuda_available()) present.push_back(Backend::cuda);
  return present;
}

std::vector<Backend> backends_of(const CheckRequest& request) {
  if (request.backend.empty()) return backends_present();
  std::vector<std::string> names;
  for (const Backend each : {Backend::reference, Backend::cpu, Backend::cuda}) {
    names.emplace_back(backend_name(each));
    if (request.backend != backend_name(each)) continue;
    if (each == Backend::cuda && !cuda_available()) {
      throw Error(ExitCode::no_backend, "backend \"cuda\": " + cuda_unavailable_reason());
    }
    return {each};
  }
  throw Error(ExitCode::bad_input, fmt::format("there is no backend '{}'{}; --backend takes reference, cpu or cuda",
                                               request.backend, suggestion(request.backend, names)));
}

/// A system to check, with the events and clocks of its file.
struct CheckedSystem {
  const System* system;
  check::Changes changes;
};

/// Returns the verdicts of every system in the order of the systems.
Verdicts check_all(const std::vector<CheckedSystem>& systems, const std::vector<Backend>& backends, bool with_long) {
  constexpr int every_core = 0;
  std::vector<Verdicts> each(systems.size());
  ProgressBar bar(stderr);
  std::mutex mutex;
  std::size_t done = 0;
  parallel_for(static_cast<long>(systems.size()), 1, every_core, [&](long begin, long end) {
    for (auto i = static_cast<std::size_t>(begin); i < static_cast<std::size_t>(end); ++i) {
      each[i] = check::check_system(*systems[i].system, backends, with_long, systems[i].changes);
      const std::lock_guard lock(mutex);
      bar.update(fmt::format("{} of {} systems checked", ++done, systems.size()));
    }
  });
  Verdicts all;
  for (const Verdicts& some : each) all.insert(all.end(), some.begin(), some.end());
  return all;
}

constexpr const char* standard_output = "-";

void write_json(const std::string& path, const Verdicts& verdicts) {
  const std::string date = fmt::format("{:%FT%TZ}", fmt::gmtime(std::time(nullptr)));
  const std::string text = json_text(verdicts, {build_info.version, build_info.commit, date});
  if (path == standard_output) {
    std::fputs(text.c_str(), stdout);
    return;
  }
  PendingFile file(path);
  file.write(text);
  file.publish();
}

/// Returns the requested systems, including those in files; `owned` keeps the latter alive.
std::vector<CheckedSystem> systems_of(const CheckRequest& request, std::vector<std::shared_ptr<const System>>& owned) {
  std::vector<std::string> names;
  std::vector<CheckedSystem> of_files;
  for (const std::string& name : request.names) {
    if (!names_a_file(name)) {
      names.push_back(name);
      continue;
    }
    const Scenario scenario = load_scenario(name, {});
    if (scenario.model) {
      const text_model::StartReport& start = scenario.model->model.start;
      for (const std::string& note : {start.off, start.loose}) {
        if (!note.empty()) std::fputs(fmt::format("kalaba: {}\n", note).c_str(), stderr);
      }
    }
    owned.push_back(scenario.system);
    of_files.push_back({scenario.system.get(), {scenario.options.events, scenario.options.clocks}});
  }
  std::vector<CheckedSystem> systems;
  if (!names.empty() || owned.empty()) {
    for (const System* each : systems_named_or_all(names)) systems.push_back({each, {}});
  }
  systems.insert(systems.end(), of_files.begin(), of_files.end());
  return systems;
}

ExitCode check_systems(const CheckRequest& request) {
  std::vector<std::shared_ptr<const System>> owned;
  const auto systems = systems_of(request, owned);
  const auto backends = backends_of(request);
  const bool is_printed = request.json == standard_output;
  if (!request.json.empty() && !is_printed)
    PendingFile probe(request.json);  // throws for an unusable path before the computation
  const Verdicts verdicts = check_all(systems, backends, request.with_long);
  if (!is_printed) {
    std::fputs((request.verbose ? check_table(verdicts) : check_overview(verdicts)).c_str(), stdout);
    std::fputs((check_summary(verdicts) + "\n").c_str(), stdout);
  }
  if (!request.json.empty()) write_json(request.json, verdicts);
  return count(verdicts, check::Outcome::failed) > 0 ? ExitCode::members_failed : ExitCode::ok;
}

}  // namespace

Command add_check_command(const CommandWords& app) {
  const CommandWords words = app.add_command(
      "check", "Compare every system with its figures, closed form, invariants and the reference, on every backend");
  const auto request = std::make_shared<CheckRequest>();
  words
      .add_option("NAME", request->names,
                  "Systems of the catalogue, or models (.toml); the whole catalogue where left out")
      .type_name("");
  words.add_option("--backend", request->backend, "Only this one: reference, cpu or cuda").type_name("B");
  words.add_flag("--long", request->with_long, "Also what takes minutes: late figures, the reference of large systems");
  words.add_flag("--verbose", request->verbose, "A line for every check, not only the worst of a system and backend");
  words
      .add_option("--json", request->json,
                  "Write every check to this file; -: to the standard output, in place of the table")
      .type_name("FILE");
  words.footer(
      "Exit code 1 where a check fails.\n"
      "Example:\n"
      "  kalaba check spherical_pendulum swarm --json check.json\n"
      "  kalaba check bead.toml --verbose");
  return {words, [request] { return check_systems(*request); }};
}

}  // namespace kalaba
