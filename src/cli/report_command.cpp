#include <fmt/format.h>

#include <cstdio>
#include <memory>

#include "cli/command.hpp"
#include "cli/drawn_run.hpp"
#include "cli/model_drawing.hpp"
#include "output/netcdf/archive.hpp"
#include "report/data/sensitivity_json.hpp"
#include "report/page/report.hpp"
#include "scenario/sampling/design_facts.hpp"
#include "scenario/scenario.hpp"
#include "text/json.hpp"

namespace kalaba {
namespace {

/// Returns the equations in the format of describe; empty if the system is unknown.
std::string equations_of(const std::string& scenario) {
  try {
    return load_run_text(scenario, "").system->info.equations;
  } catch (const Error&) {
    return "";
  }
}

}  // namespace

Command add_report_command(const CommandWords& app) {
  struct Request {
    std::string data;
    ReportOptions options;
    bool json = false;
    bool interactive = false;
  };
  const CommandWords words =
      app.add_command("report", "Write an output file, or a scenario's run, as one page for a browser");
  const auto request = std::make_shared<Request>();
  words
      .add_option("FILE", request->data,
                  "An output of kalaba run (.nc or .csv), or a scenario or model (.toml), which is run")
      .type_name("")
      .required();
  words.add_option("-o,--output", request->options.output, "The page (.html); if left out, beside FILE")
      .type_name("PAGE");
  words.add_flag("--json", request->json, "Print its sensitivities as one JSON object, in place of the page");
  words.add_flag("--interactive", request->interactive,
                 "Write a page that explores the members; requires the Python package and plotly");
  words.footer(
      "Example:\n  kalaba report pendulum.nc -o pendulum.html\n  kalaba report bead.toml\n"
      "  kalaba report pendulum.csv\n  kalaba report pendulum.nc --interactive");
  return {words, [request] {
            // The package's command line writes this page itself (python/kalaba/__main__.py).
            if (request->interactive) {
              throw Error(ExitCode::bad_input,
                          fmt::format("--interactive: the explorer is part of the Python package: python3 -m kalaba "
                                      "report {} --interactive",
                                      request->data));
            }
            const DrawnRun drawn(request->data, DrawnRun::Tables::imported);
            ReportOptions options = request->options;
            options.tables = drawn.tables();
            const std::string scenario = Archive(drawn.data()).inventory().attribute("scenario");
            options.sampled = options.tables ? options.tables->varied_starts : design_facts(scenario).varied_starts;
            if (request->json) {
              print_json(report_json(drawn.data(), options.sampled, options.tables));
              return ExitCode::ok;
            }
            options.output = drawn.beside(options.output, ".html");
            if (!options.tables) options.equations = equations_of(scenario);
            options.drawing_of_model = drawing_of_model;
            std::fputs((write_report(drawn.data(), options) + "\n").c_str(), stdout);
            return ExitCode::ok;
          }};
}

}  // namespace kalaba
