#include <cstdio>
#include <memory>

#include "cli/command.hpp"
#include "cli/drawn_run.hpp"
#include "output/archive.hpp"
#include "report/report.hpp"
#include "scenario/scenario.hpp"
#include "scenario/varied_starts.hpp"

namespace kalaba {
namespace {

/// As describe prints them; empty where the system is not known here.
std::string equations_of(const std::string& scenario) {
  try {
    return load_run_text(scenario, "").system->info.equations;
  } catch (const Error&) {
    return "";
  }
}

}  // namespace

Command add_report_command(CLI::App& app) {
  struct Request {
    std::string data;
    ReportOptions options;
  };
  CLI::App* words =
      app.add_subcommand("report", "Write an output file, or a scenario's run, as one page for a browser");
  const auto request = std::make_shared<Request>();
  words
      ->add_option("FILE", request->data, "An output of kalaba run (.nc), or a scenario or model (.toml), which is run")
      ->type_name("")
      ->required();
  words->add_option("-o,--output", request->options.output, "The page (.html); if left out, beside FILE")
      ->type_name("PAGE");
  words->footer("Example:\n  kalaba report pendulum.nc -o pendulum.html\n  kalaba report bead.toml");
  return {words, [request] {
            const DrawnRun drawn(request->data);
            ReportOptions options = request->options;
            const std::string scenario = Archive(drawn.data()).inventory().attribute("scenario");
            options.output = drawn.beside(options.output, ".html");
            options.sampled = varied_starts(scenario);
            options.equations = equations_of(scenario);
            std::fputs((write_report(drawn.data(), options) + "\n").c_str(), stdout);
            return ExitCode::ok;
          }};
}

}  // namespace kalaba
