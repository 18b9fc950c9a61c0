#include "report/paper/figure_data.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "kalaba/error.hpp"
#include "kalaba/make_system.hpp"
#include "kalaba/system.hpp"
#include "kalaba/systems/perpendicular_velocities.hpp"

namespace kalaba {
namespace {

struct FreePucks : TwoPucks {
  static constexpr const char* name = "free_pucks";
  static constexpr const char* summary = "two pucks, each under a constant force";
  static constexpr const char* source = "Roithmayr, Hodges, section 4 (figure 1, upper left)";
  static constexpr const char* equations = "m1 v1' = f1,  m2 v2' = f2";
  static constexpr const auto& parameters = PerpendicularVelocities::parameters;
  static constexpr TimeGrid time = PerpendicularVelocities::time;

  template <class P, class Q, class W>
  KALABA_FN static void start(const P& p, Q& q, W& w) {
    PerpendicularVelocities::start(p, q, w);
  }
};

/// The two pucks of perpendicular_velocities without their constraint, which the paper shows for comparison [RH figure
/// 1].
const System& free_pucks() {
  static const System system = make_system<FreePucks>();
  return system;
}

constexpr long most_saved = 1000;  // more than the pixels of a panel

Options options_of(const System& system, const FigureRun& run) {
  Options options = default_options(system);
  options.backend = Backend::cpu;
  options.threads = 1;  // a single member
  if (run.stabilization) options.method.stabilization = *run.stabilization;
  const auto steps = std::lround((options.time.end - options.time.start) / options.time.dt);
  options.time.save_every = std::max(1L, steps / most_saved);
  return options;
}

/// Fields with the variables that the figure draws of a run.
FieldSet fields_of(const PaperFigure& figure, std::size_t run, const SystemInfo& system) {
  FieldSet fields;
  for (const FigurePanel& panel : figure.panels) {
    for (const FigureCurve& curve : panel.curves) {
      if (curve.run != run) continue;
      if (!curve.x.empty()) fields.add(figure_column(system, curve.x).field);
      fields.add(figure_column(system, curve.y).field);
    }
  }
  return fields;
}

Result integrate(const PaperFigure& figure, std::size_t index) {
  const FigureRun& requested = figure.runs[index];
  const System& system = figure_system(requested.system);
  Ensemble member(system, 1);
  for (const auto& [name, value] : requested.parameters) member.parameter(name)[0] = value;
  member.restart();
  Options options = options_of(system, requested);
  options.fields = fields_of(figure, index, system.info);
  Result result = run(member, options);
  if (const Status status = result.status()[0]; status != Status::ok) {
    throw Error(ExitCode::members_failed, fmt::format("{}: the run of {} failed at t = {:.6g} s: {}", figure.name,
                                                      requested.system, result.failure_time()[0], status_name(status)));
  }
  return result;
}

}  // namespace

const System& figure_system(const std::string& name) {
  return name == free_pucks().info.name ? free_pucks() : find_system(name);
}

Column figure_column(const SystemInfo& system, const std::string& name) {
  for (const Field field : all_fields) {
    const FieldLayout layout = field_layout(system, field);
    const auto found = std::ranges::find(layout.components, name);
    if (found == layout.components.end()) continue;
    const auto component = found - layout.components.begin();
    return {name, layout.units[static_cast<std::size_t>(component)], field, static_cast<int>(component)};
  }
  throw Error(ExitCode::internal_error, fmt::format("{} has no column {}", system.name, name));
}

FigureData::FigureData(const PaperFigure& figure) {
  for (std::size_t i = 0; i < figure.runs.size(); ++i) results_.push_back(integrate(figure, i));
}

std::vector<std::array<double, 2>> FigureData::points(const FigurePanel& panel, const FigureCurve& curve) const {
  const Result& result = results_[curve.run];
  std::vector<std::array<double, 2>> points;
  for (std::size_t t = 0; t < result.times().size(); ++t) {
    const double x = curve.x.empty() ? result.times()[t] : result.values(curve.x, t)[0];
    const double y = result.values(curve.y, t)[0];
    if (panel.is_polar) {
      points.push_back({x * std::cos(y), x * std::sin(y)});
    } else {
      points.push_back({x, panel.log_y ? std::abs(y) : y});
    }
  }
  return points;
}

}  // namespace kalaba
