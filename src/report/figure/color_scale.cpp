#include "report/figure/color_scale.hpp"

#include <fmt/format.h>

#include <array>

#include "report/figure/gnuplot.hpp"
#include "report/text/text.hpp"

namespace kalaba {

std::string color_scale(const PanelFrame& frame, const Range& range, const std::string& colors) {
  const double pixel = 1 / frame.height();
  std::string tics;
  for (const double share : {0.0, 0.5, 1.0}) {
    const double value = range.low + share * (range.high - range.low);
    tics += fmt::format("{}'{:.4g}' {}", share == 0 ? "" : ", ", value, gnuplot_number(value));
  }
  return fmt::format(
      "set palette {}\nset cbrange [{}:{}]\nset colorbox horizontal user origin graph 0.5, graph {:.4f} size graph "
      "0.5, "
      "graph {:.4f} noborder\nset cbtics out scale 0.3 offset 0,0.5 font ',11' textcolor rgb '{}' ({})\n",
      colors, gnuplot_number(range.low), gnuplot_number(range.high), 1 + 46 * pixel, 8 * pixel, color::soft_ink, tics);
}

ColorRange color_range(const std::vector<double>& values) {
  std::vector<double> finite = finite_values(values);
  if (finite.empty()) return {};
  const Range all = full_range(finite);
  const std::vector<double> inner = quantiles(finite, std::array{0.005, 0.995});
  const bool far_out = all.high - all.low > 5 * (inner[1] - inner[0]) && !is_flat(inner[0], inner[1]);
  if (far_out) return {{inner[0], inner[1]}, ", colours end at 0.5 and 99.5 %"};
  return {all, ""};
}

}  // namespace kalaba
