#include "report/figure/mechanism_panels.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "kalaba/error.hpp"
#include "report/data/outcomes.hpp"
#include "report/figure/agent_view.hpp"
#include "report/figure/panel_text.hpp"
#include "report/figure/plot_data.hpp"
#include "report/text/text.hpp"

namespace kalaba {
namespace {

constexpr unsigned white = 0xffffff;
constexpr std::size_t most_ways = 6;  // of moving points

[[noreturn]] void refuse(const Archive& archive, const std::string& message) {
  throw Error(ExitCode::bad_input, archive.path() + ": " + message);
}

/// Returns the columns of variables that the file has.
std::vector<std::size_t> columns_of(const Contents& contents, const std::vector<Variable>& variables) {
  std::vector<std::size_t> columns;
  for (const Variable& each : variables) columns.push_back(contents.find(each.name).value());
  return columns;
}

std::vector<double> parameters_of(const Archive& archive, const std::vector<Variable>& parameters, long member) {
  std::vector<double> values;
  for (const Variable& each : parameters) {
    if (archive.inventory().find(each.name) == nullptr) refuse(archive, "it does not hold the parameter " + each.name);
    values.push_back(archive.numbers(each.name, {static_cast<std::size_t>(member)}, {1}).front());
  }
  return values;
}

bool needs_rates(const Drawing& drawing) {
  const auto has_rate = [&](const Drawing::Place& place) {
    return std::ranges::any_of(place.axes, [](const Expression& expression) {
      return std::any_of(expression.code, expression.code + expression.size,
                         [](const Instruction& each) { return each.operation == Operation::rate; });
    });
  };
  return std::ranges::any_of(drawing.points, [&](const auto& point) { return has_rate(point.place); }) ||
         std::ranges::any_of(drawing.curves, has_rate);
}

/// Lines and points of poses, as datablocks with one colour per row.
struct Blocks {
  DataBlock lines{"$lines"};
  DataBlock dots{"$dots"};
  DataBlock pivots{"$pivots"};
  DataBlock ways{"$ways"};

  /// Adds a line through points; each is an index into the positions.
  void add_line(const Poses& poses, const AgentView& view, std::size_t time, const std::vector<std::size_t>& points,
                double hue) {
    for (const std::size_t point : points) {
      const AgentView::Spot spot = view.spot(poses.places, time, point);
      lines.add_row({spot.across, spot.up, hue});
    }
    lines.end_line();
  }

  void add(const Poses& poses, const AgentView& view, std::size_t time, unsigned hue) {
    const Drawing& drawing = poses.drawing;
    for (const Drawing::Line& line : drawing.lines) add_line(poses, view, time, line.points, hue);
    for (std::size_t curve = 0; curve < drawing.curves.size(); ++curve) {
      std::vector<std::size_t> points;
      for (std::size_t i = 0; i < Poses::curve_points; ++i) {
        points.push_back(drawing.points.size() + curve * Poses::curve_points + i);
      }
      add_line(poses, view, time, points,
               drawing.curves[curve].moves ? hue : color::mixed(color::number(color::soft_ink), white, 0.5));
    }
    for (std::size_t i = 0; i < drawing.points.size(); ++i) {
      const Drawing::Point& point = drawing.points[i];
      if (point.name.empty()) continue;
      const AgentView::Spot spot = view.spot(poses.places, time, i);
      if (point.place.moves) dots.add_row({spot.across, spot.up, static_cast<double>(hue)});
      if (!point.place.moves) pivots.add_row({spot.across, spot.up});
    }
  }

  /// Adds the paths of moving points, up to a time.
  void add_ways(const Poses& poses, const AgentView& view, std::size_t last) {
    const Drawing& drawing = poses.drawing;
    std::size_t drawn = 0;
    for (std::size_t i = drawing.points.size(); i > 0 && drawn < most_ways; --i) {  // the last named point is the end
      if (drawing.points[i - 1].name.empty() || !drawing.points[i - 1].place.moves) continue;
      for (std::size_t time = 0; time <= last; ++time) {
        const AgentView::Spot spot = view.spot(poses.places, time, i - 1);
        ways.add_row({spot.across, spot.up});
      }
      ways.end_line();
      ++drawn;
    }
  }

