#include "report/plot_data.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>

#include "kalaba/error.hpp"
#include "report/text.hpp"
#include "scenario/nearest.hpp"

namespace kalaba {
namespace {

constexpr std::size_t default_variables = 6;
constexpr std::size_t most_variables = 30;
constexpr long most_times = 1000;       // more than a panel has pixels
constexpr long most_members = 200'000;  // quantiles of these are as good to the eye as of all
constexpr long most_numbers = 50'000'000;
constexpr long fewest_members = 1000;

[[noreturn]] void refuse(const std::string& message) { throw Error(ExitCode::bad_input, message); }

struct NamedKind {
  const char* name;
  PlotKind kind;
};
constexpr std::array<NamedKind, 4> named_kinds = {{{"fan", PlotKind::fan},
                                                   {"path", PlotKind::path},
                                                   {"residual", PlotKind::residual},
                                                   {"histogram", PlotKind::histogram}}};

std::size_t find_column(const std::string& path, const Contents& contents, const std::string& name) {
  std::vector<std::string> names;
  for (const Column& column : contents.columns) names.push_back(column.name);
  const auto found = std::ranges::find(names, name);
  if (found == names.end()) {
    refuse(fmt::format("{}: there is no variable {}{}; it has {}", path, name, suggestion(name, names),
                       fmt::join(names, ", ")));
  }
  return static_cast<std::size_t>(found - names.begin());
}

void choose_variables(const std::string& path, const PlotOptions& options, PlotData& data) {
  for (const std::string& name : options.variables) {
    const std::size_t column = find_column(path, data.contents, name);
    if (std::ranges::count(data.variables, column) == 0) data.variables.push_back(column);
  }
  if (data.variables.size() > most_variables) {
    refuse(
        fmt::format("{} variables were named, expected at most {} a picture", data.variables.size(), most_variables));
  }
  if (!data.variables.empty()) return;
  for (std::size_t i = 0; i < data.contents.columns.size(); ++i) {
    if (data.column(i).field == Field::q) data.variables.push_back(i);
  }
  for (std::size_t i = 0; data.contents.swarms && i < data.contents.columns.size(); ++i) {
    if (data.column(i).field == Field::invariants) data.variables.push_back(i);
  }
  if (data.variables.size() > default_variables) {
    data.notes.push_back(fmt::format("first {} of {} coordinates", default_variables, data.variables.size()));
    data.variables.resize(default_variables);
  }
}

/// Why the data cannot give a picture of this kind; "" where it can.
std::string obstacle(PlotKind kind, const PlotData& data) {
  const bool one_time = data.contents.times.size() == 1;
  if (kind == PlotKind::residual && data.errors.empty()) return "it holds neither residual nor violation";
  if (kind != PlotKind::residual && data.variables.empty()) return "it holds no coordinates; name other variables";
  if (kind == PlotKind::path && data.variables.size() < 2) return "a path needs two variables, and there is one";
  if (kind != PlotKind::histogram && one_time) return "it holds a single saved time, which shows only a histogram";
  return "";
}

void choose_kinds(const std::string& path, const PlotOptions& options, PlotData& data) {
  std::vector<std::string> names = {"auto"};
  for (const auto& [name, kind] : named_kinds) {
    names.emplace_back(name);
    const std::string reason = obstacle(kind, data);
    if (options.kind == name && !reason.empty()) refuse(fmt::format("{}: no {} can be drawn: {}", path, name, reason));
    // One member's histogram says nothing that its line does not.
    const bool worth_it = kind != PlotKind::histogram || data.contents.members > 1 || data.contents.times.size() == 1;
    if (options.kind == name || (options.kind == "auto" && reason.empty() && worth_it)) data.kinds.push_back(kind);
  }
  if (std::ranges::count(names, options.kind) == 0) {
    refuse(fmt::format("unknown kind of plot {}{}; expected {}", options.kind, suggestion(options.kind, names),
                       fmt::join(names, ", ")));
  }
  if (data.kinds.empty())
    refuse(fmt::format("{}: nothing can be drawn: {}", path, obstacle(PlotKind::histogram, data)));
}

/// 0, step, 2 step, ... and the last of `count` numbers; at most about `most` of them.
std::vector<long> evenly(long count, long most) {
  const long step = (count + most - 1) / most;
  std::vector<long> chosen;
  for (long i = 0; i < count; i += step) chosen.push_back(i);
  if (chosen.back() != count - 1) chosen.push_back(count - 1);
  return chosen;
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

void choose_members(const std::string& path, const PlotOptions& options, std::size_t columns, PlotData& data) {
  const long count = data.contents.members;
  const long numbers_each = static_cast<long>(data.times.size() * columns);
  data.members = evenly(count, std::clamp(most_numbers / numbers_each, fewest_members, most_members));
  if (static_cast<long>(data.members.size()) < count) {
    data.notes.push_back(
        fmt::format("shown by {} of them, evenly chosen", grouped(static_cast<long>(data.members.size()))));
  }
  if (options.member == -1) return;
  if (options.member < 0 || options.member >= count) {
    refuse(fmt::format("{}: there is no member {}, expected 0 to {}", path, options.member, count - 1));
  }
  const auto place = std::ranges::lower_bound(data.members, options.member);
  data.highlight = place - data.members.begin();
  if (place == data.members.end() || *place != options.member) data.members.insert(place, options.member);
}

std::vector<std::size_t> needed_columns(const PlotData& data) {
  const bool only_errors = data.kinds == std::vector{PlotKind::residual};
  const bool with_errors = std::ranges::count(data.kinds, PlotKind::residual) > 0;
  std::vector<std::size_t> columns;
  if (!only_errors) columns = data.variables;
  if (with_errors) columns.insert(columns.end(), data.errors.begin(), data.errors.end());
  std::ranges::sort(columns);
  columns.erase(std::unique(columns.begin(), columns.end()), columns.end());
  return columns;
}

}  // namespace

PlotData read_plot_data(const std::string& path, const PlotOptions& options) {
  const std::unique_ptr<Reader> reader = open_reader(path);
  PlotData data;
  data.contents = reader->contents();
  const Contents& contents = data.contents;
  if (contents.members == 0 || contents.times.empty()) refuse(path + ": it holds no members or no times");
  data.title = contents.system.empty() ? std::filesystem::path(path).filename().string() : contents.system;
  const std::string kind = contents.agents ? "agent" : "member";
  data.notes = {grouped(contents.members) + " " + kind + (contents.members == 1 ? "" : "s")};
  if (!contents.device.empty()) data.notes.insert(data.notes.begin(), contents.device);
  for (std::size_t i = 0; i < contents.columns.size(); ++i) {
    const Field field = contents.columns[i].field;
    if (field == Field::violation || field == Field::residual) data.errors.push_back(i);
  }
  choose_variables(path, options, data);
  choose_kinds(path, options, data);
  choose_times(data);
  const std::vector<std::size_t> columns = needed_columns(data);
  choose_members(path, options, columns.size(), data);
  auto values = reader->read({columns, data.times, data.members});
  for (std::size_t i = 0; i < columns.size(); ++i) data.values[columns[i]] = std::move(values[i]);
  return data;
}

}  // namespace kalaba
