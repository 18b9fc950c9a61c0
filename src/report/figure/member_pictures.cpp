#include "report/figure/member_pictures.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <initializer_list>
#include <string_view>

#include "kalaba/error.hpp"
#include "output/durable/pending_file.hpp"
#include "report/data/swarm_reader.hpp"
#include "report/figure/event_panels.hpp"
#include "report/figure/gnuplot.hpp"
#include "report/figure/heat_panels.hpp"
#include "report/figure/mechanism_panels.hpp"
#include "report/figure/panels.hpp"
#include "report/figure/scatter_panel.hpp"
#include "report/text/text.hpp"

namespace kalaba {
namespace {

namespace fs = std::filesystem;

constexpr long most_members = 4'000'000;
constexpr std::size_t most_heatmaps = 6;
constexpr long most_poses = 12;

/// Default numbers of a heat map: the members' status, then coordinates at the end.
std::vector<std::string> usual_numbers(const MemberSample& members) {
  std::vector<std::string> numbers;
  const Inventory& file = members.archive().inventory();
  if (members.has("status") && varies(members.values("status"))) numbers.emplace_back("status");
  if (file.find("event_time") != nullptr) {
    for (const std::string& event : members.archive().texts("event")) {
      const std::string name = "time(" + event + ")";
      if (!finite_values(member_number(members, name).values).empty()) numbers.push_back(name);
    }
  }
  for (const Column& column : members.contents().columns) {
    if (column.field != Field::q || numbers.size() >= most_heatmaps) continue;
    if (varies(member_number(members, column.name).values)) numbers.push_back(column.name);
  }
  for (const Column& column : members.contents().columns) {
    if (numbers.empty() && varies(member_number(members, column.name).values)) numbers.push_back(column.name);
  }
  numbers.resize(std::min(numbers.size(), most_heatmaps));
  return numbers;
}

/// The first two inputs that vary, or the named ones.
std::vector<MemberColumn> sides(const MemberSample& members, const PlotOptions& options) {
  if (options.over.empty()) {
    std::vector<MemberColumn> varied = varied_inputs(members, options.starts);
    if (varied.size() > 2) varied.resize(2);
    return varied;
  }
  if (options.over.size() != 2)
    refuse_input(fmt::format("--over: expected two inputs, A,B, found {}", options.over.size()));
  if (options.over[0] == options.over[1])
    refuse_input("--over: expected two inputs, found " + options.over[0] + " twice");
  std::vector<MemberColumn> both;
  for (const std::string& name : options.over) {
    both.push_back(input_number(members, name));
    if (!varies(both.back().values)) refuse_input(fmt::format("--over: {} is the same for all members", name));
  }
  return both;
}

/// The numbers over the first of `options.over`, coloured by the second.
std::vector<DrawnPanel> scatter_panels(const std::string& path, const MemberSample& members,
                                       const PlotOptions& options) {
  if (options.over.size() > 2)
    refuse_input(fmt::format("--over: expected one number, or two, A,B, found {}", options.over.size()));
  std::vector<MemberColumn> over;
  for (const std::string& name : options.over) over.push_back(member_number(members, name));
  if (over.empty()) {
    over = varied_inputs(members, options.starts);
    if (over.empty()) refuse_input(path + ": a scatter needs an input that varies; --over names another number");
    over.resize(1);
  }
  std::optional<MemberColumn> color;
  if (over.size() == 2) color = over[1];
  std::vector<std::string> names = options.variables.empty() ? usual_numbers(members) : options.variables;
  if (options.variables.empty()) std::erase(names, "status");
  std::vector<DrawnPanel> panels;
  for (const std::string& name : names) {
    panels.push_back(scatter_panel(over[0], member_number(members, name), color));
  }
  if (panels.empty()) refuse_input(path + ": no coordinate differs between the members; --variables names numbers");
  return panels;
}

std::vector<DrawnPanel> panels_of(const MemberFile& file, const std::string& path, const PlotOptions& options) {
  const MemberSample& members = file.members;
  if (options.kind == "heatmap") {
    const bool alone = options.variables.size() == 1;  // several panels share the width
    std::vector<DrawnPanel> panels =
        heatmap_panels(members, options, alone ? most_picture_cells : most_picture_cells / 2);
    if (panels.empty())
      refuse_input(path + ": a heat map needs two varied inputs; --over can name inputs that the file does not list");
    return panels;
  }
  if (options.kind == "scatter") return scatter_panels(path, members, options);
  if (options.kind == "density") {
    std::vector<DrawnPanel> panels = density_panels(members, options, most_picture_cells / 4);
    if (panels.empty()) refuse_input(path + ": a density needs two coordinates; --variables names others");
    return panels;
  }
  std::vector<DrawnPanel> panels = event_panels(members);
  if (panels.empty()) refuse_input(path + ": it holds no events; a scenario's [[events]] name them");
  return panels;
}

/// Energy and invariants over time, and their deviation from the start.
std::vector<DrawnPanel> invariant_panels(const std::string& path, PlotOptions options, PlotData& data) {
  const auto reader = open_reader(path);
  if (options.variables.empty()) {
    for (const Column& column : reader->contents().columns) {
      if (column.field == Field::energy || column.field == Field::invariants) options.variables.push_back(column.name);
    }
  }
  const bool has_trajectories = !reader->contents().columns.empty();
  if (options.variables.empty() && has_trajectories)
    refuse_input(path + ": it holds neither energy nor invariants; add them to output.fields");
  options.kind = "fan";
  data = read_plot_data(path, options);
  std::vector<DrawnPanel> panels;
  for (const std::size_t i : data.variables) {
    const std::string name = data.column(i).name;
    panels.push_back({name + " over time", [&data, i](const PanelFrame&) { return fan_panel(data, i); }});
    panels.push_back(
        {"change of " + name + " since the start", [&data, i](const PanelFrame&) { return drift_panel(data, i); }});
  }
  return panels;
}

struct Sheet {
  std::string title;
  std::string subtitle;
  std::vector<std::string> legend = {};
};

std::string script_of(const std::vector<DrawnPanel>& panels, const Sheet& sheet, const std::string& ending) {
  const std::size_t a_row = panels.size() == 1 ? 1 : panels.size() == 2 || panels.size() == 4 ? 2 : 3;
  std::vector<std::size_t> rows;
  const std::size_t row_count = (panels.size() + a_row - 1) / a_row;
  for (std::size_t row = 0; row < row_count; ++row) {
    rows.push_back(panels.size() * (row + 1) / row_count - panels.size() * row / row_count);
  }
  const PageSize size = panels.size() == 1 ? PageSize{.width = 1100, .row_height = 800}
                                           : PageSize{.width = 1600, .row_height = a_row == 2 ? 600.0 : 480.0};
  const Page page(rows, sheet.title, sheet.subtitle, sheet.legend, size);
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < panels.size(); ++i) texts.push_back(panels[i].text(page.frames()[i]));
  return page.script(ending, texts);
}

/// Subtitle: description of a single panel, or the number of members for several.
std::string subtitle_of(const std::vector<DrawnPanel>& panels, const MemberSample& members) {
  if (panels.size() == 1) return panels.front().words;
  const long all = members.contents().members;
  return members.members() == all
             ? grouped(all) + " members"
             : fmt::format("{} of {} members, evenly chosen", grouped(members.members()), grouped(all));
}

bool is_mechanism_kind(const std::string& kind) { return kind == "snapshots" || kind == "animation"; }

std::string mechanism_script(const std::string& path, const PlotOptions& options, const std::string& ending) {
  const MemberFile file(path, 1);
  const Drawing drawing = drawing_for(file.archive, options.drawing, options.drawing_of_model).value();
  const bool moves = options.kind == "animation";
  const Poses poses =
      read_poses(file.archive, *file.reader, drawing, std::max(options.member, 0L), moves ? most_frames : most_poses);
  const Contents& contents = file.reader->contents();
  const std::string subtitle = fmt::format("member {} of {}", grouped(poses.member), grouped(contents.members));
  const Page page({1}, title_of(contents, path), subtitle, {}, {.width = 900, .row_height = 860});
  if (!moves) return page.script(ending, {strobe_panel(poses, page.frames().front())});
  const Box box = box_of(poses.places);
  std::vector<std::vector<std::string>> frames;
  for (std::size_t time = 0; time < poses.places.times.size(); ++time) {
    frames.push_back({pose_panel(poses, time, box, page.frames().front())});
  }
  return page.animation(frames);
}

}  // namespace

