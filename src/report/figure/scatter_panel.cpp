#include "report/figure/scatter_panel.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "report/figure/color_scale.hpp"
#include "report/figure/panel_text.hpp"
#include "report/text/text.hpp"

namespace kalaba {
namespace {

constexpr std::size_t most_points = 50'000;

/// Numbers of the members that are drawn.
struct Points {
  std::vector<double> x;
  std::vector<double> y;
  std::vector<double> color;  ///< empty without colours
  std::size_t complete = 0;   ///< members that have all numbers
};

Points points_of(const MemberColumn& x, const MemberColumn& y, const std::optional<MemberColumn>& color) {
  std::vector<std::size_t> complete;
  for (std::size_t i = 0; i < x.values.size(); ++i) {
    const bool is_colored = !color || std::isfinite(color->values[i]);
    if (is_colored && std::isfinite(x.values[i]) && std::isfinite(y.values[i])) complete.push_back(i);
  }
  Points points;
  points.complete = complete.size();
  const std::size_t drawn = std::min(complete.size(), most_points);
  for (std::size_t k = 0; k < drawn; ++k) {
    const std::size_t i = complete[k * complete.size() / drawn];
    points.x.push_back(x.values[i]);
    points.y.push_back(y.values[i]);
    if (color) points.color.push_back(color->values[i]);
  }
  return points;
}

double size_of_point(std::size_t points) { return points <= 300 ? 0.8 : points <= 3000 ? 0.45 : 0.2; }

std::string points_text(const Points& points) {
  DataBlock block("$points");
  for (std::size_t i = 0; i < points.x.size(); ++i) {
    block.add_row({points.x[i], points.y[i], points.color.empty() ? 0 : points.color[i]});
  }
  const std::string how = points.color.empty() ? fmt::format("using 1:2 with points lc rgb '{}'", color::line)
                                               : std::string("using 1:2:3 with points lc palette");
  return block.text() + fmt::format("plot $points {} pt 7 ps {} notitle\n", how, size_of_point(points.x.size()));
}

}  // namespace

DrawnPanel scatter_panel(const MemberColumn& x, const MemberColumn& y, const std::optional<MemberColumn>& color) {
  Points points = points_of(x, y, color);
  const ColorRange colors = color_range(points.color);
  const std::size_t missing = x.values.size() - points.complete;
  std::string words = fmt::format("{} over {}", y.name, x.name);
  if (color) words += fmt::format(", coloured by {}", axis_label(color->name, color->unit));
  words += fmt::format(": {} members", grouped(static_cast<long>(points.complete)));
  if (missing > 0) words += fmt::format(", {} without a number", grouped(static_cast<long>(missing)));
  if (points.x.size() < points.complete)
    words += fmt::format(", {} of them drawn", grouped(static_cast<long>(points.x.size())));
  words += colors.note;
  const std::string heading = color ? "colour: " + axis_label(color->name, color->unit) : y.name;
  const std::string labels = labels_text(heading, axis_label(x.name, x.unit), axis_label(y.name, y.unit));
  return {words, [points = std::move(points), colors, labels](const PanelFrame& frame) {
            if (points.x.empty())
              return labels + range_text('x', {}) + range_text('y', {}) + empty_panel("no member has it");
            return labels + range_text('x', axis_range(points.x)) + range_text('y', axis_range(points.y)) +
                   (points.color.empty() ? "" : color_scale(frame, colors)) + points_text(points);
          }};
}

}  // namespace kalaba
