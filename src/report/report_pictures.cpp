#include "report/report_pictures.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "report/html.hpp"
#include "report/inline_svg.hpp"
#include "report/page.hpp"
#include "report/panels.hpp"
#include "report/plot_data.hpp"
#include "report/sensitivity_panels.hpp"
#include "report/statistics_panel.hpp"
#include "report/text.hpp"

namespace kalaba {
namespace {

// Pixels: about what a phone shows, so that letters stay legible there; two stand side by side on a laptop.
constexpr double width = 436;
constexpr double bar_height = 26;

constexpr std::size_t most_variables = 6;
constexpr std::size_t most_scatters = 4;
constexpr std::size_t most_tornados = 6;

std::string grid(const std::string& figures) {
  return figures.empty() ? "" : "<div class=\"pictures\">\n" + figures + "</div>\n";
}

bool is_error(const Column& column) { return column.field == Field::violation || column.field == Field::residual; }

/// The coordinates, or what else there is.
std::vector<std::string> chosen_variables(const Contents& contents) {
  std::vector<std::string> chosen;
  for (const bool only_coordinates : {true, false}) {
    for (const Column& column : contents.columns) {
      if (is_error(column) || (only_coordinates && column.field != Field::q)) continue;
      chosen.push_back(column.name);
    }
    if (!chosen.empty()) break;
  }
  chosen.resize(std::min(chosen.size(), most_variables));
  return chosen;
}

struct Pair {
  std::size_t output;
  std::size_t input;
};

std::vector<Pair> strongest_pairs(const Sensitivity& data) {
  const std::size_t inputs = data.inputs.size();
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < data.rank_correlation.size(); ++i) {
    if (std::isfinite(data.rank_correlation[i])) order.push_back(i);
  }
  std::ranges::stable_sort(order, std::greater(), [&](std::size_t i) { return std::abs(data.rank_correlation[i]); });
  std::vector<Pair> pairs;
  for (const std::size_t i : order) {
    if (pairs.size() < most_scatters) pairs.push_back({i / inputs, i % inputs});
  }
  return pairs;
}

}  // namespace

std::string ReportPictures::figure(const std::string& panel, const std::string& words, double height) {
  const std::string name = fmt::format("picture{}", ++drawn_);
  const std::string svg = inline_svg(panel_script(width, height, panel), name, words);
  return fmt::format("<figure>\n{}<figcaption>{}</figcaption>\n</figure>\n", svg, html_text(words));
}

std::string ReportPictures::fields(const EnsembleStatistics& statistics, std::initializer_list<Field> wanted) {
  std::string text;
  for (const FieldStatistics& field : statistics.fields) {
    if (std::ranges::count(wanted, field.layout.field) == 0) continue;
    std::vector<ShownComponent> components = shown_components(field.layout);
    components.resize(std::min(components.size(), most_variables));
    for (const ShownComponent& shown : components) {
      text += figure(statistics_panel(statistics, field, shown), shown.column.name + " over time, all ok members");
    }
  }
  return text;
}

std::string ReportPictures::over_time(const Contents& contents, const EnsembleStatistics& statistics) {
  const std::vector<std::string> variables = chosen_variables(contents);
  if (variables.empty()) {
    if (statistics.times.size() < 2) return "";
    const std::string as_a_whole = contents.swarms || contents.agents ? fields(statistics, {Field::invariants}) : "";
    return grid(as_a_whole.empty() ? fields(statistics, {Field::q, Field::w}) : as_a_whole);
  }
  PlotOptions options;
  options.variables = variables;
  const PlotData data = read_plot_data(data_path_, options);
  const auto has = [&](PlotKind kind) { return std::ranges::count(data.kinds, kind) > 0; };
  const bool bands = !legend_of(data).empty();
  const std::string shown = fmt::format("{}", fmt::join(data.notes, ", "));
  const auto each = [&](const auto& panel, const std::string& words) {
    std::string text;
    for (const std::size_t i : data.variables) text += figure(panel(data, i), data.column(i).name + words);
    return text;
  };
  std::string text;
  if (has(PlotKind::fan)) {
    text +=
        each(fan_panel, bands ? " over time: median, 25–75 % and 5–95 % of the members" : " over time, every member");
  }
  if (has(PlotKind::path))
    text += figure(path_panel(data, panel_frame(width, usual_height)), "Paths of members; dots are ends");
  if (has(PlotKind::histogram)) text += each(histogram_panel, " at the last saved time");
  return grid(text);
}

std::string ReportPictures::errors(const Contents& contents, const EnsembleStatistics& statistics) {
  std::string text;
  if (contents.times.size() < 2) return text;
  if (contents.columns.empty()) return grid(fields(statistics, {Field::violation, Field::residual, Field::energy}));
  PlotOptions options;
  if (std::ranges::any_of(contents.columns, is_error)) {
    options.kind = "residual";
    text += figure(residual_panel(read_plot_data(data_path_, options)),
                   "Constraint errors: violation max |φ|, |φ′|, |ψ| and residual max |A w′ − b|");
  }
  if (std::ranges::count(contents.columns, Field::energy, &Column::field) > 0) {
    options.kind = "fan";
    options.variables = {"energy"};
    const PlotData data = read_plot_data(data_path_, options);
    text += figure(drift_panel(data, data.variables.front()),
                   "Change of energy since the start; rounding and step error where the system conserves it");
  }
  return grid(text);
}

std::string ReportPictures::sensitivity(const Sensitivity& data) {
  if (data.inputs.empty() || data.outputs.empty()) return "";
  std::string text;
  const double bars = bar_height * static_cast<double>(std::min(data.inputs.size(), most_bars));
  for (std::size_t output = 0; output < std::min(data.outputs.size(), most_tornados); ++output) {
    text +=
        figure(tornado_panel(data, output),
               "What " + data.outputs[output].name + " at the last saved time goes with, strongest first", 135 + bars);
  }
  for (const auto& [output, input] : strongest_pairs(data)) {
    text +=
        figure(scatter_panel(data, output, input), fmt::format("{} at the last saved time over {}, a point a member",
                                                               data.outputs[output].name, data.inputs[input].name));
  }
  return grid(text);
}

}  // namespace kalaba
