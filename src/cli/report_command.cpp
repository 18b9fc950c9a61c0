#include <cstdio>
#include <memory>

#include "cli/command.hpp"
#include "output/archive.hpp"
#include "report/report.hpp"
#include "scenario/varied_starts.hpp"

namespace kalaba {

Command add_report_command(CLI::App& app) {
  struct Request {
    std::string data;
    ReportOptions options;
  };
  CLI::App* words = app.add_subcommand("report", "Write an output file as one page for a browser");
  const auto request = std::make_shared<Request>();
  words->add_option("FILE", request->data, "An output of kalaba run (.nc)")->type_name("")->required();
  words->add_option("-o,--output", request->options.output, "The page (.html); if left out, beside FILE")
      ->type_name("PAGE");
  words->footer("Example:\n  kalaba report pendulum.nc -o pendulum.html");
  return {words, [request] {
            request->options.sampled = varied_starts(Archive(request->data).inventory().attribute("scenario"));
            std::fputs((write_report(request->data, request->options) + "\n").c_str(), stdout);
            return ExitCode::ok;
          }};
}

}  // namespace kalaba
