#include "report/sensitivity_panels.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "report/gnuplot.hpp"
#include "report/page.hpp"
#include "report/panel_text.hpp"

namespace kalaba {
namespace {

constexpr std::size_t most_points = 1500;

std::string label_of(const MemberColumn& column) { return axis_label({column.name, column.unit, Field::q, 0}); }

}  // namespace

std::string tornado_panel(const Sensitivity& data, std::size_t output) {
  const std::size_t count = data.inputs.size();
  const double* values = data.rank_correlation.data() + output * count;
  std::vector<std::size_t> order(count);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, std::greater(), [&](std::size_t i) { return std::abs(values[i]); });
  order.resize(std::min(count, most_bars));
  DataBlock positive("$positive");
  DataBlock negative("$negative");
  std::string names;
  double place = static_cast<double>(order.size());
  for (const std::size_t input : order) {
    place -= 1;
    const double value = values[input];
    (value < 0 ? negative : positive)
        .add_row({value / 2, place, std::min(value, 0.0), std::max(value, 0.0), place - 0.32, place + 0.32});
    // The name stands on the side that the bar leaves free, the number at the bar's end.
    names += fmt::format("set label {} at {},{} {} offset {},0 textcolor rgb '{}' noenhanced\n",
                         quoted(data.inputs[input].name), 0, place, value < 0 ? "left" : "right",
                         value < 0 ? "0.6" : "-0.6", color::ink);
    names += fmt::format("set label '{:.2f}' at {},{} {} offset {},0 font ',11' textcolor rgb '{}'\n", value, value,
                         place, value < 0 ? "right" : "left", value < 0 ? "-0.4" : "0.4", color::soft_ink);
  }
  const MemberColumn& column = data.outputs[output];
  return labels_text(column.name, "rank correlation", "") + range_text('x', {-1.25, 1.25}) +
         range_text('y', {-0.7, static_cast<double>(order.size()) - 0.3}) + names +
         "unset ytics\nset border 1\nset xtics -1,0.5,1\n" + positive.text() + negative.text() +
         fmt::format(
             "plot $positive using 1:2:3:4:5:6 with boxxyerror fs solid noborder fc rgb '{}' notitle, "
             "$negative using 1:2:3:4:5:6 with boxxyerror fs solid noborder fc rgb '{}' notitle, "
             "'+' using (0):($1) with lines lw 0.8 lc rgb '{}' notitle\n",
             color::line, color::second_line, color::soft_ink);
}

std::string scatter_panel(const Sensitivity& data, std::size_t output, std::size_t input) {
  const MemberColumn& across = data.inputs[input];
  const MemberColumn& up = data.outputs[output];
  const std::size_t step = std::max<std::size_t>(across.values.size() / most_points, 1);
  DataBlock points("$points");
  for (std::size_t i = 0; i < across.values.size(); i += step) points.add_row({across.values[i], up.values[i]});
  const double rank = data.rank_correlation[output * data.inputs.size() + input];
  return labels_text(fmt::format("{} over {}: rank correlation {:.2f}", up.name, across.name, rank), label_of(across),
                     label_of(up)) +
         range_text('x', axis_range(across.values)) + range_text('y', axis_range(up.values)) + points.text() +
         fmt::format("plot $points using 1:2 with points pt 7 ps 0.3 lc rgb '#60{}' notitle\n", color::line + 1);
}

}  // namespace kalaba
