#include <fmt/format.h>

#include <filesystem>
#include <memory>

#include "cli/cluster.hpp"
#include "cli/command.hpp"
#include "cli/dry_run.hpp"
#include "cli/integrate.hpp"
#include "cli/local_shards.hpp"
#include "cli/run_report.hpp"
#include "cli/run_task.hpp"
#include "output/durable/disk_space.hpp"
#include "output/durable/pending_file.hpp"
#include "report/figure/page.hpp"
#include "report/figure/plot.hpp"
#include "report/text/summary.hpp"
#include "report/text/text.hpp"
#include "scenario/document/toml_text.hpp"
#include "text/json.hpp"

namespace kalaba {
namespace {

struct RunRequest {
  RunWords words;
  std::string output;
  std::string backend;
  std::string threads;
  std::string devices;
  std::string picture;
  Option output_given;
  Option backend_given;
  Option threads_given;
  Option devices_given;
  Option plot_given;
  Option member_given;
  bool quiet = false;
  bool json = false;
  long shards = 0;  ///< --shards N --local
  bool is_local = false;
  int threads_of_process = 0;  ///< if neither the scenario nor --threads sets the number; 0: one per CPU

  /// Returns true if no progress and no notes are printed.
  bool is_still() const { return quiet || json; }
};

/// Overrides including those of the shorthands, which are keys of the scenario too.
std::vector<std::string> overrides_of(const RunRequest& request) {
  std::vector<std::string> overrides = request.words.overrides;
  if (request.output_given.is_given()) overrides.push_back("output.file=" + toml_string(request.output));
  if (request.backend_given.is_given()) overrides.push_back("solver.backend=" + toml_string(request.backend));
  if (request.devices_given.is_given()) overrides.push_back("solver.devices=[" + request.devices + "]");
  if (request.threads_given.is_given()) overrides.push_back("solver.threads=" + request.threads);
  return overrides;
}

/// Draws the data and returns the picture's path.
std::string draw(const RunRequest& request, const std::string& data) {
  PlotOptions options;
  if (request.picture != "true") options.output = request.picture;  // "true" is --plot without a name
  const Picture picture = plot_file(data, options);
  if (request.is_still()) return picture.path;
  print_line("picture", picture.path);
  if (!picture.left_out.empty()) print_line("", "of its members " + picture.left_out);
  return picture.path;
}

/// Throws before the run the errors that drawing would throw after it.
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

/// Throws for options that --shards N --local does not support.
void check_shards(const RunRequest& request) {
  const auto refuse = [](const std::string& message) { throw Error(ExitCode::bad_input, message); };
  if (request.shards == 0) refuse("--local requires --shards N");
  if (request.shards < 1) refuse(fmt::format("--shards: expected a number from 1 on, found {}", request.shards));
  if (!request.is_local) refuse("--shards: --local runs them on this machine; kalaba submit submits them to a cluster");
  if (!request.words.shard.empty()) refuse("--shards and --shard exclude each other");
  if (request.member_given.is_given()) refuse("--shards and --member exclude each other");
  if (request.json) refuse("--shards and --json exclude each other");
  if (request.plot_given.is_given()) refuse("--shards and --plot exclude each other; kalaba plot draws what is merged");
  if (request.words.scenario.empty()) refuse("--shards: SCENARIO is required, also to go on with a run");
}

/// Throws for contradictory options.
void check_words(const RunRequest& request) {
  const RunWords& words = request.words;
  const auto refuse = [](const std::string& message) { throw Error(ExitCode::bad_input, message); };
  if (request.output_given.is_given() && request.output.empty())
    refuse("-o: expected the name of a file, found nothing");
  if (request.member_given.is_given() && words.member < 0) {
    refuse(fmt::format("--member: expected a number from 0 on, found {}", words.member));
  }
  if (request.member_given.is_given() && !words.shard.empty()) refuse("--member and --shard exclude each other");
  if (request.shards != 0 || request.is_local) check_shards(request);
  if (words.no_clobber && words.restarts) refuse("--no-clobber and --restart exclude each other");
  if (words.resumed.empty()) return;
  if (request.output_given.is_given()) refuse("--resume names the output: leave out -o");
  if (words.restarts) refuse("--resume and --restart exclude each other");
  if (words.dry_run) refuse("--resume and --dry-run exclude each other");
  if (request.member_given.is_given()) refuse("--resume and --member exclude each other");
}

void check_shard(const RunTask& task) {
  if (task.provenance.shard.find('/') == std::string::npos) return;
  if (std::filesystem::path(task.scenario.output_file).extension() == ".nc") return;
  throw Error(ExitCode::bad_input,
              fmt::format("--shard: expected an output that ends in .nc, which kalaba merge joins, "
                          "found {}",
                          task.scenario.output_file));
}

void print_notes(const RunTask& task) {
  const Scenario& scenario = task.scenario;
  for (const std::string& each : scenario.notes) std::fputs((each + "\n").c_str(), stderr);
}

/// Prints the summary after the run and draws the picture.
ExitCode conclude(const RunRequest& request, const RunTask& task, const RunOutcome& outcome) {
  const auto& [summary, files, can_resume] = outcome;
  const bool plots = request.plot_given.is_given() && !summary.interrupted;
  if (!request.is_still()) print_summary(task, outcome);
  if (request.is_still()) report_failures(summary);
  const std::string picture = plots ? draw(request, files.front()) : "";
  if (request.json) print_json(summary_json(task, outcome, picture));
  if (!plots && !request.is_still() && !files.empty() && task.scenario.options.trajectories) {
    print_line("to plot it", "kalaba plot " + files.front());
  }
  return exit_code(summary);
}

/// Reports that an output is complete, with the result of its run.
ExitCode conclude_complete(const RunRequest& request, const RunTask& task) {
  const std::string& path = task.scenario.output_file;
  if (!request.is_still()) std::fputs((path + ": is complete, there is nothing to resume\n").c_str(), stdout);
  report_failures(task.part.before);
  const std::string picture = request.plot_given.is_given() ? draw(request, path) : "";
  if (request.json) print_json(summary_json(task, {task.part.before, {path}, false}, picture));
  return exit_code(task.part.before);
}

ExitCode run_scenario(const RunRequest& request) {
  RunWords words = request.words;
  words.overrides = overrides_of(request);
  if (is_assigned(words.shard)) {
    words.checks_other_parts = words.shard == "auto";
    words.shard = assigned_shard(words.shard);
  }
  RunTask task = prepare_run(words);
  const Scenario& scenario = task.scenario;
  if (scenario.options.threads == 0) task.scenario.options.threads = request.threads_of_process;
  if (task.is_complete) return conclude_complete(request, task);
  check_shard(task);
  if (request.plot_given.is_given()) check_picture(request, scenario);
  if (words.dry_run) {
    print_dry_run(task, request.json);
    return ExitCode::ok;
  }
  if (!request.is_still()) print_notes(task);
  return conclude(request, task, integrate(task, request.is_still()));
}

/// Runs every shard in a separate process on this machine, and merges them.
ExitCode run_locally(const RunRequest& request) {
  RunWords words = request.words;
  words.overrides = overrides_of(request);
  RunRequest part = request;
  part.quiet = true;
  part.threads_of_process = threads_of_each(request.shards);
  const auto run_shard = [&](const RunWords& of_shard) {
    part.words = of_shard;
    part.words.overrides = request.words.overrides;
    return run_scenario(part);
  };
  const auto [code, merged] = run_local_shards(words, request.shards, run_shard);
  if (merged.path.empty()) return code;
  if (!request.is_still()) {
    const Scenario& scenario = merged.scenario;
    std::fputs(summary_text(scenario.system->info, scenario.options, merged.summary, merged.path).c_str(), stdout);
  }
  return code;
}

ExitCode run_request(const RunRequest& request) {
  check_words(request);
  std::error_code ignored;
  const bool is_there =
      !request.words.resumed.empty() && std::filesystem::exists(final_path(request.words.resumed), ignored);
  const bool divides = request.is_local && !request.words.dry_run && !is_there;
  return divides ? run_locally(request) : run_scenario(request);
}

}  // namespace

Command add_run_command(const CommandWords& app) {
  const CommandWords words =
      app.add_command("run", "Integrate a scenario, or a system of the catalogue with its defaults");
  const auto request = std::make_shared<RunRequest>();
  words.add_option("SCENARIO", request->words.scenario, "A scenario or model (.toml), or the name of a system")
      .type_name("");
  words.add_overrides(request->words.overrides);
  request->output_given =
      words.add_option("-o,--output", request->output, "Write .nc (netCDF-4) or .csv; as -s output.file=FILE")
          .type_name("FILE");
  request->backend_given =
      words.add_option("--backend", request->backend, "auto, cuda, cpu or reference; as -s solver.backend=B")
          .type_name("B");
  request->threads_given =
      words.add_option("--threads", request->threads, "Worker threads, 0: one a CPU; as -s solver.threads=N")
          .type_name("N");
  request->devices_given =
      words.add_option("--devices", request->devices, "GPUs by number, e.g. 0,1; as -s 'solver.devices=[0, 1]'")
          .type_name("N,...");
  request->plot_given =
      words.add_flag("--plot", request->picture, "Draw the output: --plot, or --plot FILE (.png or .svg)");
  words
      .add_option("--resume", request->words.resumed,
                  "Continue the unfinished run of FILE; with SCENARIO, begin it if there is none")
      .type_name("FILE");
  words.add_flag("--restart", request->words.restarts, "Begin anew although there is an unfinished run");
  words
      .add_option("--shard", request->words.shard,
                  "Integrate part i of N, to NAME.i-of-N.nc; kalaba merge joins the parts; auto/N, auto: the part that "
                  "srun, mpirun or an array (Slurm, Grid Engine, PBS, LSF) gives this process")
      .type_name("i/N");
  words.add_option("--shards", request->shards, "With --local: divide the run among N processes").type_name("N");
  words.add_flag("--local", request->is_local,
                 "Run the shards on this machine, each in a process of its own, and merge them: the bits of one run");
  request->member_given =
      words
          .add_option("--member", request->words.member,
                      "Integrate this member alone, every step saved, to NAME.member-N.ENDING: the same bits")
          .type_name("N");
  words.add_flag("--no-clobber", request->words.no_clobber, "Fail where an output is there already");
  words.add_flag("--dry-run", request->words.dry_run,
                 "Print the cost (members, steps, bytes, memory and approximate time) and write nothing");
  words.add_flag("--json", request->json, "Print one JSON object and nothing else, for scripts");
  words.add_flag("--quiet", request->quiet, "Print nothing but errors");
  words.footer(
      "Example:\n"
      "  kalaba run pendulum.toml -s time.end=20 -s 'parameters.L={uniform=[0.5, 2]}' -o pendulum.nc --plot\n"
      "  kalaba run pendulum.toml --dry-run\n"
      "  kalaba run pendulum.toml --member 312 --plot\n"
      "Continues a run that was interrupted or killed, to the bits of an uninterrupted run:\n"
      "  kalaba run --resume pendulum.nc");
  return {words, [request] { return run_request(*request); }};
}

}  // namespace kalaba
