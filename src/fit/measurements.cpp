#include "fit/measurements.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "kalaba/error.hpp"
#include "scenario/sampling/csv_column.hpp"
#include "text/nearest.hpp"

namespace kalaba::fit {
namespace {

constexpr const char* member_column = "member";

/// Returns the beginning of an error message for a row.
using Place = std::function<std::string(std::size_t row)>;

std::vector<std::string> state_names(const SystemInfo& system) {
  std::vector<std::string> names = names_of(system.coordinates);
  for (const std::string& each : names_of(system.rates)) names.push_back(each);
  return names;
}

/// Returns the names of the state, the energy, the invariants and the multipliers of the constraints.
std::vector<std::string> measurable_names(const SystemInfo& system) {
  std::vector<std::string> names = state_names(system);
  if (system.has_energy) names.emplace_back(field_name(Field::energy));
  for (const std::string& each : names_of(system.invariants)) names.push_back(each);
  if (!system.servo) {
    for (const std::string& each : field_layout(system, Field::multipliers).components) names.push_back(each);
  }
  return names;
}

bool is_time(const std::string& name) { return name == "t" || name == "time"; }

/// Throws if a column cannot be compared with a motion.
void check_column(const std::string& place, const std::string& name, const SystemInfo& system, bool by_choice) {
  const std::vector<std::string> known = measurable_names(system);
  if (std::ranges::count(known, name) > 0) return;
  const bool is_parameter = std::ranges::count(names_of(system.parameters), name) > 0;
  const std::string what = is_parameter ? " (a parameter, the same at all times)" : "";
  refuse_input(fmt::format(
      "{}: column \"{}\"{}: expected a coordinate or rate of {}, its energy, an invariant or a multiplier ({}){}{}",
      place, name, what, system.name, fmt::join(known, ", "), is_parameter ? "" : suggestion(name, known),
      by_choice ? "" : "; --columns A,B names those to read"));
}

/// Returns true if the file has a column with the members of the rows, and it is not selected.
bool omits_members(const std::vector<std::string>& names, const std::vector<std::string>& requested) {
  return !requested.empty() && std::ranges::count(requested, member_column) == 0 &&
         std::ranges::count(names, member_column) > 0;
}

/// Returns the indices of time and of the columns to read, followed by that of the members if there is such a column.
std::vector<std::size_t> chosen_columns(const std::string& path, const std::vector<std::string>& names,
                                        const SystemInfo& system, const std::vector<std::string>& requested) {
  const std::string place = path + ":1";
  const auto count_times = std::ranges::count_if(names, is_time);
  if (count_times != 1) {
    refuse_input(fmt::format("{}: expected one column t, of times in s, found {} among {}{}", place, count_times,
                             fmt::join(names, ", "), count_times == 0 ? suggestion("time", names) : ""));
  }
  std::vector<std::size_t> places = {static_cast<std::size_t>(std::ranges::find_if(names, is_time) - names.begin())};
  for (const std::string& each : requested) {
    check_column("--columns", each, system, true);
    if (std::ranges::count(requested, each) > 1) refuse_input(fmt::format("--columns: \"{}\" is there twice", each));
    if (std::ranges::count(names, each) == 0) {
      refuse_input(fmt::format("{}: expected a column \"{}\", as --columns has it, found {}{}", place, each,
                               fmt::join(names, ", "), suggestion(each, names)));
    }
  }
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (i == places.front() || (!requested.empty() && std::ranges::count(requested, names[i]) == 0)) continue;
    check_column(place, names[i], system, false);
    if (std::ranges::count(names, names[i]) > 1) {
      refuse_input(fmt::format("{}: there are several columns \"{}\"", place, names[i]));
    }
    places.push_back(i);
  }
  if (places.size() == 1) {
    refuse_input(fmt::format("{}: expected a column of a coordinate or rate beside {} ({}), found none", place,
                             names[places.front()], fmt::join(measurable_names(system), ", ")));
  }
  if (omits_members(names, requested))
    places.push_back(static_cast<std::size_t>(std::ranges::find(names, member_column) - names.begin()));
  return places;
}

/// A fit supports a single motion.
void require_one_member(const std::string& path, const CsvTable& table) {
  const std::vector<double>& members = table.columns.back();
  for (std::size_t row = 0; row < members.size(); ++row) {
    if (members[row] == members.front()) continue;
    refuse_input(
        fmt::format("{}:{}: column {}: expected one member, as a fit is of one motion, found {} behind {}; "
                    "keep the rows of one",
                    path, table.lines[row], member_column, members[row], members.front()));
  }
}

void sort_times(const Place& place, const std::vector<double>& times, Measurements& data) {
  for (std::size_t row = 0; row < times.size(); ++row) {
    if (!std::isfinite(times[row])) refuse_input(place(row) + ": expected a time in s, found none");
  }
  data.times = times;
  std::ranges::sort(data.times);
  data.times.erase(std::unique(data.times.begin(), data.times.end()), data.times.end());
}

Measurements arranged(const std::string& name, const Place& place, const std::vector<double>& times,
                      const std::vector<std::string>& columns, const std::vector<std::vector<double>>& numbers) {
  Measurements data;
  data.columns = columns;
  sort_times(place, times, data);
  std::vector<long> counts(columns.size());
  for (std::size_t row = 0; row < times.size(); ++row) {
    const auto time = static_cast<std::size_t>(std::ranges::lower_bound(data.times, times[row]) - data.times.begin());
    for (std::size_t column = 0; column < columns.size(); ++column) {
      const double value = numbers[column][row];
      if (std::isnan(value)) continue;
      if (!std::isfinite(value)) {
        refuse_input(
            fmt::format("{}: column {}: expected a finite number, found {}", place(row), columns[column], value));
      }
      data.readings.push_back({time, column, value});
      ++counts[column];
    }
  }
  std::ranges::stable_sort(data.readings, {}, &Reading::time);
  if (data.readings.empty()) {
    refuse_input(fmt::format("{}: expected measured numbers of {}, found every one of them missing", name,
                             fmt::join(columns, ", ")));
  }
  for (std::size_t column = 0; column < columns.size(); ++column) {
    if (counts[column] == 0) {
      data.notes.push_back(fmt::format("{}: column {} has no number: it counts for nothing", name, columns[column]));
    }
  }
  return data;
}

}  // namespace

