#include "report/data/member_numbers.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

#include "kalaba/error.hpp"
#include "report/data/statistics.hpp"
#include "text/nan.hpp"
#include "text/nearest.hpp"

namespace kalaba {
namespace {

constexpr std::string_view event_functions[] = {"time", "last", "count"};
constexpr const char* event_variables[] = {"event_time", "event_last_time", "event_count"};
constexpr std::string_view over_time[] = {"min", "max", "mean", "std", "change"};

[[noreturn]] void refuse(const MemberSample& members, const std::string& message) {
  throw Error(ExitCode::bad_input, members.archive().path() + ": " + message);
}

[[noreturn]] void refuse_name(const MemberSample& members, const std::string& what, const std::string& name,
                              const std::vector<std::string>& names) {
  refuse(members, names.empty() ? fmt::format("there is no {} {}: it holds none", what, name)
                                : fmt::format("there is no {} {}{}; it has {}", what, name, suggestion(name, names),
                                              fmt::join(names, ", ")));
}

std::size_t event_of(const MemberSample& members, const std::string& name) {
  const FileVariable* labels = members.archive().inventory().find("event");
  const std::vector<std::string> names =
      labels == nullptr ? std::vector<std::string>() : members.archive().texts("event");
  const auto found = std::ranges::find(names, name);
  if (found == names.end()) refuse_name(members, "event", name, names);
  return static_cast<std::size_t>(found - names.begin());
}

/// Computes min, max, ... of a column over the saved times at which a member counts.
MemberColumn number_over_time(const MemberSample& members, std::string_view function, const std::string& name) {
  const std::optional<std::size_t> column = members.contents().find(name);
  if (!column) refuse_name(members, "variable", name, names_of(members.contents().columns));
  struct Seen {
    double least = nan, greatest = nan, first = nan, last = nan, sum = 0, squares = 0, count = 0;
  };
  std::vector<Seen> seen(static_cast<std::size_t>(members.members()));
  for (long time = 0; time < static_cast<long>(members.contents().times.size()); ++time) {
    const std::vector<double> values = members.values({*column}, time).front();
    for (std::size_t i = 0; i < values.size(); ++i) {
      const double value = values[i];
      if (!std::isfinite(value)) continue;
      Seen& of = seen[i];
      if (of.count == 0) of.first = value;
      of.last = value;
      of.least = std::fmin(of.least, value);
      of.greatest = std::fmax(of.greatest, value);
      of.count += 1;
      const double step = value - of.sum;  // Welford's algorithm
      of.sum += step / of.count;
      of.squares += step * (value - of.sum);
    }
  }
  MemberColumn result{fmt::format("{}({})", function, name), members.contents().columns[*column].unit, {}};
  for (const Seen& of : seen) {
    result.values.push_back(of.count == 0        ? nan
                            : function == "min"  ? of.least
                            : function == "max"  ? of.greatest
                            : function == "mean" ? of.sum
                            : function == "std"  ? std::sqrt(of.squares / of.count)
                                                 : of.last - of.first);
  }
  return result;
}

MemberColumn number_of_event(const MemberSample& members, std::size_t function, const std::string& name) {
  const std::size_t event = event_of(members, name);
  static constexpr const char* words[] = {"time of {}", "last time of {}", "crossings of {}"};
  const std::string variable = event_variables[function];
  const std::string unit = members.archive().inventory().find(variable)->unit;
  return {fmt::format(fmt::runtime(words[function]), name), unit, members.values(variable, event)};
}

/// Computes x@e.
MemberColumn state_at_event(const MemberSample& members, const std::string& name, const std::string& event) {
  const std::size_t row = event_of(members, event);
  const SystemInfo system = members.archive().labels();
  for (const auto& [variable, labels] :
       {std::pair{"event_q", &system.coordinates}, std::pair{"event_w", &system.rates}}) {
    const auto found = std::ranges::find(*labels, name, &Variable::name);
    if (found == labels->end()) continue;
    const auto place = static_cast<std::size_t>(found - labels->begin());
    return {fmt::format("{} at {}", name, event), found->unit, members.values(variable, row * labels->size() + place)};
  }
  std::vector<std::string> names;
  for (const auto* labels : {&system.coordinates, &system.rates}) {
    for (const Variable& each : *labels) names.push_back(each.name);
  }
  refuse_name(members, "coordinate or rate", name, names);
}

/// Parses "f(x)" into f and x.
std::optional<std::pair<std::string, std::string>> call(const std::string& text) {
  const std::size_t open = text.find('(');
  if (open == std::string::npos || !text.ends_with(')')) return std::nullopt;
  return std::pair{text.substr(0, open), text.substr(open + 1, text.size() - open - 2)};
}

MemberColumn called(const MemberSample& members, const std::string& function, const std::string& argument) {
  for (std::size_t i = 0; i < std::size(event_functions); ++i) {
    if (event_functions[i] == function) return number_of_event(members, i, argument);
  }
  if (std::ranges::count(over_time, std::string_view(function)) > 0) {
    return number_over_time(members, function, argument);
  }
  std::vector<std::string> names(std::begin(over_time), std::end(over_time));
  names.insert(names.end(), std::begin(event_functions), std::end(event_functions));
  refuse_name(members, "function", function, names);
}

std::string without(std::string_view prefix, const std::string& text) {
  return text.starts_with(prefix) ? text.substr(prefix.size()) : "";
}

/// Start of a coordinate or rate: from its own variable if the saved times do not include the start. A parameter may
/// have the name of such a variable.
std::optional<MemberColumn> start_number(const MemberSample& members, const std::string& name) {
  const std::string variable = "initial_" + name;
  const std::string title = name + " at the start";
  const std::vector<Variable> parameters = members.archive().labels().parameters;
  if (members.has(variable) && std::ranges::count(parameters, variable, &Variable::name) == 0) {
    return MemberColumn{title, members.archive().inventory().find(variable)->unit, members.values(variable)};
  }
  const std::optional<std::size_t> column = members.contents().find(name);
  if (!column || members.contents().times.empty()) return std::nullopt;
  const Column& found = members.contents().columns[*column];
  if (found.field != Field::q && found.field != Field::w) return std::nullopt;
  return MemberColumn{title, found.unit, members.values(std::vector{*column}, 0).front()};
}

/// Parameter by its own name or by its name in the file.
std::optional<MemberColumn> parameter_number(const MemberSample& members, const std::string& name) {
  const std::vector<Variable> parameters = members.archive().labels().parameters;
  auto found = std::ranges::find(parameters, name, &Variable::name);
  if (found == parameters.end()) found = std::ranges::find(parameters, "parameter_" + name, &Variable::name);
  if (found == parameters.end() || !members.has(found->name)) return std::nullopt;
  return MemberColumn{found->name, found->unit, members.values(found->name)};
}

}  // namespace

bool varies(const std::vector<double>& values, double scale) {
  const std::vector<double> finite = finite_values(values);
  if (finite.size() < 3) return false;
  const auto [low, high] = std::ranges::minmax(finite);
  return high - low > std::max(1e-9 * std::max(std::abs(low), std::abs(high)), 1e-12 * scale);
}

std::optional<MemberColumn> find_input(const MemberSample& members, const std::string& text) {
  const std::string parameter = without("parameters.", text);
  const std::string start = without("initial.", text);
  std::optional<MemberColumn> found;
  if (start.empty()) found = parameter_number(members, parameter.empty() ? text : parameter);
  if (!found && parameter.empty()) found = start_number(members, start.empty() ? text : start);
  return found;
}

MemberColumn input_number(const MemberSample& members, const std::string& text) {
  if (auto found = find_input(members, text)) return *std::move(found);
  std::vector<std::string> names;
  const SystemInfo system = members.archive().labels();
  const bool full = text.find('.') != std::string::npos;
  for (const Variable& each : system.parameters) names.push_back((full ? "parameters." : "") + each.name);
  for (const auto* labels : {&system.coordinates, &system.rates}) {
    for (const Variable& each : *labels) names.push_back((full ? "initial." : "") + each.name);
  }
  refuse_name(members, "parameter or initial value", text, names);
}

MemberColumn member_number(const MemberSample& members, const std::string& text) {
  if (const auto found = call(text)) return called(members, found->first, found->second);
  if (const std::size_t at = text.find('@'); at != std::string::npos) {
    return state_at_event(members, text.substr(0, at), text.substr(at + 1));
  }
  if (text.starts_with("parameters.") || text.starts_with("initial.")) return input_number(members, text);
  if (const auto column = members.contents().find(text)) {
    const long last = static_cast<long>(members.contents().times.size()) - 1;
    return {text, members.contents().columns[*column].unit, members.values({*column}, last).front()};
  }
  if (members.has(text)) return {text, members.archive().inventory().find(text)->unit, members.values(text)};
  std::vector<std::string> names = names_of(members.contents().columns);
  for (const FileVariable& variable : members.archive().inventory().variables) {
    if (members.has(variable.name)) names.push_back(variable.name);
  }
  refuse_name(members, "variable", text, names);
}

std::vector<MemberColumn> varied_inputs(const MemberSample& members, const std::vector<std::string>& starts) {
  std::vector<MemberColumn> inputs;
  if (members.contents().agents) return inputs;
  std::vector<std::size_t> places;  // indices in the axes of the members' grid, in the order of the file
  const std::string axes = members.archive().inventory().attribute("grid");
  const auto add = [&](const std::string& variable, std::optional<MemberColumn> column) {
    if (!column || !varies(column->values)) return;
    inputs.push_back(*std::move(column));
    places.push_back((", " + axes + ",").find(", " + variable + ","));
  };
  for (const Variable& each : members.archive().labels().parameters)
    add(each.name, parameter_number(members, each.name));
  for (const std::string& name : starts) add("initial_" + name, start_number(members, name));
  std::vector<std::size_t> order(inputs.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return places[i]; });
  std::vector<MemberColumn> sorted;
  for (const std::size_t i : order) sorted.push_back(std::move(inputs[i]));
  return sorted;
}

}  // namespace kalaba
