#include "report/sensitivity.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>

namespace kalaba {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

bool is_output(Field field) {
  return field == Field::q || field == Field::w || field == Field::energy || field == Field::invariants;
}

/// Finite, and more different than rounding makes them.
bool varies(const std::vector<double>& values) {
  if (values.size() < 3) return false;
  const auto [low, high] = std::ranges::minmax(values);
  const double size = std::max(std::abs(low), std::abs(high));
  return std::ranges::all_of(values, [](double value) { return std::isfinite(value); }) && high - low > 1e-9 * size;
}

void add_if_varied(std::vector<MemberColumn>& columns, MemberColumn column) {
  if (varies(column.values)) columns.push_back(std::move(column));
}

void add_parameters(const MemberSample& members, const std::vector<Variable>& parameters,
                    std::vector<MemberColumn>& inputs) {
  for (const Variable& parameter : parameters) {
    if (!members.has(parameter.name)) continue;
    add_if_varied(inputs, {parameter.name, parameter.unit, members.values(parameter.name)});
  }
}

template <class Wanted>
void add_columns(const MemberSample& members, long time, const char* ending, std::vector<MemberColumn>& into,
                 const Wanted& wanted) {
  const std::vector<Column>& all = members.contents().columns;
  std::vector<std::size_t> chosen;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (wanted(all[i])) chosen.push_back(i);
  }
  if (chosen.empty()) return;
  std::vector<std::vector<double>> values = members.values(chosen, time);
  for (std::size_t i = 0; i < chosen.size(); ++i) {
    add_if_varied(into, {all[chosen[i]].name + ending, all[chosen[i]].unit, std::move(values[i])});
  }
}

/// From variables of their own where the saved times do not hold the start, else from its columns. A parameter may be
/// called as such a variable would be.
void add_starts(const MemberSample& members, const std::vector<std::string>& names,
                const std::vector<Variable>& parameters, std::vector<MemberColumn>& inputs) {
  std::vector<std::string> in_columns;
  for (const std::string& name : names) {
    const std::string variable = "initial_" + name;
    if (!members.has(variable) || std::ranges::count(parameters, variable, &Variable::name) > 0) {
      in_columns.push_back(name);
      continue;
    }
    const std::string unit = members.archive().inventory().find(variable)->unit;
    add_if_varied(inputs, {name + " at the start", unit, members.values(variable)});
  }
  add_columns(members, 0, " at the start", inputs, [&](const Column& column) {
    return (column.field == Field::q || column.field == Field::w) && std::ranges::count(in_columns, column.name) > 0;
  });
}

/// When each event happened first, of those that happened to every member.
void add_event_times(const MemberSample& members, std::vector<MemberColumn>& outputs) {
  const Archive& archive = members.archive();
  const FileVariable* const times = archive.inventory().find("event_time");
  if (times == nullptr || times->dimensions != std::vector<std::string>{"event", "member"}) return;
  const std::vector<std::string> names = archive.texts("event");
  for (std::size_t i = 0; i < names.size(); ++i) {
    add_if_varied(outputs, {"time of " + names[i], times->unit, members.values("event_time", i)});
  }
}

std::vector<double> correlations(const std::vector<MemberColumn>& outputs, const std::vector<MemberColumn>& inputs) {
  std::vector<double> all;
  for (const MemberColumn& output : outputs) {
    for (const MemberColumn& input : inputs) all.push_back(correlation(input.values, output.values));
  }
  return all;
}

std::vector<MemberColumn> ranked(std::vector<MemberColumn> columns) {
  for (MemberColumn& column : columns) column.values = ranks(column.values);
  return columns;
}

}  // namespace

double correlation(std::span<const double> x, std::span<const double> y) {
  const auto mean = [](std::span<const double> values) {
    return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
  };
  const double mean_x = mean(x);
  const double mean_y = mean(y);
  double xx = 0;
  double yy = 0;
  double xy = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double dx = x[i] - mean_x;
    const double dy = y[i] - mean_y;
    xx += dx * dx;
    yy += dy * dy;
    xy += dx * dy;
  }
  return xx > 0 && yy > 0 ? std::clamp(xy / std::sqrt(xx) / std::sqrt(yy), -1.0, 1.0) : nan;
}

std::vector<double> ranks(std::span<const double> values) {
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, {}, [&](std::size_t i) { return values[i]; });
  std::vector<double> result(values.size());
  for (std::size_t first = 0; first < order.size();) {
    std::size_t end = first + 1;
    while (end < order.size() && values[order[end]] == values[order[first]]) ++end;
    const double rank = static_cast<double>(first + end + 1) / 2;
    for (; first < end; ++first) result[order[first]] = rank;
  }
  return result;
}

Sensitivity sensitivity_of(const MemberSample& members, const std::vector<std::string>& initial) {
  Sensitivity result;
  const Contents& contents = members.contents();
  if (members.members() < 3 || contents.times.empty() || contents.agents) return result;
  const std::vector<Variable> parameters = members.archive().labels().parameters;
  add_parameters(members, parameters, result.inputs);
  add_starts(members, initial, parameters, result.inputs);
  add_columns(members, static_cast<long>(contents.times.size()) - 1, "", result.outputs,
              [](const Column& column) { return is_output(column.field); });
  add_event_times(members, result.outputs);
  result.correlation = correlations(result.outputs, result.inputs);
  result.rank_correlation = correlations(ranked(result.outputs), ranked(result.inputs));
  return result;
}

}  // namespace kalaba
