#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <optional>

#include "backend/backends.hpp"
#include "cli/command.hpp"
#include "cli/run_task.hpp"
#include "cli/signals.hpp"
#include "output/pending_file.hpp"
#include "output/run_files.hpp"
#include "report/page.hpp"
#include "report/plot.hpp"
#include "report/progress.hpp"
#include "report/statistics_text.hpp"
#include "report/summary.hpp"
#include "report/text.hpp"
#include "scenario/toml_text.hpp"

namespace kalaba {
namespace {

struct RunRequest {
  RunWords words;
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
  std::vector<std::string> overrides = request.words.overrides;
  if (*request.output_given) overrides.push_back("output.file=" + toml_string(request.output));
  if (*request.backend_given) overrides.push_back("solver.backend=" + toml_string(request.backend));
  if (*request.devices_given) overrides.push_back("solver.devices=[" + request.devices + "]");
  if (*request.threads_given) overrides.push_back("solver.threads=" + request.threads);
  return overrides;
}

struct Outcome {
  Summary summary;
  std::vector<std::string> files;  // where the output is, that of trajectories first
  bool can_resume = false;
};

Outcome integrate(RunTask& task, bool quiet) {
  const Scenario& scenario = task.scenario;
  StopSignals signals([&] {
    if (!scenario.output_file.empty()) remove_without_progress(scenario.output_file, scenario.options);
  });
  std::optional<RunFiles> files;
  std::vector<Sink*> sinks;
  if (!scenario.output_file.empty()) {
    sinks.push_back(&files.emplace(std::move(task.lock), scenario.output_file, task.provenance, scenario.options,
                                   std::move(task.checkpoint)));
  }
  std::optional<ProgressBar> bar;
  if (!quiet) bar.emplace(stderr);
  const auto show = [&](const Progress& progress) {
    if (bar) bar->update(progress);
  };
  try {
    const Summary summary =
        run(*scenario.system, *scenario.source, scenario.options, sinks, show, signals.token(), task.part);
    return {summary, files ? files->published_paths() : std::vector<std::string>(), files && files->has_progress()};
  } catch (const Error& error) {
    if (!files || !files->has_progress()) throw;
    throw Error(error.code(), fmt::format("{}\nkalaba: {} of {} members are safe; kalaba run --resume {} goes on",
                                          error.what(), grouped(files->before().finished_members),
                                          grouped(files->before().members), scenario.output_file));
  }
}

void print_line(const std::string& title, const std::string& text) {
  std::fputs(fmt::format("  {:<12} {}\n", title, text).c_str(), stdout);
}

void draw(const RunRequest& request, const std::string& data) {
  PlotOptions options;
  if (request.picture != "true") options.output = request.picture;  // "true" is --plot without a name
  const Picture picture = plot_file(data, options);
  if (request.quiet) return;
  print_line("picture", picture.path);
  if (!picture.left_out.empty()) print_line("", "of its members " + picture.left_out);
}

ExitCode exit_code(const Summary& summary) {
  if (summary.interrupted) return ExitCode::interrupted;
  return summary.failed() > 0 ? ExitCode::members_failed : ExitCode::ok;
}

/// Throws now what drawing would throw when all is integrated.
void check_picture(const RunRequest& request, const Scenario& scenario) {
  if (scenario.output_file.empty()) {
    throw Error(ExitCode::bad_input, "--plot draws the output file, and this run has none: name one with -o FILE");
  }
  if (!scenario.options.trajectories) {
    throw Error(ExitCode::bad_input,
                "--plot draws members: expected output.trajectories = true, found false; leave out one of the two");
  }
  if (request.picture == "true") return;
  picture_ending(request.picture);
  check_place(request.picture);
}

void print_summary(const Scenario& scenario, const Outcome& outcome) {
  const auto& [summary, files, can_resume] = outcome;
  const SystemInfo& system = scenario.system->info;
  const std::string file = files.empty() ? "" : files.front();
  std::fputs(summary_text(system, scenario.options, summary, file).c_str(), stdout);
  if (summary.interrupted && can_resume) {
    print_line("to go on", "kalaba run --resume " + scenario.output_file);
  }
  for (std::size_t i = 1; i < files.size(); ++i) print_line("", files[i]);
  if (files.empty()) {
    print_line("file", "none was asked for; -o FILE.nc or -o FILE.csv writes one");
  } else if (scenario.options.statistics.any()) {
    print_line("statistics", statistics_text(system, scenario.options, scenario.members));
  }
}

/// Refuses options that speak of two things.
void check_words(const RunRequest& request) {
  const RunWords& words = request.words;
  if (words.resumed.empty()) return;
  if (*request.output_given) throw Error(ExitCode::bad_input, "--resume names the output: leave out -o");
  if (words.restarts) throw Error(ExitCode::bad_input, "--resume and --restart exclude each other");
}

void check_shard(const RunTask& task) {
  if (task.provenance.shard.empty() || std::filesystem::path(task.scenario.output_file).extension() == ".nc") return;
  throw Error(ExitCode::bad_input,
              fmt::format("--shard: expected an output that ends in .nc, which kalaba merge joins, "
                          "found {}",
                          task.scenario.output_file));
}

ExitCode run_scenario(const RunRequest& request) {
  check_words(request);
  RunWords words = request.words;
  words.overrides = overrides_of(request);
  RunTask task = prepare_run(words);
  const Scenario& scenario = task.scenario;
  if (task.is_complete) {
    if (!request.quiet)
      std::fputs((scenario.output_file + ": is complete, there is nothing to resume\n").c_str(), stdout);
    return ExitCode::ok;
  }
  check_shard(task);
  const bool plots = request.plot_given->count() > 0;
  if (plots) check_picture(request, scenario);
  const std::string note = choose_backend(*scenario.system, scenario.options).note;
  if (!request.quiet && !note.empty()) std::fputs((note + "\n").c_str(), stderr);
  for (const std::string& each : scenario.notes) {
    if (!request.quiet) std::fputs((each + "\n").c_str(), stderr);
  }

  const Outcome outcome = integrate(task, request.quiet);
  const auto& [summary, files, can_resume] = outcome;
  if (!request.quiet) print_summary(scenario, outcome);
  if (request.quiet) report_failures(summary);
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
  words->add_option("SCENARIO", request->words.scenario, "A scenario file (.toml) or the name of a system")
      ->type_name("");
  words->add_option("-s,--set", request->words.overrides, "Override a key of the scenario: KEY=VALUE (repeatable)")
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
  words
      ->add_option("--resume", request->words.resumed,
                   "Go on with the unfinished run of FILE; with SCENARIO, begin it where there is none")
      ->type_name("FILE");
  words->add_flag("--restart", request->words.restarts, "Begin anew where an unfinished run is in the way");
  words
      ->add_option("--shard", request->words.shard,
                   "Integrate part i of N, to NAME.i-of-N.nc; kalaba merge joins the parts")
      ->type_name("i/N");
  words->add_flag("--quiet", request->quiet, "Print nothing but errors");
  words->footer(
      "Example:\n"
      "  kalaba run pendulum.toml -s time.end=20 -s 'parameters.L={uniform=[0.5, 2]}' -o pendulum.nc --plot\n"
      "A run that was interrupted or killed goes on, and ends as if it had not been:\n"
      "  kalaba run --resume pendulum.nc");
  return {words, [request] { return run_scenario(*request); }};
}

}  // namespace kalaba