MemberFile::MemberFile(const std::string& path, long most)
    : archive(path), reader(open_reader(path)), members(archive, *reader, most) {}

const std::vector<std::string>& member_picture_kinds() {
  static const std::vector<std::string> kinds = {"heatmap", "scatter", "density", "events", "invariants"};
  return kinds;
}

bool is_member_picture(const std::string& path, const PlotOptions& options) {
  if (std::ranges::count(member_picture_kinds(), options.kind) > 0) return true;
  if (!is_mechanism_kind(options.kind) || fs::path(path).extension() != ".nc") return false;
  return open_swarm(path, std::max(options.member, 0L)) == nullptr &&
         drawing_for(Archive(path), options.drawing, options.drawing_of_model).has_value();
}

void check_used(const PlotOptions& options, bool of_members) {
  const auto draws = [&](std::initializer_list<std::string_view> kinds) {
    return std::ranges::count(kinds, options.kind) > 0;
  };
  const bool of_mechanism = of_members && is_mechanism_kind(options.kind);
  if (!options.over.empty() && !draws({"heatmap", "scatter"}))
    refuse_input("--over belongs to heat maps and scatters, and none is drawn; --kind heatmap or scatter draws it");
  if (!options.drawing.empty() && !of_mechanism) {
    refuse_input(
        "--draw selects what to draw of a mechanism, and none is drawn; --kind snapshots or animation draws it");
  }
  if (!options.times.empty() && of_members) {
    refuse_input(fmt::format("--times chooses snapshots{}", of_mechanism
                                                                ? " of a swarm, and a mechanism is drawn"
                                                                : ", and none are drawn; --kind snapshots draws them"));
  }
  if (!options.variables.empty() && draws({"residual", "events", "snapshots", "animation"}))
    refuse_input(fmt::format("--variables names what other kinds draw; --kind {} draws no variables", options.kind));
  if (options.member >= 0 && draws({"residual", "events", "density", "heatmap", "scatter"}))
    refuse_input(fmt::format("--member chooses one of the members; --kind {} shows all alike", options.kind));
}

