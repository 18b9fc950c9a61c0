#include "report/figure/plot_data.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include <limits>
#include <string>
#include "kalaba/error.hpp"
#include "report/data/outcomes.hpp"
#include "report/data/swarm_reader.hpp"
#include "report/figure/plot_kinds.hpp"
#include "report/text/text.hpp"
#include "text/nearest.hpp"

namespace kalaba {
namespace {

/// `first`, `count`: range of the members that were read.
void blank(const CountedUntil& until, std::size_t first, std::size_t count, PlotData& data) {
  for (std::size_t t = 0; t < data.times.size(); ++t) {
    if (until.counts(data.time(t))) continue;
    for (auto& [column, values] : data.values) {
      std::fill_n(values.begin() + static_cast<std::ptrdiff_t>(t * data.members.size() + first), count,
                  std::numeric_limits<double>::quiet_NaN());
    }
  }
}

std::string in_words(long failed, long stopped) {
  if (failed + stopped == 0) return "";
  const std::string failures = failed == 0 ? "" : grouped(failed) + " failed";
  const std::string stops =
      stopped == 0 ? "" : grouped(stopped) + (stopped == 1 ? " was" : " were") + " stopped by events";
  const char* both = failed > 0 && stopped > 0 ? ", " : "";
  return failures + both + stops + ", left out from then on";
}

/// Sets the numbers of members to NaN at times at which they do not count, and stores the failure time of the swarm
/// `member` (0 for one swarm). Returns the number of members affected, as text; "" for none, and for CSV files, which
/// do not contain the status.
std::string leave_out_ended(const std::string& path, long member, PlotData& data) {
  if (std::filesystem::path(path).extension() != ".nc") return "";
  long failed = 0;
  long stopped = 0;
  for_each_ending(Archive(path), [&](const Ending& ending) {
    if (ending.status == Status::interrupted) return;
    ++(ending.status == Status::stopped ? stopped : failed);
    const CountedUntil until = counted_until(ending);
    if (ending.member == member && is_failure(ending.status)) data.swarm_end = ending.time;
    if (data.contents.agents) return blank(until, 0, data.members.size(), data);
    const auto found = std::ranges::lower_bound(data.members, ending.member);
    if (found == data.members.end() || *found != ending.member) return;
    blank(until, static_cast<std::size_t>(found - data.members.begin()), 1, data);
  });
  return in_words(failed, stopped);
}

constexpr std::size_t default_variables = 6;
constexpr std::size_t most_variables = 30;
constexpr std::size_t most_snapshots = 12;
constexpr long most_times = 1000;            // more than the pixels of a panel
constexpr long most_read_members = 200'000;  // quantiles of these cannot be distinguished visually from those of all
constexpr long most_numbers = 50'000'000;
constexpr long fewest_members = 1000;

/// Variables of a whole swarm that pictures show.
constexpr std::array observables = {"beta_norm", "radius", "extent", "polarisation", "nearest", "nearest_mean"};

std::size_t find_column(const std::string& path, const Contents& contents, const std::string& name) {
  if (const auto found = contents.find(name)) return *found;
  const std::vector<std::string> names = names_of(contents.columns);
  if (std::ranges::count(contents.coordinates, name) + std::ranges::count(contents.rates, name) > 0) {
    refuse_input(fmt::format("{}: {} is not saved, expected it in output.fields; it has {}", path, name,
                             fmt::join(names, ", ")));
  }
  refuse_input(fmt::format("{}: there is no variable {}{}; it has {}", path, name, suggestion(name, names),
                           fmt::join(names, ", ")));
}

void choose_variables(const std::string& path, const PlotOptions& options, PlotData& data) {
  for (const std::string& name : options.variables) {
    const std::size_t column = find_column(path, data.contents, name);
    if (std::ranges::count(data.variables, column) == 0) data.variables.push_back(column);
  }
  if (data.variables.size() > most_variables) {
    refuse_input(
        fmt::format("{} variables were named, expected at most {} a picture", data.variables.size(), most_variables));
  }
  if (!data.variables.empty()) return;
  for (std::size_t i = 0; i < data.contents.columns.size(); ++i) {
    const Column& column = data.column(i);
    const bool observed = column.field == Field::invariants && std::ranges::count(observables, column.name) > 0;
    if ((data.contents.swarms || is_one_swarm(data)) && observed) data.variables.push_back(i);
  }
  if (!data.variables.empty()) return;
  for (std::size_t i = 0; i < data.contents.columns.size(); ++i) {
    if (data.column(i).field == Field::q) data.variables.push_back(i);
  }
  const std::string kind = data.variables.empty() ? "variables" : "coordinates";
  for (std::size_t i = 0; kind == "variables" && i < data.contents.columns.size(); ++i) {
    if (!is_error(data.column(i).field)) data.variables.push_back(i);
  }
  if (data.variables.size() > default_variables) {
    data.notes.push_back(fmt::format("first {} of {} {}", default_variables, data.variables.size(), kind));
    data.variables.resize(default_variables);
  }
}

long nearest_time(const std::string& path, const std::vector<double>& times, double requested) {
  if (!(requested >= times.front() && requested <= times.back())) {
    refuse_input(fmt::format("{}: there is no snapshot at t = {:g} s, expected {:g} to {:g}", path, requested,
                             times.front(), times.back()));
  }
  const auto nearest = std::ranges::min_element(times, {}, [&](double time) { return std::abs(time - requested); });
  return nearest - times.begin();
}

void choose_snapshots(const std::string& path, const PlotOptions& options, PlotData& data) {
  const auto& times = data.contents.times;
  if (std::ranges::count(data.kinds, PlotKind::snapshots) == 0) {
    if (!options.times.empty())
      refuse_input("--times chooses snapshots, and none are drawn; --kind snapshots draws them");
    return;
  }
  for (double time : options.times) data.snapshots.push_back(nearest_time(path, times, time));
  const long most = data.kinds.size() == 1 ? 6 : 3;
  const auto count = static_cast<long>(times.size());
  for (long i = 0; options.times.empty() && i < std::min(most, count); ++i) {
    data.snapshots.push_back(count <= most ? i : i * (count - 1) / (most - 1));
  }
  std::ranges::sort(data.snapshots);
  data.snapshots.erase(std::unique(data.snapshots.begin(), data.snapshots.end()), data.snapshots.end());
  if (data.snapshots.size() > most_snapshots) {
    refuse_input(
        fmt::format("{} times were named, expected at most {} a picture", data.snapshots.size(), most_snapshots));
  }
}

void choose_times(PlotData& data) {
  const long count = static_cast<long>(data.contents.times.size());
  data.times = evenly(count, most_times);
  if (data.kinds == std::vector{PlotKind::histogram}) {
    data.times = {count - 1};
  } else if (static_cast<long>(data.times.size()) < count) {
    data.notes.push_back(
        fmt::format("{} of {} saved times", grouped(static_cast<long>(data.times.size())), grouped(count)));
  }
}

bool is_of_agents(const Column& column) {
  return column.field == Field::q || column.field == Field::w || column.field == Field::constraint_force ||
         column.field == Field::constraints;
}

void choose_members(const PlotOptions& options, const std::vector<std::size_t>& columns, PlotData& data) {
  // For one swarm, the row of every agent contains the swarm's values.
  const bool by_agent = std::ranges::any_of(columns, [&](std::size_t i) { return is_of_agents(data.column(i)); });
  if (columns.empty() || (data.contents.agents && !by_agent)) {
    data.members = {0};
    return;
  }
  const long count = data.contents.members;
  const long most = options.most_members > 0 ? options.most_members : most_read_members;
  const long numbers_each = static_cast<long>(data.times.size() * columns.size());
  data.members = evenly(count, std::clamp(most_numbers / numbers_each, fewest_members, most));
  if (static_cast<long>(data.members.size()) < count) {
    data.notes.push_back(
        fmt::format("shown by {} of them, evenly chosen", grouped(static_cast<long>(data.members.size()))));
  }
  if (options.member == -1) return;
  const auto place = std::ranges::lower_bound(data.members, options.member);
  data.highlight = place - data.members.begin();
  if (place == data.members.end() || *place != options.member) data.members.insert(place, options.member);
}

std::vector<std::size_t> needed_columns(const PlotData& data) {
  const auto draws = [&](PlotKind kind) { return std::ranges::count(data.kinds, kind) > 0; };
  const bool with_errors = draws(PlotKind::residual);
  std::vector<std::size_t> columns;
  if (draws(PlotKind::fan) || draws(PlotKind::histogram)) columns = data.variables;
  const auto add_planes = [&](const std::vector<PlanePair>& planes) {
    for (const PlanePair& plane : planes) columns.insert(columns.end(), {plane.across, plane.up});
  };
  if (draws(PlotKind::path) && !data.of_agents) add_planes(data.paths);
  if (draws(PlotKind::phase)) add_planes(data.phases);
  if (with_errors) columns.insert(columns.end(), data.errors.begin(), data.errors.end());
  std::ranges::sort(columns);
  columns.erase(std::unique(columns.begin(), columns.end()), columns.end());
  return columns;
}

/// Returns true for whole numbers: in a table, which does not name the discrete variables, those of one.
bool are_whole(const std::vector<double>& values) {
  return std::ranges::none_of(values, [](double value) { return std::isfinite(value) && std::trunc(value) != value; });
}

}  // namespace

std::vector<long> evenly(long count, long most) {
  const long step = (count + most - 1) / most;
  std::vector<long> chosen;
  for (long i = 0; i < count; i += step) chosen.push_back(i);
  if (chosen.back() != count - 1) chosen.push_back(count - 1);
  return chosen;
}

std::string title_of(const Contents& contents, const std::string& path) {
  return contents.system.empty() ? std::filesystem::path(path).filename().string() : contents.system;
}

std::string members_in_words(const PlotData& data) {
  const auto shown = static_cast<long>(data.members.size());
  const std::string kind = data.contents.agents ? "agent" : "member";
  const std::string all = grouped(data.contents.members) + " " + kind + (data.contents.members == 1 ? "" : "s");
  return shown == data.contents.members ? all : fmt::format("{} of {}, evenly chosen", grouped(shown), all);
}

PlotData read_plot_data(const std::string& path, const PlotOptions& options) {
  const std::unique_ptr<Reader> reader = open_reader(path);
  PlotData data;
  data.contents = reader->contents();
  const Contents& contents = data.contents;
  if (contents.members == 0 || contents.times.empty()) refuse_input(path + ": it holds no members or no times");
  if (contents.columns.empty()) {
    refuse_input(path + ": it holds no trajectories, which plot draws; kalaba report draws its statistics over time");
  }
  data.title = title_of(contents, path);
  const std::string kind = contents.agents ? "agent" : "member";
  const auto counted = [](long count, const std::string& what) {
    return grouped(count) + " " + what + (count == 1 ? "" : "s");
  };
  data.notes = {counted(contents.members, kind)};
  if (!contents.unfinished.empty()) data.notes.emplace_back("the run is unfinished");
  if (!contents.device.empty()) data.notes.insert(data.notes.begin(), contents.device);
  for (std::size_t i = 0; i < contents.columns.size(); ++i) {
    if (is_error(contents.columns[i].field)) data.errors.push_back(i);
  }
  if (options.member < -1 || options.member >= contents.members) {
    refuse_input(
        fmt::format("{}: there is no {} {}, expected 0 to {}", path, kind, options.member, contents.members - 1));
  }
  if (const auto swarm = open_swarm(path, std::max(options.member, 0L))) {
    data.has_agents = true;
    if (is_one_swarm(data)) data.notes.back() = counted(swarm->contents().members, "agent");
  }
  data.of_agents = data.has_agents && options.variables.empty();
  choose_variables(path, options, data);
  choose_planes(path, options, data);
  choose_kinds(path, options, data);
  choose_snapshots(path, options, data);
  choose_times(data);
  const std::vector<std::size_t> columns = needed_columns(data);
  choose_members(options, columns, data);
  auto values = reader->read({columns, data.times, data.members});
  for (std::size_t i = 0; i < columns.size(); ++i) {
    if (path.ends_with(".csv") && are_whole(values[i])) data.contents.columns[columns[i]].is_held = true;
    data.values[columns[i]] = std::move(values[i]);
  }
  data.left_out = leave_out_ended(path, contents.agents ? 0 : std::max(options.member, 0L), data);
  if (!data.left_out.empty()) {
    data.notes.push_back(is_one_swarm(data)
                             ? fmt::format("failed at t = {:.6g} s, left out from then on", data.swarm_end)
                             : data.left_out);
  }
  return data;
}

}  // namespace kalaba
