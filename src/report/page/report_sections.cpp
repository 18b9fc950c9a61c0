#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "report/data/statistics.hpp"
#include "report/figure/heat_panels.hpp"
#include "report/figure/mechanism_panels.hpp"
#include "report/figure/member_pictures.hpp"
#include "report/figure/page.hpp"
#include "report/figure/panels.hpp"
#include "report/figure/plot_data.hpp"
#include "report/figure/plot_kinds.hpp"
#include "report/page/report_pictures.hpp"
#include "report/text/html.hpp"
#include "report/text/text.hpp"

namespace kalaba {
namespace {

constexpr long fewest_members = 100;  // minimum for bins; a grid is shown for any number
constexpr std::size_t most_events = 4;
constexpr std::size_t most_others = 12;
constexpr long enough_members = 20'000;  // minimum for quantiles by default
constexpr long most_poses = 12;
constexpr std::size_t most_phases = 4;
constexpr long fewest_read = 1000;  // minimum number read for paths, which show some of them
constexpr long enough_for_density = 1000;

}  // namespace

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
