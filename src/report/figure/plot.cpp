#include "report/figure/plot.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <numeric>

#include "kalaba/error.hpp"
#include "output/durable/pending_file.hpp"
#include "report/data/swarm_reader.hpp"
#include "report/figure/agent_panels.hpp"
#include "report/figure/gnuplot.hpp"
#include "report/figure/member_pictures.hpp"
#include "report/figure/page.hpp"
#include "report/figure/panels.hpp"
#include "report/figure/plot_data.hpp"

namespace kalaba {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t most_in_a_row = 3;
constexpr const char* animated_ending = ".gif";

// Maximum numbers of agents and saved times in a picture.
constexpr long most_agent_paths = 60;
constexpr long most_path_times = 1000;
constexpr long most_dots = 10'000;
constexpr long most_moving_dots = 3000;

std::string picture_path(const std::string& data_path, const PlotOptions& options) {
  if (options.output.empty()) {
    const fs::path data(data_path);
    const std::string kind = options.kind == "auto" ? "" : "." + options.kind;
    const char* ending = options.kind == "animation" ? animated_ending : ".png";
    return (data.parent_path() / (data.stem().string() + kind + ending)).string();
  }
  return options.output;
}

std::string checked_ending(const std::string& path, const PlotOptions& options) {
  const bool is_gif = fs::path(path).extension() == animated_ending;
  if (options.kind == "animation" && !is_gif) {
    throw Error(ExitCode::bad_input, path + ": an animation ends in .gif");
  }
  if (options.kind != "animation" && is_gif) {
    throw Error(ExitCode::bad_input, path + ": only --kind animation ends in .gif");
  }
  return is_gif ? animated_ending : picture_ending(path);
}

/// Size of a page; nearly square if it shows positions only.
PageSize page_size(const PlotData& data) {
  if (data.kinds == std::vector{PlotKind::animation}) return {.width = 900, .row_height = 860};
  const bool one_plane = data.of_agents || data.paths.size() < 2;
  if (data.kinds == std::vector{PlotKind::path} && one_plane) return {.width = 1100, .row_height = 800};
  if (data.kinds == std::vector{PlotKind::snapshots}) return {.width = 1600, .row_height = 520};
  return {};
}

std::string subtitle(const PlotData& data) { return fmt::format("{}", fmt::join(data.notes, "  ·  ")); }

struct Panel {
  PlotKind kind;
  std::size_t number = 0;  // index of a column, plane or snapshot, for kinds with one panel each
};

/// Indices of the items for which a kind has one panel each.
std::vector<std::size_t> each_of(PlotKind kind, const PlotData& data) {
  if (kind == PlotKind::fan || kind == PlotKind::histogram) return data.variables;
  std::size_t count = 0;
  if (kind == PlotKind::snapshots) count = data.snapshots.size();
  if (kind == PlotKind::path && data.paths.size() > 1) count = data.paths.size();
  if (kind == PlotKind::phase) count = data.phases.size();
  std::vector<std::size_t> numbers(count);
  std::iota(numbers.begin(), numbers.end(), std::size_t{0});
  return numbers;
}

/// Rows of panels: a kind with several panels begins a new row, other kinds share one.
std::vector<std::vector<Panel>> arrange(const PlotData& data) {
  std::vector<std::vector<Panel>> rows;
  bool shared_row = false;
  for (PlotKind kind : data.kinds) {
    const std::vector<std::size_t> each = each_of(kind, data);
    if (each.empty()) {
      if (!shared_row) rows.emplace_back();
      rows.back().push_back({kind});
      shared_row = true;
      continue;
    }
    shared_row = false;
    const std::size_t count = each.size();
    const std::size_t row_count = (count + most_in_a_row - 1) / most_in_a_row;
    for (std::size_t row = 0, next = 0; row < row_count; ++row) {
      rows.emplace_back();
      const std::size_t end = count * (row + 1) / row_count;  // rows of nearly equal length
      for (; next < end; ++next) rows.back().push_back({kind, each[next]});
    }
  }
  return rows;
}

bool draws(const PlotData& data, PlotKind kind) { return std::ranges::count(data.kinds, kind) > 0; }

/// Agents in the selections that the kinds use.
struct AgentSets {
  Agents paths;
  Agents snapshots;
  Agents animation;
};

void note_share(const Agents& agents, PlotData& data) {
  if (!agents.share().empty()) data.notes.push_back("dots: agents drawn at random" + agents.share());
}

AgentSets read_agent_sets(const std::string& path, const PlotOptions& options, PlotData& data) {
  AgentSets sets;
  if (!data.has_agents) return sets;
  const std::unique_ptr<Reader> swarm = open_swarm(path, std::max(options.member, 0L));
  const long highlight = data.contents.agents ? options.member : -1;
  const auto read = [&](const std::vector<long>& times, long most) {
    Agents agents = read_agents(*swarm, times, most, highlight);
    leave_out_after(data.swarm_end, agents);
    return agents;
  };
  const auto count = static_cast<long>(data.contents.times.size());
  if (draws(data, PlotKind::path) && data.of_agents) {
    sets.paths = read(evenly(count, most_path_times), most_agent_paths);
  }
  if (draws(data, PlotKind::snapshots)) {
    sets.snapshots = read(data.snapshots, most_dots);
    note_share(sets.snapshots, data);
  }
  if (draws(data, PlotKind::animation)) {
    sets.animation = read(evenly(count, most_frames), most_moving_dots);
    note_share(sets.animation, data);
  }
  return sets;
}

std::string panel_text(const PlotData& data, const AgentSets& agents, const Panel& panel, const PanelFrame& frame) {
  switch (panel.kind) {
    case PlotKind::snapshots:
      return snapshot_panel(agents.snapshots, panel.number, frame);
    case PlotKind::fan:
      return fan_panel(data, panel.number);
    case PlotKind::path:
      return data.of_agents ? agent_paths_panel(agents.paths, frame)
                            : path_panel(data, data.paths[panel.number], frame);
    case PlotKind::phase:
      return path_panel(data, data.phases[panel.number], frame);
    case PlotKind::residual:
      return residual_panel(data);
    case PlotKind::histogram:
      return histogram_panel(data, panel.number);
    case PlotKind::animation:
      break;  // has a page of its own
  }
  return "";
}

std::string script_of(const PlotData& data, const AgentSets& agents, const std::string& ending) {
  std::vector<Panel> panels;
  std::vector<std::size_t> row_sizes;
  for (const std::vector<Panel>& row : arrange(data)) {
    row_sizes.push_back(row.size());
    panels.insert(panels.end(), row.begin(), row.end());
  }
  const Page page(row_sizes, data.title, subtitle(data), legend_of(data), page_size(data));
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < panels.size(); ++i) {
    texts.push_back(panel_text(data, agents, panels[i], page.frames()[i]));
  }
  return page.script(ending, texts);
}

/// Animation with one page per saved time, or fewer for a length of a few seconds.
std::string animation_of(const Agents& agents, const PlotData& data) {
  const Page page({1}, data.title, subtitle(data), legend_of(data), page_size(data));
  const Box box = box_of(agents);
  std::vector<std::vector<std::string>> frames;
  for (std::size_t time = 0; time < agents.times.size(); ++time) {
    frames.push_back({animation_panel(agents, time, box, page.frames().front())});
  }
  return page.animation(frames);
}

}  // namespace

Picture plot_file(const std::string& data_path, const PlotOptions& options) {
  const std::string path = picture_path(data_path, options);
  const std::string ending = checked_ending(path, options);
  const bool of_members = is_member_picture(data_path, options);
  check_used(options, of_members);
  if (of_members) return {path, plot_members(data_path, options, path, ending)};
  PendingFile picture(path);
  PlotData data = read_plot_data(data_path, options);
  const AgentSets agents = read_agent_sets(data_path, options, data);
  const bool moves = draws(data, PlotKind::animation);
  run_gnuplot(moves ? animation_of(agents.animation, data) : script_of(data, agents, ending), picture.descriptor());
  picture.publish();
  return {path, data.left_out};
}

}  // namespace kalaba
