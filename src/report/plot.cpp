#include "report/plot.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <filesystem>

#include "output/pending_file.hpp"
#include "report/gnuplot.hpp"
#include "report/page.hpp"
#include "report/panels.hpp"
#include "report/plot_data.hpp"

namespace kalaba {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t most_in_a_row = 3;

std::string picture_path(const std::string& data_path, const PlotOptions& options) {
  if (options.output.empty()) {
    const fs::path data(data_path);
    const std::string kind = options.kind == "auto" ? "" : "." + options.kind;
    return (data.parent_path() / (data.stem().string() + kind + ".png")).string();
  }
  return options.output;
}

struct Panel {
  PlotKind kind;
  std::size_t variable = 0;  // a column, where the kind draws one
};

/// Rows of panels: a kind of one panel a variable begins a new row, the two others share one.
std::vector<std::vector<Panel>> arrange(const PlotData& data) {
  std::vector<std::vector<Panel>> rows;
  bool shared_row = false;
  for (PlotKind kind : data.kinds) {
    const bool each_variable = kind == PlotKind::fan || kind == PlotKind::histogram;
    if (!each_variable) {
      if (!shared_row) rows.emplace_back();
      rows.back().push_back({kind});
      shared_row = true;
      continue;
    }
    shared_row = false;
    const std::size_t count = data.variables.size();
    const std::size_t row_count = (count + most_in_a_row - 1) / most_in_a_row;
    for (std::size_t row = 0, next = 0; row < row_count; ++row) {
      rows.emplace_back();
      const std::size_t end = count * (row + 1) / row_count;  // rows as even as can be
      for (; next < end; ++next) rows.back().push_back({kind, data.variables[next]});
    }
  }
  return rows;
}

std::string panel_text(const PlotData& data, const Panel& panel, const PanelFrame& frame) {
  switch (panel.kind) {
    case PlotKind::fan:
      return fan_panel(data, panel.variable);
    case PlotKind::path:
      return path_panel(data, frame);
    case PlotKind::residual:
      return residual_panel(data);
    case PlotKind::histogram:
      return histogram_panel(data, panel.variable);
  }
  return "";
}

std::string script_of(const PlotData& data, const std::string& ending) {
  std::vector<Panel> panels;
  std::vector<std::size_t> row_sizes;
  for (const std::vector<Panel>& row : arrange(data)) {
    row_sizes.push_back(row.size());
    panels.insert(panels.end(), row.begin(), row.end());
  }
  const Page page(row_sizes, data.title, fmt::format("{}", fmt::join(data.notes, "  ·  ")), legend_of(data));
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < panels.size(); ++i) texts.push_back(panel_text(data, panels[i], page.frames()[i]));
  return page.script(ending, texts);
}

}  // namespace

std::vector<std::string> plot_file(const std::string& data_path, const PlotOptions& options) {
  const std::string path = picture_path(data_path, options);
  const std::string ending = picture_ending(path);
  PendingFile picture(path);
  const PlotData data = read_plot_data(data_path, options);
  run_gnuplot(script_of(data, ending), picture.descriptor());
  picture.publish();
  return {path};
}

}  // namespace kalaba
