#include <fmt/chrono.h>
#include <fmt/format.h>

#include <cstdio>
#include <ctime>
#include <memory>
#include <set>

#include "backend/backends.hpp"
#include "bench/json.hpp"
#include "bench/measure.hpp"
#include "cli/bench_table.hpp"
#include "cli/build_info.hpp"
#include "cli/command.hpp"
#include "cli/work_precision.hpp"
#include "kalaba/check_options.hpp"
#include "output/durable/pending_file.hpp"
#include "report/text/progress.hpp"
#include "scenario/scenario.hpp"
#include "text/nearest.hpp"

namespace kalaba {
namespace {

using bench::Measurement;
using bench::Subject;
using Words = std::vector<std::string>;

struct BenchRequest {
  std::string scenario;
  Words overrides;
  long members = 0;
  std::string backend;
  double seconds = 1;
  std::string json;
  bool work_precision = false;
  std::string picture;
};

/// A scenario and its overrides.
struct Target {
  std::string scenario;
  Words overrides;
  bool where_possible = false;  ///< reported as not measured if its backend is not available
};

std::vector<Target> targets_of(const BenchRequest& request) {
  if (!request.scenario.empty()) return {{request.scenario, request.overrides}};
  std::vector<Target> targets = {{"spherical_pendulum", {}},
                                 {"two_particles_incline", {"solver.pseudo_inverse=svd"}},
                                 {"two_particles_incline", {"solver.pseudo_inverse=qr"}},
                                 {"constrained_double_pendulum", {}}};
  for (const char* links : {"4", "8", "16"}) targets.push_back({"chain", {std::string("structure.links=") + links}});
  if (request.backend.empty() || request.backend == backend_name(Backend::cuda)) {
    targets.push_back({"two_particles_incline", {"solver.pseudo_inverse=cusolver"}, true});
    for (const char* agents : {"structure.agents=131072", "structure.agents=100"}) {  // one swarm, and many
      for (const char* precision : {"solver.precision=single", "solver.precision=double"}) {
        targets.push_back({"swarm", {agents, precision, "solver.pair_sum=all_pairs", "solver.backend=cuda"}, true});
      }
    }
  }
  for (Target& each : targets) {
    each.overrides.insert(each.overrides.end(), request.overrides.begin(), request.overrides.end());
  }
  return targets;
}

/// Backends to measure, and reasons why others are left out.
struct Choice {
  std::vector<Backend> backends;
  Words absent;
};

/// Returns the backend of the command line or of the scenario; else every available one that makes the changes of the
/// scenario.
Choice backends_of(const BenchRequest& request, const Scenario& scenario) {
  Words names;
  for (const Backend each : {Backend::reference, Backend::cpu, Backend::cuda}) {
    names.emplace_back(backend_name(each));
    if (request.backend == backend_name(each)) return {{each}, {}};
  }
  if (!request.backend.empty()) {
    throw Error(ExitCode::bad_input, fmt::format("there is no backend '{}'{}; --backend takes reference, cpu or cuda",
                                                 request.backend, suggestion(request.backend, names)));
  }
  if (scenario.options.backend != Backend::automatic) return {{scenario.options.backend}, {}};
  if (scenario.options.method.pseudo_inverse == PseudoInverse::cusolver) return {{Backend::cuda}, {}};
  Choice choice = {{Backend::cpu}, {}};
  for (const Backend each : {Backend::reference, Backend::cuda}) {
    if (each == Backend::cuda && !cuda_available()) continue;
    Options options = scenario.options;
    options.backend = each;
    const std::string why = fault_of_changes(scenario.system->info, options);
    if (why.empty()) {
      choice.backends.insert(each == Backend::cuda ? choice.backends.end() : choice.backends.begin(), each);
    } else {
      choice.absent.push_back(
          fmt::format("  {} {}: not measured: {}", scenario.system->info.name, backend_name(each), why));
    }
  }
  return choice;
}

/// Returns the scenario with the requested members; if it has a single one, with more members than any backend needs.
Scenario load(const Target& target, const BenchRequest& request) {
  Words overrides = target.overrides;
  if (request.members > 0) overrides.push_back(fmt::format("ensemble.members={}", request.members));
  Scenario scenario = load_scenario(target.scenario, overrides);
  if (scenario.members > 1 || request.members > 0) return scenario;
  overrides.emplace_back("ensemble.members=1048576");
  return load_scenario(target.scenario, overrides);
}

/// Measures a target; returns one line for each backend that is left out.
Words measure(const Target& target, const BenchRequest& request, std::vector<Measurement>& measurements) {
  const Scenario scenario = load(target, request);
  if (adapts(scenario.options.method.integrator)) {
    throw Error(ExitCode::bad_input,
                fmt::format("solver.integrator: expected rk4, found {}: bench compares steps of equal length; "
                            "--work-precision measures every integrator",
                            integrator_name(scenario.options.method.integrator)));
  }
  ProgressBar bar(stderr);
  const Choice choice = backends_of(request, scenario);
  for (const Backend backend : choice.backends) {
    Subject subject = {scenario.system.get(), scenario.source.get(), scenario.options, request.members,
                       request.seconds};
    subject.options.backend = backend;
    subject.options.method.pseudo_inverse = choose_pseudo_inverse(*scenario.system, subject.options);
    bar.update(fmt::format("measuring {} on {}", bench::label(scenario.system->info), backend_name(backend)));
    measurements.push_back(bench::measure(subject));
  }
  return choice.absent;
}

/// Measures every target; returns one line for each that could not be measured.
Words measure_all(const BenchRequest& request, std::vector<Measurement>& measurements) {
  Words absent;
  for (const Target& each : targets_of(request)) {
    try {
      const Words lines = measure(each, request, measurements);
      absent.insert(absent.end(), lines.begin(), lines.end());
    } catch (const Error& error) {
      if (!each.where_possible || error.code() != ExitCode::no_backend) throw;
      absent.push_back(fmt::format("  {} {}: not measured: {}", each.scenario, each.overrides.front(), error.what()));
    }
  }
  return absent;
}

bench::Origin origin() {
  return {build_info.version, build_info.commit, build_info.compiler,
          fmt::format("{}, -march={}", build_info.build_type, build_info.arch),
          fmt::format("{:%FT%TZ}", fmt::gmtime(std::time(nullptr)))};
}

void write_json(const std::string& path, const std::vector<JsonObject>& rows) {
  PendingFile file(path);
  file.write(bench::json_text(rows));
  file.publish();
}

/// Returns the scenario with the requested members; if it has a single one, with enough members to fill packs.
Scenario load_few(const BenchRequest& request) {
  Words overrides = request.overrides;
  if (request.members > 0) overrides.push_back(fmt::format("ensemble.members={}", request.members));
  Scenario scenario = load_scenario(request.scenario, overrides);
  if (scenario.members > 1 || request.members > 0) return scenario;
  overrides.emplace_back("ensemble.members=64");
  return load_scenario(request.scenario, overrides);
}

ExitCode bench_work_precision(const BenchRequest& request) {
  if (request.scenario.empty()) throw Error(ExitCode::bad_input, "--work-precision needs a SCENARIO");
  if (!request.picture.empty()) PendingFile probe(request.picture);
  const Scenario scenario = load_few(request);
  Subject subject = {scenario.system.get(), scenario.source.get(), scenario.options, 0, request.seconds};
  subject.options.backend = request.backend.empty() && scenario.options.backend == Backend::automatic
                                ? Backend::cpu
                                : backends_of(request, scenario).backends.front();
  subject.options.method.pseudo_inverse = choose_pseudo_inverse(*scenario.system, subject.options);
  ProgressBar bar(stderr);
  const bench::WorkPrecision all =
      bench::work_precision(subject, [&](const std::string& what) { bar.update(fmt::format("measuring {}", what)); });
  std::fputs(work_precision_table(all).c_str(), stdout);
  std::fputs(fmt::format("  on {}\n", all.device).c_str(), stdout);
  if (!request.json.empty()) write_json(request.json, work_precision_rows(all, origin()));
  if (!request.picture.empty()) draw_work_precision(all, request.picture);
  return ExitCode::ok;
}

ExitCode bench_systems(const BenchRequest& request) {
  if (!(request.seconds > 0)) throw Error(ExitCode::bad_input, "--seconds must be positive");
  if (request.members < 0) throw Error(ExitCode::bad_input, "--members must not be negative");
  if (!request.json.empty()) PendingFile probe(request.json);  // throws for an unusable path before the measurements
  if (request.work_precision) return bench_work_precision(request);
  if (!request.picture.empty()) throw Error(ExitCode::bad_input, "--output goes with --work-precision");
  std::vector<Measurement> measurements;
  const Words absent = measure_all(request, measurements);
  std::fputs(bench_table(measurements).c_str(), stdout);
  for (const std::string& each : absent) std::fputs((each + "\n").c_str(), stdout);
  for (const Measurement& each : measurements) {
    if (!each.pairs_per_second) continue;
    std::fputs(fmt::format("  {} {} {}: {} pair interactions/s\n", each.system, backend_name(each.options.backend),
                           precision_name(each.options.precision), with_prefix(*each.pairs_per_second))
                   .c_str(),
               stdout);
  }
  std::set<std::string> devices;
  for (const Measurement& each : measurements) devices.insert(each.device);
  for (const std::string& each : devices) std::fputs(fmt::format("  on {}\n", each).c_str(), stdout);
  if (!request.json.empty()) {
    std::vector<JsonObject> rows;
    for (const Measurement& each : measurements) rows.push_back(json_row(each, origin()));
    write_json(request.json, rows);
  }
  for (const Measurement& each : measurements) {
    if (!each.failure.empty()) return ExitCode::members_failed;
  }
  return ExitCode::ok;
}

}  // namespace

Command add_bench_command(const CommandWords& app) {
  const CommandWords words = app.add_command("bench", "Measure how fast a system or scenario runs on this machine");
  const auto request = std::make_shared<BenchRequest>();
  words
      .add_option("SCENARIO", request->scenario,
                  "A scenario file (.toml) or the name of a system; a small set of them where left out")
      .type_name("");
  words.add_overrides(request->overrides);
  words.add_option("--members", request->members, "Measure so many at once (chosen where left out)").type_name("N");
  words.add_option("--backend", request->backend, "Only this one: reference, cpu or cuda").type_name("B");
  words.add_option("--seconds", request->seconds, "About so long a system and backend (default 1)").type_name("T");
  words.add_option("--json", request->json, "Write the figures to this file").type_name("FILE");
  words.add_flag("--work-precision", request->work_precision,
                 "Time against error instead, of every integrator from coarse to fine, on one thread");
  words.add_option("-o,--output", request->picture, "Draw that (.png or .svg)").type_name("PICTURE");
  words.footer(
      "Medians of at least five repetitions after a warm-up; no file is written. A long run is measured on its first\n"
      "steps. steps/s: of all members together while they advance. members/s: whole runs; the four columns after it\n"
      "show the parts of their time. of peak: of the floating-point operations that the threads can do, a lower "
      "bound,\n"
      "for the systems measured where none is named. Exit code 1 where members fail; those have no figures.\n"
      "Errors of --work-precision are those at the end, against dop853 at the tightest tolerance; exit code 1 where "
      "RK4\n"
      "with small steps does not confirm it.\n"
      "Examples:\n"
      "  kalaba bench spherical_pendulum -s 'parameters.L={uniform=[0.5, 2]}' --backend cpu --json bench.json\n"
      "  kalaba bench spherical_pendulum -s time.end=5 --work-precision -o work.png");
  return {words, [request] { return bench_systems(*request); }};
}

}  // namespace kalaba