  std::string text() const { return lines.text() + dots.text() + pivots.text() + ways.text(); }
};

constexpr const char* plot_terms =
    ", $ways using 1:2 with lines lw 1 lc rgb '{}' notitle, $lines using 1:2:3 with lines lw 2.2 lc rgb variable "
    "notitle, $pivots using 1:2 with points pt 6 ps 0.9 lw 1.4 lc rgb '{}' notitle, $dots using 1:2:3 with points pt 7 "
    "ps {} lc rgb variable notitle\n";

std::string terms(double dot) {
  return fmt::format(fmt::runtime(plot_terms), color::narrow_band, color::soft_ink, dot);
}

/// Adds a row to an empty datablock, which gnuplot rejects.
std::string filled(const Blocks& blocks) {
  std::string text = blocks.text();
  for (const char* name : {"$lines", "$dots", "$pivots", "$ways"}) {
    const std::string empty = std::string(name) + " << END\nEND\n";
    const std::size_t at = text.find(empty);
    if (at != std::string::npos) text.replace(at, empty.size(), std::string(name) + " << END\nNaN NaN NaN\nEND\n");
  }
  return text;
}

/// Saved times at which the member counts, evenly chosen.
std::vector<long> counted_times(const Archive& archive, const Contents& contents, long member, long most) {
  const std::vector<CountedUntil> until = counted_until(archive);
  const CountedUntil end = until.empty() ? CountedUntil{} : until[static_cast<std::size_t>(member)];
  long count = 0;
  for (const double time : contents.times) count += end.counts(time);
  if (count == 0) refuse(archive, fmt::format("member {} counts at no saved time", member));
  return evenly(count, most);
}

struct StateOverTime {
  std::vector<std::vector<double>> q;  ///< [coordinate][time]
  std::vector<std::vector<double>> w;
  std::vector<double> parameters;

