#include "report/figure/color_scale.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "report/figure/gnuplot.hpp"
#include "report/text/text.hpp"

namespace kalaba {

namespace {

constexpr double letter = 8;  // pixels
constexpr double space = 12;  // pixels between labels
constexpr const char* middle_color = "#21918c";

/// Lowest, middle and highest number of a range, with as many digits as distinguish them.
std::array<std::string, 3> numbers_of(const Range& range) {
  constexpr int least_digits = 4;
  constexpr int most_digits = 12;
  std::array<std::string, 3> texts;
  for (int digits = least_digits; digits <= most_digits; ++digits) {
    texts = {fmt::format("{:.{}g}", range.low, digits),
             fmt::format("{:.{}g}", range.low + 0.5 * (range.high - range.low), digits),
             fmt::format("{:.{}g}", range.high, digits)};
    if (texts[0] != texts[1] && texts[1] != texts[2]) break;
  }
  return texts;
}

/// Numbers of the scale, within its width; that of the middle where there is room.
std::string numbers_text(const PanelFrame& frame, const ColorRange& of) {
  std::array<std::string, 3> texts = numbers_of(of.range);
  const double half = (frame.right - frame.left) / 4;
  const double longest = static_cast<double>(std::max(texts[0].size(), texts[2].size()));
  if (letter * (longest + 0.5 * static_cast<double>(texts[1].size())) + space > half) texts[1].clear();
  if (of.is_constant) texts = {"", fmt::format("constant: {:.6g}", of.range.low / 2 + of.range.high / 2), ""};
  constexpr std::array places = {"left", "center", "right"};
  std::string text;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    if (texts[i].empty()) continue;
    text +=
        fmt::format("set label {} '{}' at graph {}, graph {:.4f} {} font ',11' textcolor rgb '{}'\n", 4 + i, texts[i],
                    0.5 + 0.25 * static_cast<double>(i), 1 + 30 / frame.height(), places[i], color::soft_ink);
  }
  return text;
}

}  // namespace

std::string palette_text(const Range& range, const std::string& colors) {
  return fmt::format("set palette {}\nset cbrange [{}:{}]\n", colors, gnuplot_number(range.low),
                     gnuplot_number(range.high));
}

std::string color_scale(const PanelFrame& frame, const ColorRange& of) {
  const double pixel = 1 / frame.height();
  const std::string palette = of.is_constant
                                  ? palette_text(of.range, fmt::format("defined (0 '{0}', 1 '{0}')", middle_color))
                                  : palette_text(of.range);
  return palette +
         fmt::format(
             "set colorbox horizontal user origin graph 0.5, graph {:.4f} size graph 0.5, graph {:.4f} noborder\n"
             "set cbtics scale 0 ('' {})\n",
             1 + 46 * pixel, 8 * pixel, gnuplot_number(of.range.low)) +
         numbers_text(frame, of);
}

ColorRange color_range(const std::vector<double>& values) {
  std::vector<double> finite = finite_values(values);
  if (finite.empty()) return {};
  const Range all = full_range(finite);
  const auto [least, greatest] = std::ranges::minmax(finite);
  if (is_flat(least, greatest)) return {all, ", constant", true};
  const std::vector<double> inner = quantiles(finite, std::array{0.005, 0.995});
  const bool far_out = all.high - all.low > 5 * (inner[1] - inner[0]) && !is_flat(inner[0], inner[1]);
  if (far_out) return {{inner[0], inner[1]}, ", colours end at 0.5 and 99.5 %"};
  return {all};
}

}  // namespace kalaba
