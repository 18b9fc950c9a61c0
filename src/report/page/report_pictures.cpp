#include "report/page/report_pictures.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "report/data/statistics.hpp"
#include "report/figure/inline_svg.hpp"
#include "report/figure/page.hpp"
#include "report/figure/panels.hpp"
#include "report/figure/plot_data.hpp"
#include "report/figure/sensitivity_panels.hpp"
#include "report/figure/statistics_panel.hpp"
#include "report/page/sobol_panels.hpp"
#include "report/text/html.hpp"
#include "report/text/text.hpp"

namespace kalaba {
namespace {

constexpr double bar_height = 26;  // pixels

constexpr std::size_t most_variables = 6;
constexpr std::size_t most_scatters = 4;
constexpr std::size_t most_tornados = 6;

/// The coordinates, or other variables if the file has none.
std::vector<std::string> chosen_variables(const Contents& contents) {
  std::vector<std::string> chosen;
  for (const bool only_coordinates : {true, false}) {
    for (const Column& column : contents.columns) {
      if (is_error(column.field) || (only_coordinates && column.field != Field::q)) continue;
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
  std::vector<Pair> pairs;
  for (std::size_t output = 0; output < data.outputs.size(); ++output) {
    for (std::size_t input = 0; input < data.inputs.size(); ++input) {
      if (data.strength(output, input) > 0) pairs.push_back({output, input});
    }
  }
  std::ranges::stable_sort(pairs, std::greater(),
                           [&](const Pair& pair) { return data.strength(pair.output, pair.input); });
  pairs.resize(std::min(pairs.size(), most_scatters));
  return pairs;
}

/// Placeholder of a picture until it is drawn; escaped text cannot contain it.
std::string place_of(std::size_t picture) { return fmt::format("<!--picture {}-->", picture); }

}  // namespace

std::string grid(const std::string& figures) {
  return figures.empty() ? "" : "<div class=\"pictures\">\n" + figures + "</div>\n";
}

std::string ReportPictures::figure(const std::string& panel, const std::string& words, double height) {
  pictures_.push_back({panel_script(width, height, panel), words});
  return fmt::format("<figure>\n{}\n<figcaption>{}</figcaption>\n</figure>\n", place_of(pictures_.size()),
                     html_text(words));
}

std::string ReportPictures::place(const std::string& page) const {
  std::vector<std::string> scripts;
  for (const Picture& picture : pictures_) scripts.push_back(picture.script);
  const std::vector<std::string> svgs = draw_svgs(scripts);
  std::string result;
  std::size_t done = 0;
  for (std::size_t i = 0; i < svgs.size(); ++i) {
    const std::string mark = place_of(i + 1) + "\n";
    const std::size_t at = page.find(mark, done);  // figures are in order of creation
    result.append(page, done, at - done)
        .append(inline_svg(svgs[i], fmt::format("picture{}", i + 1), pictures_[i].words));
    done = at + mark.size();
  }
  return result.append(page, done);
}

std::string ReportPictures::fields(const EnsembleStatistics& statistics, std::initializer_list<Field> requested) {
  std::string text;
  for (const FieldStatistics& field : statistics.fields) {
    if (std::ranges::count(requested, field.layout.field) == 0) continue;
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
  const std::string who = members_in_words(data);
  const auto each = [&](const auto& panel, const std::string& words) {
    std::string text;
    for (const std::size_t i : data.variables) text += figure(panel(data, i), data.column(i).name + words);
    return text;
  };
  const auto anyone_ends = [&](std::size_t i) { return !finite_values(data.row(i, data.times.size() - 1)).empty(); };
  std::string text;
  if (has(PlotKind::fan)) {
    text += each(fan_panel, (bands ? " over time: median, 25–75 % and 5–95 %, " : " over time, ") + who);
  }
  if (has(PlotKind::path))
    text += figure(path_panel(data, data.paths.front(), panel_frame(width, usual_height)),
                   "Paths of members as long as they move; dots are ends");
  if (has(PlotKind::histogram) && std::ranges::any_of(data.variables, anyone_ends))
    text += each(histogram_panel, " at the last saved time, " + who);
  return grid(text);
}

std::string ReportPictures::errors(const Contents& contents, const EnsembleStatistics& statistics) {
  std::string text;
  if (contents.times.size() < 2) return text;
  if (contents.columns.empty()) return grid(fields(statistics, {Field::violation, Field::residual, Field::energy}));
  PlotOptions options;
  if (std::ranges::any_of(contents.columns, is_error, &Column::field)) {
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
  const bool alone = data.spread == Spread::one_at_a_time;
  for (std::size_t output = 0; output < std::min(data.outputs.size(), most_tornados); ++output) {
    const double bars = bar_height * static_cast<double>(std::max<std::size_t>(bars_of(data, output).size(), 1));
    const std::string& name = data.outputs[output].name;
    text += figure(tornado_panel(data, output),
                   fmt::format("{} {}, {} members", alone ? "How far each input alone moves" : "What goes with", name,
                               grouped(data.members[output])),
                   135 + bars);
  }
  for (const auto& [output, input] : strongest_pairs(data)) {
    text += figure(scatter_panel(data, output, input),
                   fmt::format("{} over {}, {}", data.outputs[output].name, data.inputs[input].name,
                               alone ? "the members that vary it alone" : "a point a member"));
  }
  return grid(text);
}

std::string ReportPictures::sobol(const Sensitivity& data) {
  std::string text;
  for (std::size_t output = 0; output < std::min(data.sobol.size(), most_tornados); ++output) {
    const std::string words = fmt::format("Sobol' indices of {}, {} points: first order within total",
                                          data.outputs[output].name, grouped(data.sobol[output].points));
    text += figure(sobol_panel(data, output), words, 135 + bar_height * static_cast<double>(sobol_bars(data)));
  }
  return grid(text);
}

}  // namespace kalaba
