#include "report/figure/agent_panels.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "report/figure/agent_view.hpp"
#include "report/figure/panel_text.hpp"

namespace kalaba {
namespace {

constexpr std::size_t most_trails = 60;
constexpr double shades = 12;  // few, as a GIF has 256 colours
constexpr double speck = 0.2;  // relative to the shared scale: smaller swarms are magnified

/// Colour of an agent: distinct if there are few; one hue for many, paler with increasing depth.
double color_of(const Agents& agents, std::size_t agent, double depth) {
  if (static_cast<long>(agent) == agents.highlight) return color::number(color::highlight);
  if (agents.all <= static_cast<long>(color::curves.size())) return color::number(color::curves[agent]);
  const double shade = std::isfinite(depth) ? std::round(depth * shades) / shades : 0;
  return color::mixed(color::number(color::line), color::number(color::narrow_band), shade);
}

double dot_size(std::size_t count) {
  if (count <= 20) return 1.2;
  if (count <= 300) return 0.7;
  return count <= 3000 ? 0.45 : 0.25;
}

/// Drawing order: from far to near, the highlighted agent last.
std::vector<std::size_t> back_to_front(const Agents& agents, const AgentView& view, std::size_t time) {
  std::vector<std::size_t> order(agents.numbers.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::vector<double> depth;
  for (std::size_t agent : order) {
    const bool last = static_cast<long>(agent) == agents.highlight;
    const double back = view.spot(agents, time, agent).depth;
    depth.push_back(last || !std::isfinite(back) ? -1 : back);
  }
  std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) { return depth[a] > depth[b]; });
  return order;
}

struct Dots {
  std::string data;
  std::string terms;
};

Dots dots_of(const Agents& agents, const AgentView& view, std::size_t time) {
  DataBlock dots("$agents");
  DataBlock shadows("$shadows");
  for (std::size_t agent : back_to_front(agents, view, time)) {
    const auto [across, up, depth] = view.spot(agents, time, agent);
    dots.add_row({across, up, color_of(agents, agent, depth)});
    if (!agents.in_space()) continue;
    const AgentView::Spot shadow = view.shadow(agents, time, agent);
    shadows.add_row({shadow.across, shadow.up});
  }
  const double size = dot_size(agents.numbers.size());
  Dots result{dots.text(), ""};
  if (agents.in_space()) {
    result.data += shadows.text();
    result.terms =
        fmt::format(", $shadows using 1:2 with points pt 7 ps {} lc rgb '{}' notitle", 0.7 * size, color::wide_band);
  }
  result.terms += fmt::format(", $agents using 1:2:3 with points pt 7 ps {} lc rgb variable notitle", size);
  return result;
}

/// Paths from the first time to this one, one line each.
std::string paths_data(const Agents& agents, const AgentView& view, std::size_t last) {
  DataBlock paths("$paths");
  for (std::size_t agent = 0; agent < agents.numbers.size(); ++agent) {
    for (std::size_t time = 0; time <= last; ++time) {
      const auto [across, up, depth] = view.spot(agents, time, agent);
      const auto shade = static_cast<unsigned>(color_of(agents, agent, depth));
      const unsigned paler = color::mixed(shade, 0xffffff, agents.numbers.size() > 10 ? 0.45 : 0.15);
      paths.add_row({across, up, static_cast<double>(paler)});
    }
    paths.end_line();
  }
  return paths.text();
}

constexpr const char* paths_term = ", $paths using 1:2:3 with lines lw 1.2 lc rgb variable notitle";

std::string time_heading(const Agents& agents, std::size_t time) {
  return fmt::format("t = {:.4g} s", agents.times[time]);
}

/// Returns true if no agent has a position at the time.
bool is_empty(const Agents& agents, std::size_t time) {
  for (std::size_t agent = 0; agent < agents.numbers.size(); ++agent) {
    if (std::isfinite(agents.at(0, time, agent))) return false;
  }
  return true;
}

}  // namespace

std::string agent_paths_panel(const Agents& agents, const PanelFrame& frame) {
  const AgentView view(agents.axes, box_of(agents), frame);
  const std::size_t last = agents.times.size() - 1;
  DataBlock starts("$starts");
  for (std::size_t agent = 0; agent < agents.numbers.size(); ++agent) {
    const auto [across, up, depth] = view.spot(agents, 0, agent);
    starts.add_row({across, up, color_of(agents, agent, depth)});
  }
  const Dots ends = dots_of(agents, view, last);
  const double size = dot_size(agents.numbers.size());
  return view.axes_text("paths of the agents" + agents.share()) + paths_data(agents, view, last) + starts.text() +
         ends.data + view.plot_text() + paths_term +
         fmt::format(", $starts using 1:2:3 with points pt 6 ps {} lw 1.2 lc rgb variable notitle", size) + ends.terms +
         fmt::format(
             ", keyentry with points pt 6 ps 0.9 lw 1.2 lc rgb '{0}' title 'start', keyentry with points pt 7 "
             "ps 0.9 lc rgb '{0}' title 'end'\n",
             color::soft_ink);
}

std::string snapshot_panel(const Agents& agents, std::size_t time, const PanelFrame& frame) {
  const Box shared = box_of(agents);
  if (is_empty(agents, time)) {
    return AgentView(agents.axes, shared, frame).axes_text(time_heading(agents, time)) +
           empty_panel("no agent at this time");
  }
  const Box own = box_of(agents, time);
  const double share = widest(own) / widest(shared);
  std::string heading = time_heading(agents, time);
  const bool is_speck = agents.numbers.size() > 1 && share < speck;
  if (is_speck) heading += fmt::format(", {:.3g} times magnified", 1 / share);
  const AgentView view(agents.axes, is_speck ? own : shared, frame);
  const Dots dots = dots_of(agents, view, time);
  return view.axes_text(heading) + dots.data + view.plot_text() + dots.terms + "\n";
}

std::string animation_panel(const Agents& agents, std::size_t time, const Box& box, const PanelFrame& frame) {
  const AgentView view(agents.axes, box, frame);
  const Dots dots = dots_of(agents, view, time);
  const bool trails = agents.numbers.size() <= most_trails;
  return view.axes_text(time_heading(agents, time)) + (trails ? paths_data(agents, view, time) : "") + dots.data +
         view.plot_text() + (trails ? paths_term : "") + dots.terms + "\n";
}

}  // namespace kalaba
