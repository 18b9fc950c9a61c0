#include "report/figure/heat_panels.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

#include "kalaba/core/model/status.hpp"
#include "report/figure/color_scale.hpp"
#include "report/figure/panel_text.hpp"
#include "report/text/text.hpp"

namespace kalaba {
namespace {

constexpr std::size_t most_rectangles = 5000;  // for more cells an image, which SVG viewers may blur
constexpr std::size_t pixels = 600;            // per axis, if the cells have different widths
constexpr const char* no_member = "#e8ebee";
constexpr auto status_colors =
    std::to_array<const char*>({"#1d5a96", "#b0392b", "#e07b1a", "#7a55a5", "#c48f00", "#a9c8e6", "#8c564b", "#66727e",
                                "#d66ba0", "#5b8c2a", "#2b7a78", "#a0522d", "#3d3d8f"});
static_assert(status_colors.size() == status_count);

bool is_even(const std::vector<double>& edges) {
  const double width = (edges.back() - edges.front()) / static_cast<double>(edges.size() - 1);
  for (std::size_t i = 1; i < edges.size(); ++i) {
    if (std::abs(edges[i] - edges[i - 1] - width) > 1e-6 * width) return false;
  }
  return true;
}

/// Index of the cell that each pixel of an axis shows.
std::vector<std::size_t> shown_cells(const std::vector<double>& edges) {
  std::vector<std::size_t> cells;
  const std::size_t count = is_even(edges) ? edges.size() - 1 : pixels;
  const double width = (edges.back() - edges.front()) / static_cast<double>(count);
  for (std::size_t i = 0; i < count; ++i) {
    const double middle = edges.front() + width * (static_cast<double>(i) + 0.5);
    const auto above = std::upper_bound(edges.begin() + 1, edges.end() - 1, middle);
    cells.push_back(static_cast<std::size_t>(above - edges.begin()) - 1);
  }
  return cells;
}

/// Datablock $cells and its plot over the frame.
std::string cells_text(const HeatMap& map) {
  const std::vector<std::size_t> across = shown_cells(map.x.edges);
  const std::vector<std::size_t> up = shown_cells(map.y.edges);
  std::string text = "$cells << END\n";
  text.reserve(across.size() * up.size() * 8);
  for (const std::size_t row : up) {
    for (const std::size_t column : across) {
      fmt::format_to(std::back_inserter(text), "{:.12g} ", map.values[row * map.x.cells() + column]);
    }
    text.back() = '\n';
  }
  // On axes in units of cells: gnuplot would need several times as long to compute the position of every cell.
  return text + fmt::format(
                    "END\nset object 1 rectangle from graph 0,0 to graph 1,1 behind fc rgb '{}' fs solid noborder\n"
                    "unset grid\nset tics front\nset x2range [-0.5:{}]\nset y2range [-0.5:{}]\n"
                    "plot $cells matrix axes x2y2 with image{} notitle",
                    no_member, static_cast<double>(across.size()) - 0.5, static_cast<double>(up.size()) - 0.5,
                    across.size() * up.size() <= most_rectangles ? " pixels" : "");
}

std::string axes_text(const HeatMap& map, const std::string& heading) {
  return labels_text(heading, axis_label(map.x.name, map.x.unit), axis_label(map.y.name, map.y.unit)) +
         range_text('x', {map.x.edges.front(), map.x.edges.back()}) +
         range_text('y', {map.y.edges.front(), map.y.edges.back()});
}

std::string cells_in_words(const HeatMap& map) {
  long filled = 0;
  for (const long count : map.counts) filled += count > 0;
  const double each = filled > 0 ? static_cast<double>(map.members) / static_cast<double>(filled) : 0;
  std::string words = fmt::format("{} members", grouped(map.members));
  if (map.missing > 0) words += fmt::format(", {} without it", grouped(map.missing));
  const std::string size = fmt::format("{} × {} {}", map.x.cells(), map.y.cells(), map.is_grid ? "cells" : "bins");
  words += ", " + size;
  return each > 1.001 ? words + fmt::format(", each the mean of {}{:.3g}", map.is_grid ? "" : "about ", each) : words;
}

}  // namespace

DrawnPanel heat_panel(HeatMap map) {
  const std::string over = fmt::format("{} over {} and {}", map.name, map.x.name, map.y.name);
  const ColorRange colors = color_range(map.values);
  const std::string words = fmt::format("{}: {}{}", over, cells_in_words(map), colors.note);
  return {words, [map = std::move(map), colors](const PanelFrame& frame) {
            const std::string axes = axes_text(map, axis_label(map.name, map.unit));
            if (map.members == 0) return axes + empty_panel("no member has it");
            return axes + color_scale(frame, colors) + cells_text(map) + "\n";
          }};
}

DrawnPanel status_panel(const MemberColumn& x, const MemberColumn& y, const MemberColumn& status,
                        std::size_t most_cells) {
  HeatMap map = heat_map(x, y, status, most_cells);
  const bool alone = std::ranges::all_of(map.counts, [](long count) { return count <= 1; });
  if (!alone) {
    MemberColumn share{"not ok at the end", "%", status.values};
    for (double& value : share.values) value = value == 0 ? 0 : 100;
    return heat_panel(heat_map(x, y, share, most_cells));
  }
  std::set<int> present;
  for (const double value : status.values) present.insert(static_cast<int>(value));
  const std::string words = fmt::format("status over {} and {}: {}", x.name, y.name, cells_in_words(map));
  return {words, [map = std::move(map), present](const PanelFrame&) {
            std::string colors;
            for (int i = 0; i < status_count; ++i) {
              colors +=
                  fmt::format("{}{} '{}'", i == 0 ? "defined (" : ", ", i, status_colors[static_cast<std::size_t>(i)]);
            }
            std::string key;
            for (const int each : present) {
              if (each < 0 || each >= status_count) continue;
              key += fmt::format(", keyentry with boxes fs solid noborder fc rgb '{}' title '{}'",
                                 status_colors[static_cast<std::size_t>(each)], status_name(static_cast<Status>(each)));
            }
            return axes_text(map, "status") + palette_text({0, status_count - 1.0}, colors + ")") + "unset colorbox\n" +
                   cells_text(map) + key + "\n";
          }};
}

DrawnPanel density_panel(const HeatMap& counts, const std::string& when) {
  const std::string left_out =
      counts.missing > 0 ? fmt::format(", {} without a place there", grouped(counts.missing)) : "";
  const std::string words =
      fmt::format("Density of {} and {}{}: {} members in {} × {} bins{}", counts.x.name, counts.y.name, when,
                  grouped(counts.members), counts.x.cells(), counts.y.cells(), left_out);
  return {words, [counts, when](const PanelFrame& frame) {
            const std::string axes = axes_text(counts, "members a bin" + when);
            if (counts.members == 0) return axes + empty_panel("no member at this time");
            const std::vector<double> filled = finite_values(counts.values);
            return axes + color_scale(frame, {{0, *std::ranges::max_element(filled)}}) + cells_text(counts) + "\n";
          }};
}

}  // namespace kalaba
