#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "report/figure/panel_text.hpp"
#include "report/figure/panels.hpp"
#include "report/text/text.hpp"

namespace kalaba {
namespace {

constexpr std::size_t most_paths = 60;

std::vector<std::size_t> chosen_paths(const PlotData& data) {
  const std::size_t count = std::min(data.members.size(), most_paths);
  std::vector<std::size_t> chosen;
  for (std::size_t i = 0; i < count; ++i) chosen.push_back(i * data.members.size() / count);
  return chosen;
}

void add_path(const PlotData& data, const PlanePair& plane, std::size_t member, DataBlock& block) {
  for (std::size_t t = 0; t < data.times.size(); ++t) {
    block.add_row({data.row(plane.across, t)[member], data.row(plane.up, t)[member]});
  }
  block.end_line();
}

/// Style that joins two points: where one variable is held, it changes when the other has arrived.
const char* line_style(const Column& across, const Column& up) {
  if (across.is_held == up.is_held) return "lines";
  return up.is_held ? "steps" : "fsteps";
}

/// Last time at which a member has a position, or the last of all times.
std::size_t last_seen(const PlotData& data, const PlanePair& plane, std::size_t member) {
  for (std::size_t t = data.times.size(); t > 0; --t) {
    if (std::isfinite(data.row(plane.across, t - 1)[member])) return t - 1;
  }
  return data.times.size() - 1;
}

Range range_of(const PlotData& data, std::size_t variable, const std::vector<std::size_t>& members) {
  std::vector<double> numbers;
  for (std::size_t t = 0; t < data.times.size(); ++t) {
    for (std::size_t member : members) numbers.push_back(data.row(variable, t)[member]);
  }
  return axis_range(numbers);
}

}  // namespace

std::string path_panel(const PlotData& data, const PlanePair& plane, const PanelFrame& frame) {
  std::vector<std::size_t> drawn = chosen_paths(data);
  DataBlock paths("$paths");
  DataBlock ends("$ends");
  DataBlock highlight("$highlight");
  for (std::size_t member : drawn) {
    add_path(data, plane, member, paths);
    const std::size_t last = last_seen(data, plane, member);
    ends.add_row({data.row(plane.across, last)[member], data.row(plane.up, last)[member]});
  }
  const std::size_t count = drawn.size();
  if (data.highlight >= 0) {
    drawn.push_back(static_cast<std::size_t>(data.highlight));
    add_path(data, plane, drawn.back(), highlight);
  }
  Range x = range_of(data, plane.across, drawn);
  Range y = range_of(data, plane.up, drawn);
  const Column& across = data.column(plane.across);
  const Column& up = data.column(plane.up);
  const char* const line = line_style(across, up);
  // Two numbers without units have the same one if both are coordinates, say.
  const bool same_unit = across.unit == up.unit && (!across.unit.empty() || across.field == up.field);
  if (same_unit) make_scales_equal(x, y, frame.aspect());
  const std::string of_all = count == static_cast<std::size_t>(data.contents.members)
                                 ? ""
                                 : fmt::format(", {} of {} members", count, grouped(data.contents.members));
  // The first two hexadecimal digits of a colour are its transparency.
  std::string text = labels_text(fmt::format("path{} in the plane of {} and {}{}", count == 1 ? "" : "s", across.name,
                                             up.name, of_all),
                                 axis_label(across), axis_label(up)) +
                     range_text('x', x) + range_text('y', y) + paths.text() + ends.text() + highlight.text() +
                     fmt::format(
                         "plot $paths using 1:2 with {} lw 1 lc rgb '#{}{}' notitle, "
                         "$ends using 1:2 with points pt 7 ps 0.6 lc rgb '{}' title 'end'",
                         line, count > 10 ? "a0" : "40", color::line + 1, color::line);
  if (data.highlight >= 0) {
    text += fmt::format(", $highlight using 1:2 with {} lw 2 lc rgb '{}' notitle", line, color::highlight);
  }
  return text + "\n";
}

}  // namespace kalaba