  static std::vector<double> at(const std::vector<std::vector<double>>& columns, std::size_t time) {
    std::vector<double> values;
    for (const std::vector<double>& column : columns) values.push_back(column[time]);
    return values;
  }
};

/// Allocates the positions of a drawing, and sets their names.
void prepare(Poses& poses) {
  Agents& places = poses.places;
  places.places.resize(static_cast<std::size_t>(poses.drawing.dimensions));
  for (std::size_t i = 0; i < places.places.size(); ++i)
    places.axes.push_back({std::string(1, poses.drawing.axes[i]), "m", Field::q, 0});
  const std::size_t all = poses.drawing.points.size() + poses.drawing.curves.size() * Poses::curve_points;
  for (std::size_t i = 0; i < all; ++i) places.numbers.push_back(static_cast<long>(i));
  places.all = static_cast<long>(all);
}

void add_pose(Poses& poses, const StateOverTime& states, std::size_t index, double t) {
  const std::vector<double> q = StateOverTime::at(states.q, index);
  const std::vector<double> w = StateOverTime::at(states.w, index);
  poses.places.times.push_back(t);
  const auto add = [&](const Drawing::Place& place, double s) {
    const std::array<double, 3> values = place_of(poses.drawing, place, states.parameters, t, q, w, s);
    for (std::size_t axis = 0; axis < poses.places.places.size(); ++axis) {
      poses.places.places[axis].push_back(values[axis]);
    }
  };
  if (poses.drawing.positions) {
    const std::vector<double> numbers = poses.drawing.positions(states.parameters, q);
    const std::size_t axes = poses.places.places.size();
    for (std::size_t i = 0; i < numbers.size(); ++i) poses.places.places[i % axes].push_back(numbers[i]);
  } else {
    for (const Drawing::Point& point : poses.drawing.points) add(point.place, 0);
  }
  for (const Drawing::Place& curve : poses.drawing.curves) {
    for (std::size_t i = 0; i < Poses::curve_points; ++i) {
      add(curve, 2 * std::numbers::pi * static_cast<double>(i) / (Poses::curve_points - 1));
    }
  }
}

}  // namespace

std::optional<Drawing> drawing_for(const Archive& archive, const std::string& text, const DrawingOfScenario& of_model) {
  const SystemInfo system = archive.labels();
  if (!text.empty()) return read_drawing(text, system);
  if (const std::string known = drawing_of(archive.inventory().attribute("system"), system.coordinates.size());
      !known.empty()) {
    return read_drawing(known, system);
  }
  return of_model ? of_model(archive.inventory().attribute("scenario")) : std::nullopt;
}

std::vector<std::string> missing_for(const Archive& archive, const Contents& contents, const Drawing& drawing) {
  const SystemInfo system = archive.labels();
  std::vector<std::string> missing;
  const auto add_missing = [&](const std::vector<Variable>& variables) {
    for (const Variable& each : variables) {
      if (!contents.find(each.name)) missing.push_back(each.name);
    }
  };
  add_missing(system.coordinates);
  if (needs_rates(drawing)) add_missing(system.rates);
  return missing;
}

Poses read_poses(const Archive& archive, Reader& reader, const Drawing& drawing, long member, long most) {
  const Contents& contents = reader.contents();
  if (member < 0 || member >= contents.members) {
    refuse(archive, fmt::format("there is no member {}, expected 0 to {}", member, contents.members - 1));
  }
  const SystemInfo system = archive.labels();
  if (const std::vector<std::string> missing = missing_for(archive, contents, drawing); !missing.empty()) {
    refuse(archive, fmt::format("the drawing needs variables that are not saved: {}; add them to output.fields",
                                fmt::join(missing, ", ")));
  }
  const std::vector<std::size_t> q = columns_of(contents, system.coordinates);
  const std::vector<std::size_t> w =
      needs_rates(drawing) ? columns_of(contents, system.rates) : std::vector<std::size_t>();
  const std::vector<long> times = counted_times(archive, contents, member, most);
  const StateOverTime states{reader.read({q, times, {member}}), reader.read({w, times, {member}}),
                             parameters_of(archive, system.parameters, member)};
  Poses poses{drawing, {}, member};
  prepare(poses);
  for (std::size_t i = 0; i < times.size(); ++i) {
    add_pose(poses, states, i, contents.times[static_cast<std::size_t>(times[i])]);
  }
  return poses;
}

std::string pose_panel(const Poses& poses, std::size_t time, const Box& box, const PanelFrame& frame) {
  const AgentView view(poses.places.axes, box, frame);
  Blocks blocks;
  blocks.add_ways(poses, view, time);
  blocks.add(poses, view, time, color::number(color::line));
  const std::string heading = fmt::format("member {}, t = {:.4g} s", grouped(poses.member), poses.places.times[time]);
  return view.axes_text(heading) + filled(blocks) + view.plot_text() + terms(1.3);
}

std::string strobe_panel(const Poses& poses, const PanelFrame& frame) {
  const AgentView view(poses.places.axes, box_of(poses.places), frame);
  Blocks blocks;
  const std::size_t count = poses.places.times.size();
  for (std::size_t time = 0; time < count; ++time) {
    const double age = count == 1 ? 0 : 1 - static_cast<double>(time) / static_cast<double>(count - 1);
    blocks.add(poses, view, time, color::mixed(color::number(color::line), white, 0.85 * age));
  }
  const std::string heading = fmt::format("member {}, {} times from t = {:.4g} to {:.4g} s", grouped(poses.member),
                                          count, poses.places.times.front(), poses.places.times.back());
  return view.axes_text(heading) + filled(blocks) + view.plot_text() + terms(0.9);
}

}  // namespace kalaba
