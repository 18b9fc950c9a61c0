#include "report/figure/sensitivity_panels.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string_view>

#include "report/figure/gnuplot.hpp"
#include "report/figure/page.hpp"
#include "report/figure/panel_text.hpp"

namespace kalaba {
namespace {

constexpr std::size_t most_scattered_points = 1500;
constexpr std::size_t most_bars = 8;
constexpr std::size_t longest_name = 22;

struct Bar {
  double low;
  double high;
  const char* hue;
  std::string number;
};

const char* hue_of(std::string_view direction) {
  return direction == "rises" ? color::line : direction == "falls" ? color::second_line : color::curves[2];
}

Bar bar_of(const Sensitivity& data, std::size_t output, std::size_t input) {
  const std::size_t pair = data.at(output, input);
  if (data.spread == Spread::one_at_a_time) {
    const Effect& effect = data.effects[pair];
    return {effect.low, effect.high, color::line, fmt::format("{:.3g} … {:+.3g}", effect.low, effect.high)};
  }
  if (std::isnan(data.share[pair])) {
    const double rank = data.rank_correlation[pair];
    return {0, std::abs(rank), hue_of(rank < 0 ? "falls" : "rises"), fmt::format("{:.2f}", rank)};
  }
  return {0, data.share[pair], hue_of(direction_of(data, output, input)),
          fmt::format("{:.0f} %", 100 * data.share[pair])};
}

/// Sets the labels of bars, the first on top, left of the frame's axis, which the panel shifts to the right.
std::string bar_names(const std::vector<std::string>& names) {
  std::string tics;
  for (std::size_t i = 0; i < names.size(); ++i) {
    tics += fmt::format("{}{} {}", i == 0 ? "" : ", ", quoted(shortened(names[i], longest_name)), names.size() - 1 - i);
  }
  return fmt::format(
      "set ytics ({}) nomirror scale 0 font ',11' textcolor rgb '{}' noenhanced\nset border 3\nunset grid\n"
      "set lmargin {}\n",
      tics, color::ink, 2 + longest_name);
}

/// Inputs with the largest total indices, in descending order.
std::vector<std::size_t> strongest(const Sensitivity& data, std::size_t output) {
  std::vector<std::size_t> order(data.drawn.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, std::greater(), [&](std::size_t i) { return data.sobol[output].total[i].share; });
  order.resize(sobol_bars(data));
  return order;
}

}  // namespace

const char* direction_of(const Sensitivity& data, std::size_t output, std::size_t input) {
  const double rank = data.rank_correlation[data.at(output, input)];
  // For a monotone dependence, rank^2 is close to the share.
  if (rank * rank < 0.5 * data.share[data.at(output, input)]) return "both ways";
  return rank < 0 ? "falls" : "rises";
}

std::vector<std::size_t> bars_of(const Sensitivity& data, std::size_t output) {
  std::vector<std::size_t> order;
  for (std::size_t input = 0; input < data.inputs.size(); ++input) {
    if (data.strength(output, input) > 0) order.push_back(input);
  }
  std::ranges::stable_sort(order, std::greater(), [&](std::size_t input) { return data.strength(output, input); });
  order.resize(std::min(order.size(), most_bars));
  return order;
}

std::string tornado_panel(const Sensitivity& data, std::size_t output) {
  const std::vector<std::size_t> inputs = bars_of(data, output);
  const MemberColumn& column = data.outputs[output];
  const bool alone = data.spread == Spread::one_at_a_time;
  const std::string across =
      alone ? fmt::format("change of {}", axis_label(column.name, column.unit)) : "share of its variance, by ranks";
  const std::string labels = labels_text(column.name, inputs.empty() ? "" : across, "");
  if (inputs.empty()) {
    return labels + "unset tics\nset border 0\n" + range_text('x', {}) + range_text('y', {}) +
           empty_panel("no more than chance with any one input");
  }
  DataBlock block("$bars");
  std::string numbers;
  Range range = {0, alone ? 0.0 : 1.0};
  std::vector<Bar> bars;
  std::vector<std::string> names;
  for (const std::size_t input : inputs) {
    bars.push_back(bar_of(data, output, input));
    names.push_back(data.inputs[input].name);
  }
  for (const Bar& bar : bars) range = {std::min(range.low, bar.low), std::max(range.high, bar.high)};
  const double room = range.high - range.low;
  double place = static_cast<double>(bars.size());
  for (const Bar& bar : bars) {
    place -= 1;
    block.add_row({(bar.low + bar.high) / 2, place, bar.low, bar.high, place - 0.32, place + 0.32,
                   static_cast<double>(color::number(bar.hue))});
    numbers += fmt::format("set label {} at {},{} left offset 0.5,0 font ',11' textcolor rgb '{}' noenhanced\n",
                           quoted(bar.number), gnuplot_number(bar.high), place, color::soft_ink);
  }
  range = {range.low - 0.03 * (alone ? room : 0), range.high + (alone ? 0.85 : 0.18) * room};
  return labels + range_text('x', range) + range_text('y', {-0.7, static_cast<double>(bars.size()) - 0.3}) + numbers +
         bar_names(names) + (alone ? "" : "set xtics 0,0.25,1\nset format x '%.2g'\n") + block.text() +
         fmt::format(
             "plot $bars using 1:2:3:4:5:6:7 with boxxyerror fs solid noborder fc rgb variable notitle, "
             "'+' using (0):($1) with lines lw 0.8 lc rgb '{}' notitle\n",
             color::soft_ink);
}

std::string scatter_panel(const Sensitivity& data, std::size_t output, std::size_t input) {
  const MemberColumn& across = data.inputs[input];
  const MemberColumn& up = data.outputs[output];
  const std::size_t pair = data.at(output, input);
  const bool alone = data.spread == Spread::one_at_a_time;
  std::vector<std::pair<double, double>> points;
  const std::size_t step = alone ? 1 : std::max<std::size_t>(across.values.size() / most_scattered_points, 1);
  for (std::size_t i = 0; i < across.values.size(); i += step) {
    const bool rests = std::ranges::all_of(data.inputs, [&](const MemberColumn& other) {
      return &other == &across || other.values[i] == other.values[0];
    });
    if (!alone || rests) points.emplace_back(across.values[i], up.values[i]);
  }
  if (alone) std::ranges::sort(points);
  DataBlock block("$points");
  for (const auto& [x, y] : points) block.add_row({x, y});
  std::string heading = fmt::format("{} over {}", up.name, across.name);
  if (!alone && std::isfinite(data.share[pair])) {
    heading += fmt::format(": {:.0f} %, {}", 100 * data.share[pair], direction_of(data, output, input));
  }
  const std::string look = alone ? fmt::format("with linespoints pt 7 ps 0.4 lc rgb '{}'", color::line)
                                 : fmt::format("with points pt 7 ps 0.3 lc rgb '#60{}'", color::line + 1);
  return labels_text(heading, axis_label(across.name, across.unit), axis_label(up.name, up.unit)) +
         range_text('x', axis_range(across.values)) + range_text('y', axis_range(up.values)) + block.text() +
         "plot $points using 1:2 " + look + " notitle\n";
}

std::size_t sobol_bars(const Sensitivity& data) { return std::min(data.drawn.size(), most_bars); }

std::string sobol_panel(const Sensitivity& data, std::size_t output) {
  const std::string labels = labels_text(data.outputs[output].name, "share of its variance", "");
  if (!std::isfinite(data.sobol[output].total.front().share)) {
    return labels + "unset tics\nset border 0\n" + range_text('x', {}) + range_text('y', {}) +
           empty_panel("no point has a value of every member");
  }
  DataBlock block("$indices");
  std::vector<std::string> names;
  double high = 1;
  double low = 0;
  const std::vector<std::size_t> inputs = strongest(data, output);
  double place = static_cast<double>(inputs.size());
  for (const std::size_t input : inputs) {
    place -= 1;
    names.push_back(data.drawn[input]);
    const SobolIndex& total = data.sobol[output].total[input];
    const SobolIndex& first = data.sobol[output].first[input];
    for (const SobolIndex* index : {&total, &first}) {
      high = std::fmax(high, index->share + index->reach());
      low = std::fmin(low, index->share - index->reach());
    }
    block.add_row({total.share, place, total.share - total.reach(), total.share + total.reach(), first.share,
                   first.share - first.reach(), first.share + first.reach()});
  }
  const char* const light = color::curves[0];
  return labels + range_text('x', {low, 1.02 * high}) +
         range_text('y', {-0.7, static_cast<double>(inputs.size()) - 0.3}) + bar_names(names) +
         "set xtics 0,0.25,1\nset format x '%.2g'\n" + block.text() +
         fmt::format(
             "plot $indices using (0.5*$1):2:(0):1:($2-0.36):($2+0.36) with boxxyerror fs solid 0.35 noborder fc rgb "
             "'{0}' notitle, '' using (0.5*$5):2:(0):5:($2-0.2):($2+0.2) with boxxyerror fs solid noborder fc rgb "
             "'{0}' notitle, '' using 1:($2+0.28):3:4 with xerrorbars pt 0 lw 1.2 lc rgb '{1}' notitle, '' using "
             "5:2:6:7 with xerrorbars pt 0 lw 1.2 lc rgb '{1}' notitle\n",
             light, color::ink);
}

}  // namespace kalaba