Measurements read_measurements(const std::string& path, const SystemInfo& system,
                               const std::vector<std::string>& requested) {
  const CsvFailure fail = [](const std::string& message, ExitCode code) { throw Error(code, message); };
  bool has_members = false;
  CsvTable table = read_csv_table(fail, path, [&](const std::vector<std::string>& names) {
    has_members = omits_members(names, requested);
    return chosen_columns(path, names, system, requested);
  });
  if (table.lines.empty()) refuse_input(path + ":2: expected a row of measured numbers, found none");
  if (has_members) {
    require_one_member(path, table);
    table.names.pop_back();
    table.columns.pop_back();
  }
  const Place place = [&](std::size_t row) {
    return fmt::format("{}:{}: column {}", path, table.lines[row], table.names.front());
  };
  return arranged(path, place, table.columns.front(), {table.names.begin() + 1, table.names.end()},
                  {table.columns.begin() + 1, table.columns.end()});
}

Measurements measurements_of(const std::string& name, const SystemInfo& system, const std::vector<double>& times,
                             const std::vector<std::string>& columns, const std::vector<std::vector<double>>& numbers) {
  if (columns.empty()) refuse_input(name + ": expected a column of a coordinate or rate, found none");
  for (std::size_t i = 0; i < columns.size(); ++i) {
    check_column(name, columns[i], system, true);
    if (numbers[i].size() != times.size()) {
      refuse_input(fmt::format("{}: column {}: expected {} numbers, one a time, found {}", name, columns[i],
                               times.size(), numbers[i].size()));
    }
  }
  if (times.empty()) refuse_input(name + ": expected times and measured numbers, found none");
  const Place place = [&](std::size_t row) { return fmt::format("{}: row {}", name, row); };
  return arranged(name, place, times, columns, numbers);
}

}  // namespace kalaba::fit
