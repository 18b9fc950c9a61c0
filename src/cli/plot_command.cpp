#include <fmt/format.h>

#include <cstdio>
#include <memory>

#include "cli/command.hpp"
#include "report/plot.hpp"

namespace kalaba {
namespace {

struct PlotRequest {
  std::string data;
  PlotOptions options;
};

ExitCode plot(const PlotRequest& request) {
  for (const std::string& picture : plot_file(request.data, request.options)) {
    std::fputs((picture + "\n").c_str(), stdout);
  }
  return ExitCode::ok;
}

}  // namespace

Command add_plot_command(CLI::App& app) {
  CLI::App* words = app.add_subcommand("plot", "Draw an output file");
  const auto request = std::make_shared<PlotRequest>();
  words->add_option("FILE", request->data, "An output of kalaba run (.nc or .csv)")->type_name("")->required();
  words
      ->add_option("-o,--output", request->options.output, "The picture (.png or .svg); a .png beside FILE if left out")
      ->type_name("PICTURE");
  words->add_option("--kind", request->options.kind, "fan, path, residual, histogram, or auto: all that FILE has")
      ->type_name("KIND");
  words->add_option("--variables", request->options.variables, "Columns to draw, e.g. x,y,z")
      ->type_name("A,B,...")
      ->delimiter(',')
      ->allow_extra_args(false);
  words->add_option("--member", request->options.member, "A member to highlight")
      ->type_name("I")
      ->check(CLI::NonNegativeNumber);
  words->footer("Example:\n  kalaba plot pendulum.nc --kind fan --variables x,z -o pendulum.png");
  return {words, [request] { return plot(*request); }};
}

}  // namespace kalaba
