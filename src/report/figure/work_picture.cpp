#include "report/figure/work_picture.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "output/durable/pending_file.hpp"
#include "report/figure/gnuplot.hpp"
#include "report/figure/page.hpp"
#include "report/figure/panel_text.hpp"

namespace kalaba {
namespace {

constexpr double micro = 1e-6;

/// Powers of ten around these numbers, every one of them, or every third, a tick.
std::string log_axis_text(char axis, std::vector<double> numbers) {
  const auto [low, high] = std::ranges::minmax(numbers);
  const double first = std::floor(std::log10(low));
  const double last = std::max(std::ceil(std::log10(high)), first + 1);
  return range_text(axis, {std::pow(10, first), std::pow(10, last)}) +
         fmt::format("set logscale {0}\nset format {0} '10^{{%L}}'\nset {0}tics {1}\n", axis,
                     last - first > 8 ? "1000" : "10");
}

std::string panel(const WorkPicture& picture) {
  const std::string labels = labels_text("", "error at the end, share of a number's size", "time a member (µs)");
  std::vector<double> errors = {picture.trusted};
  std::vector<double> times;
  for (const WorkPicture::Curve& curve : picture.curves) {
    for (const WorkPicture::Point& point : curve.points) {
      errors.push_back(point.error);
      times.push_back(point.seconds / micro);
    }
  }
  std::erase_if(errors, [](double error) { return !(error > 0); });
  if (times.empty()) return labels + range_text('x', {}) + range_text('y', {}) + empty_panel("no errors are given");
  std::string text = labels + log_axis_text('x', errors) + log_axis_text('y', times);
  std::string plot;
  for (std::size_t i = 0; i < picture.curves.size(); ++i) {
    const WorkPicture::Curve& curve = picture.curves[i];
    if (curve.points.empty()) continue;
    DataBlock block(fmt::format("$work{}", i));
    for (const WorkPicture::Point& point : curve.points) block.add_row({point.error, point.seconds / micro});
    text += block.text();
    plot += fmt::format("$work{} using 1:2 with linespoints lw 2 pt 7 ps 0.9 lc rgb '{}' title {}, ", i,
                        i < color::curves.size() ? color::curves[i] : color::ink, quoted(shortened(curve.name, 30)));
  }
  if (picture.trusted > 0) {
    text += fmt::format("set arrow from first {0}, graph 0 to first {0}, graph 1 nohead lw 1.2 dt (6,4) lc rgb '{1}'\n",
                        gnuplot_number(picture.trusted), color::soft_ink);
  }
  plot.resize(plot.size() - 2);
  return text + "plot " + plot + "\n";
}

}  // namespace

void draw_work(const WorkPicture& picture, const std::string& path) {
  const std::string ending = picture_ending(path);
  PendingFile file(path);
  const Page page({1}, picture.title, picture.subtitle, {}, {.width = 1100, .row_height = 700});
  run_gnuplot(page.script(ending, {panel(picture)}), file.descriptor());
  file.publish();
}

}  // namespace kalaba