std::vector<DrawnPanel> heatmap_panels(const MemberSample& members, const PlotOptions& options,
                                       std::size_t most_cells) {
  const std::vector<MemberColumn> over = sides(members, options);
  if (over.size() < 2) return {};
  std::vector<DrawnPanel> panels;
  for (const std::string& name : options.variables.empty() ? usual_numbers(members) : options.variables) {
    const MemberColumn number = member_number(members, name);
    panels.push_back(name == "status" ? status_panel(over[0], over[1], number, most_cells)
                                      : heat_panel(heat_map(over[0], over[1], number, most_cells)));
  }
  return panels;
}

std::vector<DrawnPanel> event_panels(const MemberSample& members) {
  std::vector<DrawnPanel> panels;
  for (const EventTimes& of : event_times(members)) {
    const std::vector<DrawnPanel> both = event_panels(of, members.contents().times);
    panels.insert(panels.end(), both.begin(), both.end());
  }
  return panels;
}

std::vector<DrawnPanel> density_panels(const MemberSample& members, const PlotOptions& options,
                                       std::size_t most_cells) {
  std::vector<std::string> names = options.variables;
  if (names.empty()) {
    for (const Column& column : members.contents().columns) {
      if (column.field == Field::q && names.size() < 2) names.push_back(column.name);
    }
  }
  if (names.size() % 2 != 0) {
    if (options.variables.empty()) return {};
    refuse_input(
        fmt::format("a density takes pairs of variables, expected an even number of them, found {}", names.size()));
  }
  std::vector<DrawnPanel> panels;
  for (std::size_t i = 0; i < names.size(); i += 2) {
    const HeatMap counts =
        density_map(member_number(members, names[i]), member_number(members, names[i + 1]), most_cells);
    const bool at_end = members.contents().find(names[i]) && members.contents().find(names[i + 1]);
    panels.push_back(density_panel(
        counts, at_end ? fmt::format(" at t = {:.6g} s", members.contents().times.back()) : std::string()));
  }
  return panels;
}

std::string plot_members(const std::string& path, const PlotOptions& options, const std::string& picture,
                         const std::string& ending) {
  PendingFile file(picture);
  if (is_mechanism_kind(options.kind)) {
    run_gnuplot(mechanism_script(path, options, ending), file.descriptor());
  } else if (options.kind == "invariants") {
    PlotData data;
    const std::vector<DrawnPanel> panels = invariant_panels(path, options, data);
    run_gnuplot(
        script_of(panels, {data.title, fmt::format("{}", fmt::join(data.notes, "  ·  ")), legend_of(data)}, ending),
        file.descriptor());
    file.publish();
    return data.left_out;
  } else {
    const MemberFile members(path, most_members);
    const std::vector<DrawnPanel> panels = panels_of(members, path, options);
    const std::string title = title_of(members.reader->contents(), path);
    run_gnuplot(script_of(panels, {title, subtitle_of(panels, members.members)}, ending), file.descriptor());
  }
  file.publish();
  return "";
}

}  // namespace kalaba
