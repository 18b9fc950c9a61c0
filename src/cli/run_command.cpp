#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>
#include <memory>
#include <optional>

#include "backend/backends.hpp"
#include "cli/build_info.hpp"
#include "cli/command.hpp"
#include "cli/machine.hpp"
#include "cli/signals.hpp"
#include "output/outputs.hpp"
#include "report/plot.hpp"
#include "report/progress.hpp"
#include "report/statistics_text.hpp"
#include "report/summary.hpp"
#include "scenario/scenario.hpp"
#include "scenario/toml_text.hpp"

namespace kalaba {
namespace {

struct RunRequest {
  std::string scenario;
  std::vector<std::string> overrides;
  std::string output;
  std::string backend;
  std::string threads;
  std::string devices;
  std::string picture;
  CLI::Option* output_given = nullptr;
  CLI::Option* backend_given = nullptr;
  CLI::Option* threads_given = nullptr;
  CLI::Option* devices_given = nullptr;
  CLI::Option* plot_given = nullptr;
  bool quiet = false;
};

/// The overrides with the shorthands, which are keys of the scenario too.
std::vector<std::string> overrides_of(const RunRequest& request) {
  std::vector<std::string> overrides = request.overrides;
  if (*request.output_given) overrides.push_back("output.file=" + toml_string(request.output));
  if (*request.backend_given) overrides.push_back("solver.backend=" + toml_string(request.backend));
  if (*request.devices_given) overrides.push_back("solver.devices=[" + request.devices + "]");
  if (*request.threads_given) overrides.push_back("solver.threads=" + request.threads);
  return overrides;
}

/// For a process that ends without its destructors: removes what it has begun to write beside `path`.
void remove_unpublished(const std::string& path) {
  namespace fs = std::filesystem;
  if (path.empty()) return;
  const fs::path folder = fs::absolute(path).parent_path();
  const std::string ours = fmt::format("{}.{}-", fs::path(path).filename().string(), ::getpid());
  std::error_code ignored;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, ignored)) {
    if (entry.path().filename().string().starts_with(ours)) fs::remove(entry.path(), ignored);
  }
}

struct Outcome {
  Summary summary;
  std::vector<std::string> files;  // where the output is, that of trajectories first
};

Outcome integrate(const Scenario& scenario, bool quiet) {
  StopSignals signals([&] {
    for (const std::string& path : output_paths(scenario.output_file, scenario.options)) remove_unpublished(path);
  });
  std::vector<std::unique_ptr<FileSink>> files;
  if (!scenario.output_file.empty()) {
    const std::string compiler =
        fmt::format("{}, {}, -march={}", build_info.compiler, build_info.build_type, build_info.arch);
    const Provenance provenance = {scenario.text,     scenario.seed, build_info.version,
                                   build_info.commit, compiler,      machine_text()};
    files = open_outputs(scenario.output_file, provenance, scenario.options);
  }
  std::vector<Sink*> sinks;
  for (const auto& file : files) sinks.push_back(file.get());
  std::optional<ProgressBar> bar;
  if (!quiet) bar.emplace(stderr);
  const auto show = [&](const Progress& progress) {
    if (bar) bar->update(progress);
  };
  const Summary summary = run(*scenario.system, *scenario.source, scenario.options, sinks, show, signals.token());
  Outcome outcome{summary, {}};
  for (const auto& file : files) outcome.files.push_back(file->published_path());
  return outcome;
}

void print_line(const std::string& title, const std::string& text) {
  std::fputs(fmt::format("  {:<12} {}\n", title, text).c_str(), stdout);
}

void draw(const RunRequest& request, const std::string& data) {
  PlotOptions options;
  if (request.picture != "true") options.output = request.picture;  // "true" is --plot without a name
  for (const std::string& picture : plot_file(data, options)) {
    if (!request.quiet) print_line("picture", picture);
  }
}

ExitCode exit_code(const Summary& summary) {
  if (summary.interrupted) return ExitCode::interrupted;
  return summary.failed() > 0 ? ExitCode::members_failed : ExitCode::ok;
}

void check_picture(const Scenario& scenario) {
  if (scenario.output_file.empty()) {
    throw Error(ExitCode::bad_input, "--plot draws the output file, and this run has none: name one with -o FILE");
  }
  if (!scenario.options.trajectories) {
    throw Error(ExitCode::bad_input,
                "--plot draws members: expected output.trajectories = true, found false; leave out one of the two");
  }
}

void print_summary(const Scenario& scenario, const Summary& summary, const std::vector<std::string>& files) {
  const SystemInfo& system = scenario.system->info;
  const std::string file = files.empty() ? "" : files.front();
  std::fputs(summary_text(system, scenario.options, summary, file).c_str(), stdout);
  for (std::size_t i = 1; i < files.size(); ++i) print_line("", files[i]);
  if (files.empty()) {
    print_line("file", "none was asked for; -o FILE.nc or -o FILE.csv writes one");
  } else if (scenario.options.statistics.any()) {
    print_line("statistics", statistics_text(system, scenario.options, scenario.members));
  }
}

ExitCode run_scenario(const RunRequest& request) {
  const Scenario scenario = load_scenario(request.scenario, overrides_of(request));
  const bool plots = request.plot_given->count() > 0;
  if (plots) check_picture(scenario);
  const std::string note = choose_backend(*scenario.system, scenario.options).note;
  if (!request.quiet && !note.empty()) std::fputs((note + "\n").c_str(), stderr);

  const auto [summary, files] = integrate(scenario, request.quiet);
  if (!request.quiet) print_summary(scenario, summary, files);
  if (plots && !summary.interrupted) {
    draw(request, files.front());
  } else if (!request.quiet && !files.empty() && scenario.options.trajectories) {
    print_line("to plot it", "kalaba plot " + files.front());
  }
  return exit_code(summary);
}

}  // namespace

Command add_run_command(CLI::App& app) {
  CLI::App* words = app.add_subcommand("run", "Integrate a scenario, or a system of the catalogue as it stands");
  const auto request = std::make_shared<RunRequest>();
  words->add_option("SCENARIO", request->scenario, "A scenario file (.toml) or the name of a system")
      ->type_name("")
      ->required();
  words->add_option("-s,--set", request->overrides, "Override a key of the scenario: KEY=VALUE (repeatable)")
      ->type_name("KEY=VALUE")
      ->allow_extra_args(false);
  request->output_given =
      words->add_option("-o,--output", request->output, "Write .nc (netCDF-4) or .csv; as -s output.file=FILE")
          ->type_name("FILE");
  request->backend_given =
      words->add_option("--backend", request->backend, "auto, cuda, cpu or reference; as -s solver.backend=B")
          ->type_name("B");
  request->threads_given =
      words->add_option("--threads", request->threads, "Worker threads, 0: one a core; as -s solver.threads=N")
          ->type_name("N");
  request->devices_given =
      words->add_option("--devices", request->devices, "GPUs by number, e.g. 0,1; as -s 'solver.devices=[0, 1]'")
          ->type_name("N,...");
  request->plot_given =
      words->add_flag("--plot", request->picture, "Draw the output: --plot, or --plot=FILE (.png or .svg)");
  words->add_flag("--quiet", request->quiet, "Print nothing but errors");
  words->footer(
      "Example:\n"
      "  kalaba run pendulum.toml -s time.end=20 -s 'parameters.L={uniform=[0.5, 2]}' -o pendulum.nc --plot");
  return {words, [request] { return run_scenario(*request); }};
}

}  // namespace kalaba
