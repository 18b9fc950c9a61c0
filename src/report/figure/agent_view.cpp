#include "report/figure/agent_view.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "report/figure/panel_text.hpp"

namespace kalaba {
namespace {

// Camera of a view in space, rad: rotation about the vertical axis, and elevation above the floor.
constexpr double turn = 0.5;
constexpr double height = 0.38;

/// 1, 2 or 5 times a power of ten, such that the width has at most five steps.
double tick_step(double width) {
  const double rough = width / 4.5;
  const double power = std::pow(10, std::floor(std::log10(rough)));
  for (double factor : {1.0, 2.0, 5.0}) {
    if (factor * power >= rough) return factor * power;
  }
  return 10 * power;
}

std::vector<double> ticks(const Range& range) {
  const double step = tick_step(range.high - range.low);
  std::vector<double> found;
  for (double k = std::ceil(range.low / step); k * step <= range.high; ++k) found.push_back(k * step + 0.0);  // no -0
  return found;
}

}  // namespace

AgentView::AgentView(const std::vector<Column>& axes, const Box& box, const PanelFrame& frame)
    : axes_(axes), box_(box) {
  if (axes.size() == 2) {
    across_ = box[0];
    up_ = box[1];
  } else {
    const double half = widest(box) / 2;
    for (Range& range : box_) {
      const double middle = range.low / 2 + range.high / 2;
      range = {middle - half, middle + half};
    }
    // Outermost corners of the cube, and space for the axis numbers.
    const Range &x = box_[0], &y = box_[1], &z = box_[2];
    const double room = 0.12 * half;
    across_ = {project({x.low, y.low, z.low}).across - 2 * room, project({x.high, y.high, z.low}).across + 2 * room};
    up_ = {project({x.high, y.low, z.low}).up - 2 * room, project({x.low, y.low, z.high}).up + 3 * room};
  }
  make_scales_equal(across_, up_, frame.aspect());
}

AgentView::Spot AgentView::project(const std::array<double, 3>& place) const {
  const double across = std::cos(turn) * place[0] + std::sin(turn) * place[1];
  const double back = -std::sin(turn) * place[0] + std::cos(turn) * place[1];
  const auto back_of = [](double x, double y) { return -std::sin(turn) * x + std::cos(turn) * y; };
  const double nearest = back_of(box_[0].high, box_[1].low);
  const double farthest = back_of(box_[0].low, box_[1].high);
  return {across, std::cos(height) * place[2] + std::sin(height) * back,
          std::clamp((back - nearest) / (farthest - nearest), 0.0, 1.0)};
}

AgentView::Spot AgentView::spot(const Agents& agents, std::size_t time, std::size_t agent) const {
  const double x = agents.at(0, time, agent);
  const double y = agents.at(1, time, agent);
  if (axes_.size() == 2) return {x, y, 0};
  return project({x, y, agents.at(2, time, agent)});
}

AgentView::Spot AgentView::shadow(const Agents& agents, std::size_t time, std::size_t agent) const {
  return project({agents.at(0, time, agent), agents.at(1, time, agent), box_[2].low});
}

/// Draws a floor with a grid, a vertical axis at its left corner, and the axes' numbers and names.
void AgentView::draw_floor(std::string& text) const {
  const Range &x = box_[0], &y = box_[1], &z = box_[2];
  const double room = 0.05 * widest(box_);
  DataBlock grid("$grid");
  DataBlock edges("$edges");
  std::string names = "$names << END\n";
  const auto line = [&](DataBlock& block, const std::array<double, 3>& from, const std::array<double, 3>& to) {
    for (const Spot& end : {project(from), project(to)}) block.add_row({end.across, end.up});
    block.end_line();
  };
  const auto name = [&](Spot at, double right, double down, const std::string& words) {
    names += fmt::format("{} {} \"{}\"\n", at.across + right * room, at.up - down * room, words);
  };
  for (double tick : ticks(x)) {
    line(grid, {tick, y.low, z.low}, {tick, y.high, z.low});
    name(project({tick, y.low, z.low}), -0.5, 1, fmt::format("{:.6g}", tick));
  }
  for (double tick : ticks(y)) {
    line(grid, {x.low, tick, z.low}, {x.high, tick, z.low});
    name(project({x.high, tick, z.low}), 1, 0.8, fmt::format("{:.6g}", tick));
  }
  for (double tick : ticks(z)) name(project({x.low, y.low, tick}), -1, 0, fmt::format("{:.6g}", tick));
  name(project({x.low / 2 + x.high / 2, y.low, z.low}), -1.6, 3, axis_label(axes_[0]));
  name(project({x.high, y.low / 2 + y.high / 2, z.low}), 2.6, 2.4, axis_label(axes_[1]));
  name(project({x.low, y.low, z.high}), 0, -1.2, axis_label(axes_[2]));
  line(edges, {x.low, y.low, z.low}, {x.high, y.low, z.low});
  line(edges, {x.high, y.low, z.low}, {x.high, y.high, z.low});
  line(edges, {x.low, y.low, z.low}, {x.low, y.low, z.high});
  line(grid, {x.low, y.high, z.low}, {x.high, y.high, z.low});
  line(grid, {x.low, y.low, z.low}, {x.low, y.high, z.low});
  text += grid.text() + edges.text() + names + "END\nunset border\nunset tics\nunset grid\n";
}

std::string AgentView::axes_text(const std::string& heading) const {
  const bool plane = axes_.size() == 2;
  std::string text = labels_text(heading, plane ? axis_label(axes_[0]) : "", plane ? axis_label(axes_[1]) : "") +
                     range_text('x', across_) + range_text('y', up_);
  if (!plane) draw_floor(text);
  return text;
}

std::string AgentView::plot_text() const {
  if (axes_.size() == 2) return "plot NaN notitle";
  return fmt::format(
      "plot $grid using 1:2 with lines lw 0.8 lc rgb '{}' notitle, $edges using 1:2 with lines lw 0.8 lc rgb '{}' "
      "notitle, $names using 1:2:3 with labels font ',12' textcolor rgb '{}' notitle",
      color::grid, color::soft_ink, color::soft_ink);
}

}  // namespace kalaba
