#include "report/figure/error_picture.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "output/durable/pending_file.hpp"
#include "report/figure/gnuplot.hpp"
#include "report/figure/page.hpp"
#include "report/figure/panel_text.hpp"

namespace kalaba {
namespace {

/// Lines that are drawn: the largest errors first, as many as there are colours.
std::vector<ErrorPicture::Line> drawn_lines(const ErrorPicture& picture) {
  std::vector<ErrorPicture::Line> lines = picture.lines;
  std::erase_if(lines, [](const ErrorPicture::Line& line) { return !(line.errors.front() > 0); });
  std::ranges::stable_sort(lines, std::greater(), [](const ErrorPicture::Line& line) { return line.errors.front(); });
  lines.resize(std::min(lines.size(), color::curves.size()));
  return lines;
}

std::string panel_text(const ErrorPicture& picture, const std::vector<ErrorPicture::Line>& lines) {
  std::vector<double> all = {picture.requested};
  for (const ErrorPicture::Line& line : lines) all.insert(all.end(), line.errors.begin(), line.errors.end());
  const std::string shown = lines.size() < picture.lines.size()
                                ? fmt::format(", the worst {} of {}", lines.size(), picture.lines.size())
                                : "";
  const std::string labels =
      labels_text("largest error, estimated" + shown, picture.step_label, "share of the quantity's size");
  if (lines.empty()) return labels + range_text('x', {}) + range_text('y', {}) + empty_panel("no differences at all");
  const auto [low, high] = std::ranges::minmax(picture.steps);
  const LogAxis axis = log_axis(all);
  std::string text = labels + axis.text + range_text('x', {low / 1.6, high * 1.6}) +
                     "set logscale x\nset format x '%.3g'\nset xtics (";
  for (std::size_t i = 0; i < picture.steps.size(); ++i) {
    text += fmt::format("{}{}", i == 0 ? "" : ", ", gnuplot_number(picture.steps[i]));
  }
  text += ")\n";
  std::string plot;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    DataBlock block(fmt::format("$errors{}", i));
    for (std::size_t step = 0; step < picture.steps.size(); ++step) {
      block.add_row({picture.steps[step], std::max(lines[i].errors[step], axis.lowest)});
    }
    text += block.text();
    plot += fmt::format("$errors{} using 1:2 with linespoints lw 2 pt 7 ps 0.9 lc rgb '{}' title {}, ", i,
                        color::curves[i], quoted(shortened(lines[i].name, 30)));
  }
  return text + fmt::format("plot {}{} with lines lw 1.2 dt (6,4) lc rgb '{}' title 'required'\n", plot,
                            gnuplot_number(picture.requested), color::soft_ink);
}

}  // namespace

void draw_errors(const ErrorPicture& picture, const std::string& path) {
  const std::string ending = picture_ending(path);
  PendingFile file(path);
  const Page page({1}, picture.title, picture.subtitle, {}, {.width = 1100, .row_height = 700});
  run_gnuplot(page.script(ending, {panel_text(picture, drawn_lines(picture))}), file.descriptor());
  file.publish();
}

}  // namespace kalaba
