#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "report/figure/panel_text.hpp"
#include "report/figure/panels.hpp"
#include "report/text/text.hpp"

namespace kalaba {
namespace {

std::string heading(const PlotData& data, const Column& column, long finite, long outside) {
  std::string text = fmt::format("{} at t = {:.6g} s", column.name, data.contents.times.back());
  const auto all = static_cast<long>(data.members.size());
  if (finite < all) text += fmt::format(", {} of {} members", grouped(finite), grouped(all));
  if (outside > 0) text += fmt::format(" ({} far out, not shown)", grouped(outside));
  return text;
}

/// Vertical line over the full height of the panel.
std::string upright_line(double x, double height, const char* hue, const char* dashes, const char* title) {
  return fmt::format(
      ", '+' using ({:.12g}):(0):(0):({:.12g}) every ::0::0 with vectors nohead lw 1.8 {} lc rgb '{}' {}", x, height,
      dashes, hue, title);
}

/// Bars with the shares in percent; if all values are equal, one bar of visible width.
std::string bars(const Histogram& bins, const Range& range) {
  const double width = bins.width > 0 ? bins.width : (range.high - range.low) / 20;
  const double first = bins.width > 0 ? bins.low : bins.low - width / 2;
  DataBlock block("$bins");
  for (std::size_t i = 0; i < bins.shares.size(); ++i) {
    const double left = first + width * static_cast<double>(i);
    block.add_row({left + width / 2, 50 * bins.shares[i], left, left + width, 0, 100 * bins.shares[i]});
  }
  return block.text() + fmt::format(
                            "plot $bins using 1:2:3:4:5:6 with boxxyerror fs solid 1.0 border rgb 'white' "
                            "fc rgb '{}' lw 0.5 notitle",
                            color::narrow_band);
}

double height_of(const Histogram& bins) { return 1.08 * 100 * *std::ranges::max_element(bins.shares); }

}  // namespace

std::string histogram_text(std::vector<double>& finite) {
  const Histogram bins = histogram(finite);
  const Range across =
      axis_range(std::array{bins.low, bins.low + bins.width * static_cast<double>(bins.shares.size())});
  const double height = height_of(bins);
  const double median = quantiles(finite, std::array{0.5})[0];
  return range_text('x', across) + range_text('y', {0, height}) + bars(bins, across) +
         upright_line(median, height, color::line, "dt (6,4)", "title 'median'") + "\n";
}

std::string histogram_panel(const PlotData& data, std::size_t variable) {
  const std::span<const double> members = data.row(variable, data.times.size() - 1);
  std::vector<double> finite = finite_values(members);
  const Histogram bins = histogram(finite);
  const Column& column = data.column(variable);
  const std::string labels = labels_text(heading(data, column, static_cast<long>(finite.size()), bins.outside),
                                         axis_label(column), "members (%)");
  if (finite.empty()) return labels + range_text('x', {}) + range_text('y', {}) + empty_panel("no member at this time");
  std::string text = labels + histogram_text(finite);
  if (data.highlight < 0) return text;
  text.pop_back();  // the line continues
  const auto highlight = finite_values(members.subspan(static_cast<std::size_t>(data.highlight), 1));
  if (!highlight.empty()) text += upright_line(highlight[0], height_of(bins), color::highlight, "", "notitle");
  return text + "\n";
}

}  // namespace kalaba
