#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "report/figure/panel_text.hpp"
#include "report/figure/panels.hpp"
#include "report/text/text.hpp"

namespace kalaba {
namespace {

constexpr std::size_t few_members = 10;
constexpr std::array shares = {0.05, 0.25, 0.5, 0.75, 0.95};

bool has_bands(const PlotData& data) { return data.members.size() > few_members; }

/// Rows: time, then one number per column; the last column is the highlighted member.
struct Curves {
  DataBlock data;
  std::vector<double> numbers;  // all numbers, for the range of the axis

  void add(double time, std::vector<double> row) {
    numbers.insert(numbers.end(), row.begin(), row.end());
    row.insert(row.begin(), time);
    data.add_row(row);
  }
};

Curves curves_of(const PlotData& data, std::size_t variable) {
  Curves curves = {DataBlock("$fan", data.column(variable).is_held), {}};
  for (std::size_t t = 0; t < data.times.size(); ++t) {
    const std::span<const double> members = data.row(variable, t);
    std::vector<double> row(members.begin(), members.end());
    if (has_bands(data)) {
      std::vector<double> finite = finite_values(members);
      row = quantiles(finite, shares);
    }
    if (data.highlight >= 0) row.push_back(members[static_cast<std::size_t>(data.highlight)]);
    curves.add(data.time(t), std::move(row));
  }
  return curves;
}

std::string plot_command(const PlotData& data) {
  const bool bands = has_bands(data);
  std::string text;
  if (bands) {
    text = fmt::format(
        "plot $fan using 1:2:6 with filledcurves fs noborder fc rgb '{}' notitle, "
        "$fan using 1:3:5 with filledcurves fs noborder fc rgb '{}' notitle, "
        "$fan using 1:4 with lines lw 2 lc rgb '{}' notitle",
        color::wide_band, color::narrow_band, color::line);
  } else {
    text = fmt::format("plot for [i=2:{}] $fan using 1:i with lines lw 1.6 lc rgb '{}' notitle",
                       1 + data.members.size(), color::line);
  }
  if (data.highlight >= 0) {
    text += fmt::format(", $fan using 1:{} with lines lw 2 lc rgb '{}' notitle",
                        2 + (bands ? shares.size() : data.members.size()), color::highlight);
  }
  return text + "\n";
}

}  // namespace

std::vector<std::string> legend_of(const PlotData& data) {
  std::vector<std::string> legend;
  if (std::ranges::count(data.kinds, PlotKind::fan) > 0 && has_bands(data)) {
    legend.push_back(fmt::format("with boxes fs solid noborder fc rgb '{}' title '5–95 %'", color::wide_band));
    legend.push_back(fmt::format("with boxes fs solid noborder fc rgb '{}' title '25–75 %'", color::narrow_band));
    legend.push_back(fmt::format("with lines lw 2 lc rgb '{}' title 'median'", color::line));
  }
  const bool shows_members = data.kinds != std::vector{PlotKind::residual};
  if (data.highlight >= 0 && shows_members) {
    const long member = data.members[static_cast<std::size_t>(data.highlight)];
    legend.push_back(fmt::format("with lines lw 2 lc rgb '{}' title '{} {}'", color::highlight,
                                 data.contents.agents ? "agent" : "member", grouped(member)));
  }
  return legend;
}

std::string fan_panel(const PlotData& data, std::size_t variable) {
  const Curves curves = curves_of(data, variable);
  const Column& column = data.column(variable);
  return labels_text(column.name, "time (s)", axis_label(column)) +
         range_text('x', {data.contents.times.front(), data.contents.times.back()}) +
         range_text('y', axis_range(curves.numbers)) + curves.data.text() + plot_command(data);
}

}  // namespace kalaba
