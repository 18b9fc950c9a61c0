#include <fmt/format.h>

#include <cmath>
#include <cstdio>
#include <memory>

#include "cli/command.hpp"
#include "cli/fit_files.hpp"
#include "cli/fit_table.hpp"
#include "cli/fit_task.hpp"
#include "cli/signals.hpp"
#include "fit/json.hpp"
#include "output/durable/pending_file.hpp"
#include "report/text/progress.hpp"
#include "report/text/text.hpp"
#include "scenario/document/toml_text.hpp"
#include "text/json.hpp"

namespace kalaba {
namespace {

struct FitRequest {
  FitWords words;
  std::vector<std::string> files;
  std::string fitted;
  bool json = false;
  bool quiet = false;
};

fit::Fit integrate(const FitRequest& request, const fit::Problem& problem) {
  const bool is_still = request.quiet || request.json;
  StopSignals signals([] {}, is_still);
  ProgressBar bar(stderr);
  const auto show = [&](const fit::FitProgress& progress) {
    if (is_still) return;
    const std::string cost = std::isfinite(progress.least_cost) ? fmt::format("{:.6g}", progress.least_cost) : "-";
    bar.update(fmt::format("iteration {}: {} starts, least sum of squares {}", progress.iteration,
                           grouped(progress.searching), cost));
  };
  return fit::fit(problem, show, signals.token());
}

/// Returns the scenario with the estimates.
std::string fitted_text(const FitRequest& request, const FitTask& task, const fit::Fit& fit) {
  std::vector<std::string> overrides;
  for (std::size_t j = 0; j < task.problem.free.size(); ++j) {
    overrides.push_back(task.problem.free[j].name + "=" + toml_number(fit.estimate.values[j]));
  }
  return load_scenario_text(task.scenario.text, request.words.scenario, overrides).text;
}

void write_fitted(const FitRequest& request, const FitTask& task, const fit::Fit& fit) {
  PendingFile file(request.fitted);
  file.write(fitted_text(request, task, fit));
  file.publish();
}

/// Throws if the fit would overwrite a file that it reads.
void check_inputs(const FitRequest& request, const Scenario& scenario) {
  std::vector<InputFile> inputs = scenario.input_files;
  inputs.push_back({request.words.scenario, "SCENARIO"});
  inputs.push_back({request.words.data, "--data"});
  for (const std::string& path : request.files) refuse_to_overwrite(inputs, path, "fit");
  if (!request.fitted.empty()) refuse_to_overwrite(inputs, request.fitted, "fit");
}

ExitCode fit_scenario(const FitRequest& request) {
  for (const std::string& path : request.files) {
    check_fit_file(path);
    check_place(path);
  }
  if (!request.fitted.empty()) check_place(request.fitted);
  const FitTask task = prepare_fit(request.words);
  check_inputs(request, task.scenario);
  const fit::Fit fit = integrate(request, task.problem);
  const std::vector<std::string> complaints = fit_complaints(task.problem, fit);
  const ExitCode code = complaints.empty() ? ExitCode::ok : ExitCode::members_failed;
  const std::string json = fit::fit_json(task.problem, fit, static_cast<int>(code), complaints);
  if (request.json) {
    print_json(json);
  } else if (fit.has_estimate()) {
    std::fputs(fit_text(task.problem, fit).c_str(), stdout);
  }
  for (const std::string& path : request.files) {
    write_fit_file(path, task.problem, fit, json);
    if (!request.json && (fit.has_estimate() || path.ends_with(".json"))) std::fputs((path + "\n").c_str(), stdout);
  }
  if (!request.fitted.empty() && fit.has_converged()) {
    write_fitted(request, task, fit);
    if (!request.json) std::fputs((request.fitted + "\n").c_str(), stdout);
  }
  for (const std::string& each : complaints) std::fputs(("kalaba: " + each + "\n").c_str(), stderr);
  return code;
}

void add_problem_options(const CommandWords& words, FitWords& requested) {
  words.add_option("SCENARIO", requested.scenario, "A scenario or model (.toml), or the name of a system")
      .type_name("")
      .required();
  words
      .add_option("--data", requested.data,
                  "The measured numbers: CSV, a column t (s), and coordinates, rates, energy, invariants by name")
      .type_name("FILE")
      .required();
  words.add_option("--free", requested.free, "What to find: parameters.NAME, initial.NAME, up to 16")
      .type_name("A,B,...")
      .delimited()
      .required();
  words.add_option("--bounds", requested.bounds, "Bounds of free variables: parameters.L=0.5:2")
      .type_name("A=LOW:HIGH,...")
      .delimited();
  words
      .add_option("--sigma", requested.sigmas,
                  "Standard deviations of the columns; if left out, one for all is found from what is left over")
      .type_name("X=S,...")
      .delimited();
  words.add_option("--columns", requested.columns, "Columns of FILE to read beside t; if left out, all")
      .type_name("X,Y,...")
      .delimited();
  words
      .add_option("--starts", requested.starts,
                  "Searches, side by side: from the scenario's own values, and from drawn ones within the bounds (1)")
      .type_name("N")
      .between(1L, fit::most_starts);
  words.add_option("--iterations", requested.most_iterations, "At most so many of a start (100)")
      .type_name("N")
      .between(1, 100'000);
  words.add_overrides(requested.overrides);
}

}  // namespace

Command add_fit_command(const CommandWords& app) {
  const CommandWords words =
      app.add_command("fit", "Find parameters and starts from measured numbers, with their standard errors");
  const auto request = std::make_shared<FitRequest>();
  add_problem_options(words, request->words);
  words
      .add_option("-o,--output", request->files,
                  "Write a picture (.png, .svg), a page (.html) or the figures (.json); repeatable")
      .type_name("FILE");
  words.add_option("--fitted", request->fitted, "Write the scenario with the values found, where a start converges")
      .type_name("FILE");
  words.add_flag("--json", request->json, "Print one JSON object and nothing else, for scripts");
  words.add_flag("--quiet", request->quiet, "No progress");
  words.footer(
      "Least squares by Levenberg and Marquardt, with the exact derivatives of [sensitivities].\n"
      "Exit code 1: no start converges, or the data do not determine all variables.\n"
      "Example:\n"
      "  kalaba fit pendulum.toml --data measured.csv --free parameters.L,initial.x --sigma x=0.01 -o fit.svg\n"
      "  kalaba fit chain.toml --data measured.csv --free parameters.L,parameters.g \\\n"
      "    --bounds parameters.L=0.5:2,parameters.g=5:15 --starts 1000");
  return {words, [request] { return fit_scenario(*request); }};
}

}  // namespace kalaba
