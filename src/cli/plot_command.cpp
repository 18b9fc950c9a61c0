#include <fmt/format.h>

#include <cstdio>
#include <filesystem>
#include <memory>

#include "cli/command.hpp"
#include "cli/drawn_run.hpp"
#include "cli/model_drawing.hpp"
#include "cli/table.hpp"
#include "output/netcdf/archive.hpp"
#include "report/figure/plot.hpp"
#include "report/paper/figures.hpp"
#include "report/paper/plot_figure.hpp"
#include "scenario/sampling/design_facts.hpp"

namespace kalaba {
namespace {

struct PlotRequest {
  std::string data;
  PlotOptions options;
  std::string figure;
  bool lists_figures = false;
  std::vector<Option> of_data;  // options that apply only to a FILE
  Option member_given;
};

void list_figures() {
  std::vector<std::vector<std::string>> rows;
  for (const PaperFigure& figure : figures()) rows.push_back({figure.name, figure.shows, figure.source});
  std::fputs(table_text(rows).c_str(), stdout);
}

void refuse_options_of_data(const PlotRequest& request, const std::string& word) {
  for (const Option& option : request.of_data) {
    if (!option.is_given()) continue;
    throw Error(
        ExitCode::bad_input,
        fmt::format("{} and {} exclude each other: a figure integrates and draws its own runs", option.name(), word));
  }
}

Picture draw(const PlotRequest& request) {
  if (!request.figure.empty()) {
    refuse_options_of_data(request, "--figure");
    return {plot_figure(request.figure, request.options.output), ""};
  }
  if (request.options.member < 0 && request.member_given.is_given()) {
    throw Error(ExitCode::bad_input,
                fmt::format("--member: expected a number from 0 on, found {}", request.options.member));
  }
  if (request.data.empty()) {
    throw Error(ExitCode::bad_input, "plot draws FILE or --figure NAME, and neither was given; see kalaba plot --help");
  }
  const DrawnRun drawn(request.data);
  PlotOptions options = request.options;
  options.drawing_of_model = drawing_of_model;
  const std::string kind = options.kind == "auto" ? "" : "." + options.kind;
  options.output = drawn.beside(options.output, kind + (options.kind == "animation" ? ".gif" : ".png"));
  if ((options.kind == "heatmap" || options.kind == "scatter") &&
      std::filesystem::path(drawn.data()).extension() == ".nc") {
    options.starts = design_facts(Archive(drawn.data()).inventory().attribute("scenario")).varied_starts;
  }
  return plot_file(drawn.data(), options);
}

ExitCode plot(const PlotRequest& request) {
  if (request.lists_figures) {
    refuse_options_of_data(request, "--figures");
    list_figures();
    return ExitCode::ok;
  }
  const Picture picture = draw(request);
  std::fputs((picture.path + "\n").c_str(), stdout);
  if (!picture.left_out.empty()) {
    std::fputs(fmt::format("{}: of its members {}\n", request.data, picture.left_out).c_str(), stderr);
  }
  return ExitCode::ok;
}

/// Adds FILE and the options for drawing it.
void add_data_options(const CommandWords& words, PlotRequest& request) {
  const Option file =
      words
          .add_option("FILE", request.data,
                      "An output of kalaba run (.nc or .csv), or a scenario or model (.toml), which is run")
          .type_name("");
  const Option kind =
      words
          .add_option("--kind", request.options.kind,
                      "auto (all that FILE has), fan, path, phase, residual, histogram, invariants, events, density, "
                      "heatmap, scatter; of swarms and mechanisms snapshots, animation")
          .type_name("KIND");
  const Option variables =
      words
          .add_option(
              "--variables", request.options.variables,
              "Columns to draw, e.g. x,y,z; of heat maps and scatters also status, max(x), time(EVENT), x@EVENT")
          .type_name("A,B,...")
          .delimited();
  const Option member = words
                            .add_option("--member", request.options.member,
                                        "A member to highlight; of one swarm an agent, of several the swarm to show")
                            .type_name("I");
  const Option times = words.add_option("--times", request.options.times, "s: of snapshots, the nearest saved times")
                           .type_name("T,T,...")
                           .delimited();
  const Option over = words
                          .add_option("--over", request.options.over,
                                      "Sides of a heat map, two that vary, e.g. L,initial.x; of a scatter the "
                                      "horizontal number, or with its colour")
                          .type_name("A,B")
                          .delimited();
  const Option drawing =
      words
          .add_option("--draw", request.options.drawing,
                      "What a mechanism is drawn by: points and segments, e.g. 'bob = (x, y); (0, 0) -- bob'")
          .type_name("TEXT");
  request.member_given = member;
  request.of_data = {file, kind, variables, member, times, over, drawing};
}

}  // namespace

Command add_plot_command(const CommandWords& app) {
  const CommandWords words =
      app.add_command("plot", "Draw an output file, a scenario's run, or a figure of the papers");
  const auto request = std::make_shared<PlotRequest>();
  add_data_options(words, *request);
  words
      .add_option("-o,--output", request->options.output,
                  "The picture (.png or .svg, an animation .gif); if left out beside FILE, or NAME.png")
      .type_name("PICTURE");
  words.add_option("--figure", request->figure, "In place of FILE: run and redraw this figure of a paper")
      .type_name("NAME");
  words.add_flag("--figures", request->lists_figures, "List the figures that --figure accepts");
  words.footer(
      "Example:\n"
      "  kalaba plot pendulum.nc --kind fan --variables x,z -o pendulum.png\n"
      "  kalaba plot bead.toml\n"
      "  kalaba plot swarm.nc --kind animation -o swarm.gif\n"
      "  kalaba plot disk.nc --kind heatmap --variables 'status,time(fell)' --over R,initial.w_a\n"
      "  kalaba plot pendulum.nc --kind animation --member 7 -o pendulum.gif\n"
      "  kalaba plot --figure swarm_8 -o swarm.svg");
  return {words, [request] { return plot(*request); }};
}

}  // namespace kalaba
