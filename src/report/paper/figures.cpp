#include "report/paper/figures.hpp"

#include <fmt/format.h>

#include "kalaba/error.hpp"
#include "text/nearest.hpp"

namespace kalaba {
namespace {

constexpr const char* zczd = "Zhao, Chen, Zhao, Dong 2018, figure";
constexpr const char* rh = "Roithmayr, Hodges, figure";

std::string numbered(const char* paper, int number) { return fmt::format("{} {}", paper, number); }

FigureRun run_of(const char* system) { return {.system = system}; }

/// Run without projection, as in the papers: it integrates the equation of motion only, so that constraint errors
/// drift.
FigureRun equation_alone(const char* system) { return {.system = system, .stabilization = Stabilization::none()}; }

PaperFigure spiral_radius_over_angle() {
  return {
      .name = "logarithmic_spiral_2",
      .shows = "Particle on a logarithmic spiral: radius over angle",
      .source = numbered(zczd, 2),
      .runs = {run_of("logarithmic_spiral")},
      .panels = {{.heading = "from θ = 30 rad down to 0", .curves = {{.x = "theta", .y = "r"}}, .x_label = "θ (rad)"}}};
}

PaperFigure spiral_coordinates() {
  return {.name = "logarithmic_spiral_3",
          .shows = "Particle on a logarithmic spiral: radius and angle over time",
          .source = numbered(zczd, 3),
          .runs = {run_of("logarithmic_spiral")},
          .panels = {{.heading = "radius", .curves = {{.y = "r"}}},
                     {.heading = "angle", .curves = {{.y = "theta"}}, .y_label = "θ (rad)"}}};
}

PaperFigure spiral_path() {
  return {.name = "logarithmic_spiral_4",
          .shows = "Particle on a logarithmic spiral: path in the plane",
          .source = numbered(zczd, 4),
          .runs = {run_of("logarithmic_spiral")},
          .panels = {{.heading = "inwards from the start",
                      .curves = {{.x = "r", .y = "theta"}},
                      .x_label = "x (m)",
                      .y_label = "y (m)",
                      .is_path = true,
                      .is_polar = true}}};
}

PaperFigure spiral_errors() {
  const auto error = [](const char* heading, const char* column, const char* label) {
    return FigurePanel{.heading = heading,
                       .curves = {{.y = column, .title = "equation alone", .run = 0},
                                  {.y = column, .title = "projected", .is_noise = true, .run = 1}},
                       .y_label = label,
                       .log_y = true};
  };
  return {.name = "logarithmic_spiral_5",
          .shows = "Particle on a logarithmic spiral: errors of position and velocity",
          .source = numbered(zczd, 5),
          .runs = {equation_alone("logarithmic_spiral"), run_of("logarithmic_spiral")},
          .panels = {error("error of position", "eps1", "ε₁ (SI units)"),
                     error("error of velocity", "eps2", "ε₂ (SI units)")}};
}

/// The paper starts off the constraint and states no feedback, without which |beta| cannot decrease as in its figure 8.
/// kappa = 5 reproduces the figure, kappa = 0 is the value stated.
std::vector<FigureRun> swarm_runs() {
  return {{.system = "swarm_matrix", .parameters = {{"kappa", 5}}},
          {.system = "swarm_matrix", .parameters = {{"kappa", 0}}}};
}

PaperFigure swarm_paths() {
  const auto paths = [](const char* heading, std::size_t run) {
    FigurePanel panel = {.heading = heading, .curves = {}, .x_label = "x (m)", .y_label = "y (m)", .is_path = true};
    for (int i = 1; i <= 5; ++i) {
      panel.curves.push_back(
          {.x = fmt::format("x{}", i), .y = fmt::format("y{}", i), .title = fmt::format("{}", i), .run = run});
    }
    return panel;
  };
  return {.name = "swarm_7",
          .shows = "Swarm: paths of the five agents, with feedback and without",
          .source = numbered(zczd, 7),
          .runs = swarm_runs(),
          .panels = {paths("κ = 5 1/s: what the paper shows", 0), paths("κ = 0: what the paper states", 1)}};
}

PaperFigure swarm_error() {
  const auto error = [](const char* heading, bool log_y) {
    return FigurePanel{
        .heading = heading,
        .curves = {{.y = "beta_norm", .title = "κ = 5 1/s", .run = 0}, {.y = "beta_norm", .title = "κ = 0", .run = 1}},
        .y_label = "|β| (m/s)",
        .log_y = log_y};
  };
  return {.name = "swarm_8",
          .shows = "Swarm: error of the flocking law, which falls only with feedback",
          .source = numbered(zczd, 8),
          .runs = swarm_runs(),
          .panels = {error("error of the law", false), error("on a log axis", true)}};
}

PaperFigure manipulator_error() {
  const auto error = [](const char* heading, bool log_y) {
    return FigurePanel{.heading = heading, .curves = {{.y = "beta"}}, .y_label = "|β| (rad/s)", .log_y = log_y};
  };
  return {.name = "flexible_manipulator_10",
          .shows = "Flexible manipulator: error of the constraint",
          .source = numbered(zczd, 10),
          .runs = {run_of("flexible_manipulator")},
          .panels = {error("error of the constraint, κ = 4 1/s", false), error("on a log axis", true)}};
}

PaperFigure manipulator_speeds() {
  return {.name = "flexible_manipulator_11",
          .shows = "Flexible manipulator: speeds of the links",
          .source = numbered(zczd, 11),
          .runs = {run_of("flexible_manipulator")},
          .panels = {{.heading = "speeds of the links, κ = 4 1/s",
                      .curves = {{.y = "link1_dot", .title = "first link"}, {.y = "link2_dot", .title = "second link"}},
                      .y_label = "speed (rad/s)"}}};
}

PaperFigure perpendicular_pucks() {
  const auto paths = [](const char* heading, std::size_t run) {
    return FigurePanel{
        .heading = heading,
        .curves = {{.x = "x1", .y = "y1", .title = "1", .run = run}, {.x = "x2", .y = "y2", .title = "2", .run = run}},
        .x_label = "x (m)",
        .y_label = "y (m)",
        .is_path = true};
  };
  return {
      .name = "perpendicular_velocities_1",
      .shows = "Two pucks, their velocities perpendicular: paths, multiplier and error",
      .source = numbered(rh, 1),
      .runs = {run_of("perpendicular_velocities"), equation_alone("perpendicular_velocities"), run_of("free_pucks")},
      .panels = {paths("paths without the constraint", 2),
                 paths("paths with the constraint", 0),
                 {.heading = "multiplier", .curves = {{.y = "lambda_1"}}, .y_label = "λ (kg/s)"},
                 {.heading = "cosine of the angle",
                  .curves = {{.y = "cos_theta", .title = "equation alone", .run = 1},
                             {.y = "cos_theta", .title = "projected", .is_noise = true, .run = 0}},
                  .y_label = "|cos θ|",
                  .log_y = true}}};
}

}  // namespace

const std::vector<PaperFigure>& figures() {
  static const std::vector<PaperFigure> all = {spiral_radius_over_angle(),
                                               spiral_coordinates(),
                                               spiral_path(),
                                               spiral_errors(),
                                               swarm_paths(),
                                               swarm_error(),
                                               manipulator_error(),
                                               manipulator_speeds(),
                                               perpendicular_pucks()};
  return all;
}

const PaperFigure& find_figure(const std::string& name) {
  std::vector<std::string> names;
  for (const PaperFigure& figure : figures()) {
    if (figure.name == name) return figure;
    names.push_back(figure.name);
  }
  throw Error(ExitCode::bad_input, fmt::format("there is no figure '{}'{}; kalaba plot --figures shows them", name,
                                               suggestion(name, names)));
}

}  // namespace kalaba
