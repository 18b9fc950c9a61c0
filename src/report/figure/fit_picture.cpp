#include "report/figure/fit_picture.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "output/durable/pending_file.hpp"
#include "report/figure/gnuplot.hpp"
#include "report/figure/page.hpp"
#include "report/figure/panel_text.hpp"

namespace kalaba {
namespace {

using Row = FitPicture::Row;

Range span_of(const std::vector<double>& numbers, double margin) {
  const auto [low, high] = std::ranges::minmax(numbers);
  const double size = high > low ? high - low : std::max(std::abs(high), 1e-12);
  return {low - margin * size, high + margin * size};
}

/// Size of the points, smaller if there are many.
double point_size(std::size_t points) { return points < 100 ? 0.8 : points < 1000 ? 0.45 : 0.25; }

std::string data_panel(const Row& row) {
  DataBlock curve("$curve");
  for (std::size_t i = 0; i < row.curve.size(); ++i) curve.add_row({row.curve_times[i], row.curve[i]});
  DataBlock numbers("$numbers");
  for (std::size_t i = 0; i < row.numbers.size(); ++i) numbers.add_row({row.times[i], row.numbers[i]});
  std::vector<double> all = row.curve;
  all.insert(all.end(), row.numbers.begin(), row.numbers.end());
  std::string text = labels_text(row.name + ", measured and fitted", "t (s)", axis_label(row.name, row.unit)) +
                     range_text('x', span_of(row.curve_times, 0)) + range_text('y', span_of(all, 0.06)) + curve.text();
  std::string plot = fmt::format("plot $curve using 1:2 with lines lw 1.6 lc rgb '{}' title 'fitted'", color::line);
  if (!row.numbers.empty()) {
    text += numbers.text();
    plot += fmt::format(", $numbers using 1:2 with points pt 6 ps {} lw 1.2 lc rgb '{}' title 'measured'",
                        1.4 * point_size(row.numbers.size()), color::highlight);
  }
  return text + plot + "\n";
}

std::string residual_panel_text(const Row& row) {
  const std::string labels = labels_text("fitted less measured", "t (s)", axis_label(row.name, row.unit)) +
                             range_text('x', span_of(row.curve_times, 0));
  if (row.residuals.empty()) return labels + range_text('y', {0, 1}) + empty_panel("no number was measured");
  DataBlock residuals("$residuals");
  for (std::size_t i = 0; i < row.residuals.size(); ++i) residuals.add_row({row.times[i], row.residuals[i]});
  std::vector<double> all = row.residuals;
  const bool has_band = std::isfinite(row.deviation) && row.deviation > 0;
  const double band = has_band ? 2 * row.deviation : 0;
  all.insert(all.end(), {-band, band});
  std::string text = labels + range_text('y', span_of(all, 0.06)) + "set format y '%.3g'\n";
  if (has_band) {
    text += fmt::format(
        "set object 1 rectangle from graph 0, first {} to graph 1, first {} fc rgb '{}' fillstyle solid noborder "
        "behind\n",
        gnuplot_number(-band), gnuplot_number(band), color::wide_band);
  }
  text +=
      fmt::format("set arrow 1 from graph 0, first 0 to graph 1, first 0 nohead lw 1.2 lc rgb '{}'\n", color::soft_ink);
  std::string key;
  if (has_band) {
    key = fmt::format(", keyentry with boxes fc rgb '{}' fillstyle solid noborder title 'two standard deviations'",
                      color::wide_band);
  }
  return text + residuals.text() +
         fmt::format("plot $residuals using 1:2 with points pt 7 ps {} lc rgb '{}' notitle{}\n",
                     point_size(row.residuals.size()), color::line, key);
}

std::vector<Row> drawn_rows(const FitPicture& picture) {
  std::vector<Row> rows = picture.rows;
  rows.resize(std::min(rows.size(), most_fit_rows));
  return rows;
}

}  // namespace

void draw_fit(const FitPicture& picture, const std::string& path) {
  const std::string ending = picture_ending(path);
  PendingFile file(path);
  const std::vector<Row> rows = drawn_rows(picture);
  std::string subtitle = picture.subtitle;
  if (rows.size() < picture.rows.size()) {
    subtitle += fmt::format("; the first {} of {} columns", rows.size(), picture.rows.size());
  }
  const Page page(std::vector<std::size_t>(rows.size(), 2), picture.title, subtitle, {}, {.row_height = 400});
  std::vector<std::string> panels;
  for (const Row& row : rows) {
    panels.push_back(data_panel(row));
    panels.push_back(residual_panel_text(row));
  }
  run_gnuplot(page.script(ending, panels), file.descriptor());
  file.publish();
}

std::vector<std::string> fit_svgs(const FitPicture& picture) {
  constexpr double width = 560;
  constexpr double height = 300;
  std::vector<std::string> scripts;
  std::vector<std::string> words;
  for (const Row& row : drawn_rows(picture)) {
    scripts.push_back(panel_script(width, height, data_panel(row)));
    words.push_back(row.name + ", measured and fitted");
    scripts.push_back(panel_script(width, height, residual_panel_text(row)));
    words.push_back(row.name + ", fitted less measured");
  }
  std::vector<std::string> svgs = draw_svgs(scripts);
  for (std::size_t i = 0; i < svgs.size(); ++i) svgs[i] = inline_svg(svgs[i], fmt::format("fit{}", i), words[i]);
  return svgs;
}

}  // namespace kalaba
