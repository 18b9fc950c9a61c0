#include "report/figure/plot_kinds.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "kalaba/error.hpp"
#include "report/figure/member_pictures.hpp"
#include "text/nearest.hpp"

namespace kalaba {
namespace {

constexpr std::size_t most_phases = 6;
constexpr std::size_t most_in_space = 4;  // maximum number of variables for which all pairs are drawn

struct NamedKind {
  const char* name;
  PlotKind kind;
};
constexpr std::array<NamedKind, 7> named_kinds = {{{"snapshots", PlotKind::snapshots},
                                                   {"fan", PlotKind::fan},
                                                   {"path", PlotKind::path},
                                                   {"phase", PlotKind::phase},
                                                   {"residual", PlotKind::residual},
                                                   {"histogram", PlotKind::histogram},
                                                   {"animation", PlotKind::animation}}};

/// Reason why the data does not permit a picture of this kind; "" if it does.
std::string obstacle(PlotKind kind, const PlotData& data) {
  const bool one_time = data.contents.times.size() == 1;
  if (kind == PlotKind::snapshots || kind == PlotKind::animation) {
    if (data.has_agents) return "";
    const bool of_swarms = data.contents.agents || data.contents.swarms;
    return of_swarms ? "it does not hold all coordinates of the agents; add \"q\" to output.fields"
                     : "it holds no coordinates of a swarm's agents";
  }
  if (kind == PlotKind::path && data.of_agents) return one_time ? "it holds a single saved time" : "";
  if (kind == PlotKind::residual && data.errors.empty()) return "it holds neither residual nor violation";
  if (kind != PlotKind::residual && data.variables.empty()) return "it holds no coordinates; name other variables";
  if (kind == PlotKind::path && data.paths.empty()) return "a path needs two variables, and there is one";
  if (kind == PlotKind::phase && data.phases.empty()) {
    return "it holds no coordinate beside its rate; name pairs of variables";
  }
  if (kind != PlotKind::histogram && one_time) return "it holds a single saved time, which shows only a histogram";
  return "";
}

/// Returns true if the kind is part of the picture "auto".
bool is_worth_it(PlotKind kind, const PlotOptions& options, const PlotData& data) {
  const bool chosen = data.of_agents && (is_one_swarm(data) || options.member >= 0);
  switch (kind) {
    case PlotKind::animation:
    case PlotKind::phase:
      return false;
    case PlotKind::snapshots:
      return chosen;
    case PlotKind::path:
      return data.of_agents ? chosen : !data.contents.swarms;
    case PlotKind::histogram:  // the line of a single member contains more
      return (data.contents.members > 1 && !(data.of_agents && data.contents.agents)) ||
             data.contents.times.size() == 1;
    default:
      return true;
  }
}

}  // namespace

std::vector<PlanePair> phase_planes(const Contents& contents) {
  std::vector<PlanePair> planes;
  for (std::size_t i = 0; i < contents.columns.size(); ++i) {
    const Column& coordinate = contents.columns[i];
    for (std::size_t j = 0; coordinate.field == Field::q && j < contents.columns.size(); ++j) {
      const std::string& name = contents.columns[j].name;
      if (contents.columns[j].field != Field::w) continue;
      if (name == coordinate.name + "_dot" || name == "p_" + coordinate.name) planes.push_back({i, j});
    }
  }
  planes.resize(std::min(planes.size(), most_phases));
  return planes;
}

bool is_one_swarm(const PlotData& data) {
  return data.has_agents && (data.contents.agents || data.contents.members == 1);
}

void choose_planes(const std::string& path, const PlotOptions& options, PlotData& data) {
  const std::vector<std::size_t>& named = data.variables;
  if (options.kind == "phase" && !options.variables.empty()) {
    if (named.size() % 2 != 0) {
      refuse_input(fmt::format("{}: phase portraits take pairs of variables, expected an even number of them, found {}",
                               path, named.size()));
    }
    for (std::size_t i = 0; i < named.size(); i += 2) data.phases.push_back({named[i], named[i + 1]});
  } else if (options.kind == "phase") {
    data.phases = phase_planes(data.contents);
  }
  if (options.kind == "path" && named.size() > most_in_space && !options.variables.empty()) {
    refuse_input(
        fmt::format("{}: paths are drawn in the planes of every two variables, expected at most {} of them, found {}",
                    path, most_in_space, named.size()));
  }
  if (data.of_agents || named.size() < 2) return;
  // The first two coordinates if no variables are named; all pairs would be too many.
  const bool every_two = !options.variables.empty() && named.size() <= most_in_space;
  const std::size_t count = every_two ? named.size() : 2;
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t j = i + 1; j < count; ++j) data.paths.push_back({named[i], named[j]});
  }
}

void choose_kinds(const std::string& path, const PlotOptions& options, PlotData& data) {
  std::vector<std::string> names = {"auto"};
  for (const auto& [name, kind] : named_kinds) {
    names.emplace_back(name);
    const std::string reason = obstacle(kind, data);
    if (options.kind == name && !reason.empty())
      refuse_input(fmt::format("{}: no {} can be drawn: {}", path, name, reason));
    if (options.kind == name || (options.kind == "auto" && reason.empty() && is_worth_it(kind, options, data))) {
      data.kinds.push_back(kind);
    }
  }
  names.insert(names.end(), member_picture_kinds().begin(), member_picture_kinds().end());
  if (std::ranges::count(names, options.kind) == 0) {
    refuse_input(fmt::format("unknown kind of plot {}{}; expected {}", options.kind, suggestion(options.kind, names),
                             fmt::join(names, ", ")));
  }
  if (data.kinds.empty())
    refuse_input(fmt::format("{}: nothing can be drawn: {}", path, obstacle(PlotKind::histogram, data)));
}

}  // namespace kalaba
