#include "report/paper/plot_figure.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "output/durable/pending_file.hpp"
#include "report/figure/gnuplot.hpp"
#include "report/figure/page.hpp"
#include "report/figure/panel_text.hpp"
#include "report/paper/figure_data.hpp"

namespace kalaba {
namespace {

constexpr std::size_t most_in_a_row = 2;

PageSize page_size(const PaperFigure& figure) {
  if (figure.panels.size() == 1) return {.width = 1000, .row_height = figure.panels[0].is_path ? 700.0 : 620.0};
  return {.width = 1600, .row_height = figure.panels.size() > most_in_a_row ? 500.0 : 600.0};
}

std::vector<std::size_t> row_sizes(const PaperFigure& figure) {
  std::vector<std::size_t> rows;
  for (std::size_t left = figure.panels.size(); left > 0; left -= rows.back()) {
    rows.push_back(std::min(left, most_in_a_row));
  }
  return rows;
}

std::string subtitle(const PaperFigure& figure) {
  const FigureRun& first = figure.runs.front();
  const TimeGrid& time = figure_system(first.system).info.time;
  return fmt::format("{}  ·  {}, t = {} to {} s, dt = {} s", figure.source, first.system, time.start, time.end,
                     time.dt);
}

std::string labels(const PaperFigure& figure, const FigurePanel& panel) {
  const FigureCurve& first = panel.curves.front();
  const SystemInfo& system = figure_system(figure.runs[first.run].system).info;
  const auto label = [&](const std::string& given, const std::string& column) {
    if (!given.empty()) return given;
    return column.empty() ? std::string("time (s)") : axis_label(figure_column(system, column));
  };
  return labels_text(panel.heading, label(panel.x_label, first.x), label(panel.y_label, first.y));
}

/// Curves of a panel as datablocks $curve0, $curve1, ... and the numbers of each axis.
struct DrawnCurves {
  std::vector<std::vector<std::array<double, 2>>> points;
  std::vector<double> xs;
  std::vector<double> ys;

  DrawnCurves(const FigurePanel& panel, const FigureData& data) {
    for (const FigureCurve& curve : panel.curves) {
      points.push_back(data.points(panel, curve));
      for (const auto& [x, y] : points.back()) {
        xs.push_back(x);
        ys.push_back(y);
      }
    }
  }

  /// Text of the datablocks; numbers below `lowest` are drawn at `lowest`.
  std::string text(double lowest) const {
    std::string text;
    for (std::size_t i = 0; i < points.size(); ++i) {
      DataBlock block(fmt::format("$curve{}", i));
      for (const auto& [x, y] : points[i]) block.add_row({x, std::max(y, lowest)});
      text += block.text();
    }
    return text;
  }
};

const char* hue_of(std::size_t curve) { return color::curves[curve % color::curves.size()]; }

/// Names of the paths beside their starts, on the side away from the path.
std::string start_labels(const FigurePanel& panel, const DrawnCurves& curves) {
  std::string text;
  for (std::size_t i = 0; i < panel.curves.size(); ++i) {
    const auto& start = curves.points[i].front();
    const bool leaves_rightwards = curves.points[i].back()[0] > start[0];
    text += fmt::format("set label {} {} at {},{} {} offset character {},0 textcolor rgb '{}' noenhanced\n", 10 + i,
                        quoted(panel.curves[i].title), gnuplot_number(start[0]), gnuplot_number(start[1]),
                        leaves_rightwards ? "right" : "left", leaves_rightwards ? -1 : 1, hue_of(i));
  }
  return text;
}

std::string plot_command(const FigurePanel& panel) {
  std::string text;
  for (std::size_t i = 0; i < panel.curves.size(); ++i) {
    const auto& [x, y, title, is_noise, run] = panel.curves[i];
    text += fmt::format("{}$curve{} using 1:2 with {} lc rgb '{}' {}", i == 0 ? "plot " : ", ", i,
                        is_noise ? "points pt 7 ps 0.35" : "lines lw 2", hue_of(i),
                        title.empty() || panel.is_path ? "notitle" : "title " + quoted(title));
    if (panel.is_path) {
      text += fmt::format(", $curve{} using 1:2 every ::0::0 with points pt 7 ps 1 lc rgb '{}' notitle", i, hue_of(i));
    }
  }
  if (panel.is_path) text += fmt::format(", keyentry with points pt 7 ps 1 lc rgb '{}' title 'start'", color::soft_ink);
  return text + "\n";
}

std::string panel_text(const PaperFigure& figure, const FigurePanel& panel, const FigureData& data,
                       const PanelFrame& frame) {
  const DrawnCurves curves(panel, data);
  Range x = panel.curves.front().x.empty() ? Range{curves.xs.front(), curves.xs.back()} : axis_range(curves.xs);
  Range y = axis_range(curves.ys);
  if (panel.is_path) make_scales_equal(x, y, frame.aspect());
  std::string text = labels(figure, panel) + range_text('x', x);
  if (panel.is_path) text += start_labels(panel, curves);
  if (!panel.log_y) return text + range_text('y', y) + curves.text(y.low) + plot_command(panel);
  if (std::ranges::none_of(curves.ys, [](double number) { return number > 0; })) {
    return text + empty_log_panel(curves.ys);
  }
  const LogAxis axis = log_axis(curves.ys);
  return text + axis.text + curves.text(axis.lowest) + plot_command(panel);
}

}  // namespace

std::string plot_figure(const std::string& name, const std::string& output) {
  const PaperFigure& figure = find_figure(name);
  std::string path = output.empty() ? name + ".png" : output;
  const std::string ending = picture_ending(path);
  PendingFile picture(path);
  const FigureData data(figure);
  const Page page(row_sizes(figure), figure.shows, subtitle(figure), {}, page_size(figure));
  std::vector<std::string> panels;
  for (std::size_t i = 0; i < figure.panels.size(); ++i) {
    panels.push_back(panel_text(figure, figure.panels[i], data, page.frames()[i]));
  }
  run_gnuplot(page.script(ending, panels), picture.descriptor());
  picture.publish();
  return path;
}

}  // namespace kalaba
