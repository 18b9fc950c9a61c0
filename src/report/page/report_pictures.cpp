#include "report/page/report_pictures.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "report/data/statistics.hpp"
#include "report/figure/gnuplot.hpp"
#include "report/figure/heat_panels.hpp"
#include "report/figure/mechanism_panels.hpp"
#include "report/figure/member_pictures.hpp"
#include "report/figure/page.hpp"
#include "report/figure/panels.hpp"
#include "report/figure/plot_data.hpp"
#include "report/figure/plot_kinds.hpp"
#include "report/figure/sensitivity_panels.hpp"
#include "report/figure/statistics_panel.hpp"
#include "report/text/html.hpp"
#include "report/text/text.hpp"

namespace kalaba {
namespace {

constexpr double bar_height = 26;  // pixels

constexpr std::size_t most_variables = 6;
constexpr std::size_t most_scatters = 4;
constexpr std::size_t most_tornados = 6;
constexpr long fewest_members = 100;  // minimum for bins; a grid is shown for any number
constexpr std::size_t most_events = 4;
constexpr std::size_t most_others = 12;
constexpr long enough_members = 20'000;  // minimum for quantiles by default
constexpr long most_poses = 12;
constexpr std::size_t most_phases = 4;
constexpr long fewest_read = 1000;  // minimum number read for paths, which show some of them
constexpr long enough_for_density = 1000;

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

std::string ReportPictures::panels(const std::vector<DrawnPanel>& all) {
  std::string text;
  for (const DrawnPanel& each : all) text += figure(each.text(panel_frame(width, usual_height)), each.words);
  return grid(text);
}

std::string ReportPictures::sweep(const MemberSample& members, const std::vector<std::string>& starts) {
  if (members.contents().agents || members.contents().times.empty()) return "";
  const std::vector<MemberColumn> inputs = varied_inputs(members, starts);
  if (inputs.size() < 2) return "";
  const HeatMap cells = heat_map(inputs[0], inputs[1], inputs[0], most_page_cells);
  if (!cells.is_grid && (members.members() < fewest_members || is_one_at_a_time(inputs))) return "";
  PlotOptions options;
  options.starts = starts;
  return panels(heatmap_panels(members, options, most_page_cells));
}

std::string ReportPictures::events(const MemberSample& members) {
  if (members.contents().agents) return "";
  std::vector<DrawnPanel> all;
  for (const EventTimes& of : event_times(members)) {
    if (of.times.empty() || all.size() >= 2 * most_events) continue;
    const std::vector<DrawnPanel> both = event_panels(of, members.contents().times);
    all.insert(all.end(), both.begin(), both.end());
  }
  return panels(all);
}

std::string ReportPictures::motion(const Archive& archive, Reader& reader, const DrawingOfScenario& of_model) {
  const Contents& contents = reader.contents();
  if (contents.columns.empty() || contents.times.size() < 2) return "";
  const std::optional<Drawing> drawing = drawing_for(archive, "", of_model);
  if (!drawing || !missing_for(archive, contents, *drawing).empty()) return "";
  const Poses poses = read_poses(archive, reader, *drawing, 0, most_poses);
  const std::string words = fmt::format(
      "Member 0 of {} at {} saved times, the later the darker; kalaba plot --kind "
      "animation moves it",
      grouped(contents.members), poses.places.times.size());
  return grid(figure(strobe_panel(poses, panel_frame(width, usual_height)), words));
}

std::string ReportPictures::portraits(const MemberSample& members) {
  const Contents& contents = members.contents();
  if (contents.times.size() < 2 || contents.agents) return "";
  std::string text;
  std::vector<PlanePair> planes = phase_planes(contents);
  planes.resize(std::min(planes.size(), most_phases));
  if (!planes.empty()) {
    PlotOptions options;
    options.kind = "phase";
    for (const PlanePair& plane : planes) {
      options.variables.push_back(contents.columns[plane.across].name);
      options.variables.push_back(contents.columns[plane.up].name);
    }
    options.most_members = fewest_read;
    const PlotData data = read_plot_data(data_path_, options);
    for (const PlanePair& plane : data.phases) {
      text += figure(path_panel(data, plane, panel_frame(width, usual_height)),
                     fmt::format("{} and {} of members as long as they move; dots are ends",
                                 data.column(plane.across).name, data.column(plane.up).name));
    }
  }
  if (members.members() >= enough_for_density) {
    for (const DrawnPanel& each : density_panels(members, {}, most_page_cells)) {
      text += figure(each.text(panel_frame(width, usual_height)), each.words);
    }
  }
  return grid(text);
}

std::string ReportPictures::others(const Contents& contents) {
  if (contents.times.size() < 2 || contents.agents) return "";
  const bool has_coordinates = std::ranges::count(contents.columns, Field::q, &Column::field) > 0;
  const auto is_whole = [](Field field) {
    return field == Field::energy || field == Field::invariants || field == Field::lyapunov_exponents;
  };
  std::vector<std::string> names;
  for (const bool whole : {true, false}) {  // energy and invariants first
    for (const Column& column : contents.columns) {
      if (is_error(column.field) || column.field == Field::q || !has_coordinates) continue;
      if (is_whole(column.field) == whole) names.push_back(column.name);
    }
  }
  if (names.empty()) return "";
  const std::vector<std::string> left(names.begin() + static_cast<long>(std::min(names.size(), most_others)),
                                      names.end());
  names.resize(std::min(names.size(), most_others));
  PlotOptions options;
  options.kind = "fan";
  options.variables = names;
  options.most_members = enough_members;
  const PlotData data = read_plot_data(data_path_, options);
  std::string text;
  for (const std::size_t i : data.variables) {
    const bool is_exponent = data.column(i).field == Field::lyapunov_exponents;
    if (is_exponent && finite_values(data.row(i, data.times.size() - 1)).empty()) continue;  // no such direction
    text += figure(fan_panel(data, i), data.column(i).name + " over time, " + members_in_words(data));
  }
  const std::string more =
      left.empty() ? ""
                   : fmt::format("<p class=\"lead\">Saved too, and drawn by kalaba plot --variables: {}.</p>\n",
                                 html_text(fmt::format("{}", fmt::join(left, ", "))));
  return grid(text) + more;
}

}  // namespace kalaba
