#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "report/figure/panel_text.hpp"
#include "report/figure/panels.hpp"

namespace kalaba {

std::string drift_panel(const PlotData& data, std::size_t variable) {
  constexpr std::array shares = {0.5, 1.0};
  const std::span<const double> start = data.row(variable, 0);
  std::vector<std::vector<double>> drifts;  // [time]: median and largest
  std::vector<double> all;
  for (std::size_t t = 0; t < data.times.size(); ++t) {
    std::vector<double> change;
    for (std::size_t i = 0; i < start.size(); ++i) change.push_back(std::abs(data.row(variable, t)[i] - start[i]));
    std::vector<double> finite = finite_values(change);
    drifts.push_back(quantiles(finite, shares));
    all.insert(all.end(), drifts.back().begin(), drifts.back().end());
  }
  const Column& column = data.column(variable);
  const std::string title = fmt::format("change of {} since the start", column.name);
  const std::string text = labels_text(title, "time (s)", axis_label({"|change|", column.unit, column.field, 0})) +
                           range_text('x', {data.contents.times.front(), data.contents.times.back()});
  // At the start the change is zero by definition.
  if (std::ranges::none_of(all, [](double number) { return number > 0; })) {
    return text + empty_log_panel(std::span(all).subspan(shares.size()));
  }
  const LogAxis axis = log_axis(all);
  DataBlock block("$drift", column.is_held);
  for (std::size_t t = 0; t < data.times.size(); ++t) {
    block.add_row({data.time(t), std::max(drifts[t][0], axis.lowest), std::max(drifts[t][1], axis.lowest)});
  }
  return text + axis.text + block.text() +
         fmt::format(
             "plot $drift using 1:3 with lines lw 2 lc rgb '{0}' title 'largest', "
             "$drift using 1:2 with lines lw 1.2 dt (6,4) lc rgb '{0}' title 'median'\n",
             color::line);
}

}  // namespace kalaba
