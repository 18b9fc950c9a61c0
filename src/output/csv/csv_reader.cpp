#include "output/csv/csv_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>

#include <string>
#include <string_view>
#include <vector>
#include "kalaba/error.hpp"
#include "kalaba/system.hpp"
#include "output/base/reader.hpp"
#include "output/csv/csv_cells.hpp"
#include "output/durable/checksum.hpp"
#include "output/durable/plain_file.hpp"
#include "output/netcdf/finished.hpp"
#include "text/nan.hpp"
#include "text/parse.hpp"

namespace kalaba {
namespace {

/// Returns the catalogue system whose coordinates and rates are the first names, or nullptr.
const SystemInfo* system_with(const std::vector<std::string>& names) {
  for (const System& system : catalogue()) {
    std::vector<std::string> states = field_layout(system.info, Field::q).components;
    const std::vector<std::string> rates = field_layout(system.info, Field::w).components;
    states.insert(states.end(), rates.begin(), rates.end());
    if (states.size() <= names.size() && std::equal(states.begin(), states.end(), names.begin())) return &system.info;
  }
  return nullptr;
}

bool is_derived(const std::string& name) {
  constexpr std::array prefixes = {"force_",        "ideal_",  "non_ideal_",   "constraint_",
                                   "balance_rate_", "lambda_", "sensitivity_", "lyapunov_"};
  if (std::ranges::any_of(prefixes, [&](const char* prefix) { return name.starts_with(prefix); })) return true;
  constexpr std::array scalars = {Field::residual,   Field::violation,     Field::rank,
                                  Field::sigma_kept, Field::sigma_dropped, Field::energy};
  return std::ranges::any_of(scalars, [&](Field field) { return name == field_name(field); });
}

bool is_rate(const std::string& name) { return name.ends_with("_dot") || name.starts_with("p_"); }

/// Names the constraints by the columns of their values; their number is an upper bound of that of the multipliers.
void name_constraints(const std::vector<std::string>& names, SystemInfo& system) {
  system.constraints.clear();
  constexpr std::string_view prefix = "constraint_";
  for (const std::string& name : names) {
    if (name.starts_with(prefix) && !name.starts_with("constraint_rate_")) {
      system.constraints.push_back({name.substr(prefix.size()), "", 0, ""});
    }
  }
  system.constraints.resize(names.size());  // upper bound of the multipliers
}

/// Returns the most plausible system for the names, if none of the catalogue fits. Without a name as rates have, as
/// many names are rates as coordinates.
SystemInfo guessed_system(const std::vector<std::string>& names) {
  SystemInfo system;
  const auto states = static_cast<std::size_t>(std::ranges::find_if(names, is_derived) - names.begin());
  const auto first_rate = static_cast<std::size_t>(std::ranges::find_if(names, is_rate) - names.begin());
  const std::size_t coordinates = first_rate < states ? first_rate : (states + 1) / 2;
  for (std::size_t i = 0; i < states; ++i) {
    (i < coordinates ? system.coordinates : system.rates).push_back({names[i], "", 0, ""});
  }
  name_constraints(names, system);
  system.has_energy = true;
  return system;
}

void add_exponents(const std::vector<std::string>& names, SystemInfo& system) {
  for (const std::string& name : names) {
    if (name.starts_with("lyapunov_")) system.exponents.push_back({name, "1/s", 0, ""});
  }
}

}  // namespace

std::vector<std::string> component_names(const SystemInfo& system) {
  std::vector<std::string> names;
  for (const Field field : all_fields) {
    const FieldLayout layout = field_layout(system, field);
    names.insert(names.end(), layout.components.begin(), layout.components.end());
  }
  return names;
}

namespace {

/// Adds names that are components of no other field to the invariants.
void add_invariants(const std::vector<std::string>& names, SystemInfo& system) {
  const std::vector<std::string> known = component_names(system);
  for (const std::string& name : names) {
    if (!is_derived(name) && std::ranges::count(known, name) == 0) system.invariants.push_back({name, "", 0, ""});
  }
}

}  // namespace

std::vector<std::string> csv_sensitivities(const std::vector<std::string>& names) {
  std::vector<std::string> derivatives;
  for (const std::string& name : names) {
    if (name.starts_with("sensitivity_")) derivatives.push_back(name);
  }
  std::vector<std::string> along;
  for (std::size_t i = 0; i < names.size() && along.empty() && !derivatives.empty(); ++i) {
    const std::string prefix = "sensitivity_" + names[i] + "_to_";
    for (const std::string& each : derivatives) {
      if (each.starts_with(prefix)) along.push_back(each.substr(prefix.size()));
    }
  }
  return along;
}

std::vector<Column> csv_columns(const std::vector<std::string>& names) {
  const SystemInfo* known = system_with(names);
  SystemInfo system = known != nullptr ? *known : guessed_system(names);
  // A system with the same coordinates and rates may have other constraints, and no energy.
  system.has_energy = true;
  const std::vector<std::string> components = component_names(system);
  const auto is_other = [&](const std::string& name) {
    const bool is_of_constraint = name.starts_with("constraint_") || name.starts_with("lambda_");
    return is_of_constraint && std::ranges::count(components, name) == 0;
  };
  if (std::ranges::any_of(names, is_other)) name_constraints(names, system);
  for (const std::string& name : csv_sensitivities(names)) system.sensitivities.push_back({name, "", 0, ""});
  add_exponents(names, system);
  add_invariants(names, system);
  std::vector<Column> columns;
  for (const std::string& name : names) columns.push_back({name, "", Field::invariants, -1});
  for (Field field : all_fields) {
    const FieldLayout layout = field_layout(system, field);
    for (std::size_t i = 0; i < layout.components.size(); ++i) {
      const auto column = std::ranges::find(columns, layout.components[i], &Column::name);
      if (column != columns.end()) {
        *column = {column->name, layout.units[i], field, static_cast<int>(i), layout.is_held(i)};
      }
    }
  }
  auto others = static_cast<int>(system.invariants.size());
  for (Column& column : columns) {
    if (column.component < 0) column.component = others++;
  }
  return columns;
}

namespace {

class CsvReader final : public Reader {
 public:
  explicit CsvReader(const std::string& path) : path_(path), file_(path), rows_(file_.bytes()) {
    std::vector<std::string> names = take_header(path, rows_, {"member", "time"});
    if (names.size() > 2 && names[2] == "agent") {
      fail(1,
           "expected a row a member and time, found a swarm's table, with a row an agent too; kalaba plot and kalaba "
           "report draw swarms from .nc files");
    }
    names.erase(names.begin(), names.begin() + 2);
    contents_.unfinished = unfinished_table_reason(path);
    check_table(path);
    contents_.columns = csv_columns(names);
    read_first_member();
    require_line_end(path, rows_);
    std::string_view last = rows_;
    last.remove_suffix(1);
    last.remove_prefix(last.rfind('\n') + 1);
    const long last_member = member_of(take_until(last, ','), 0);
    if (last_member > static_cast<long>(rows_.size())) fail(0, fmt::format("there are no {} members", last_member));
    contents_.members = last_member + 1 - first_;
    contents_.first_member = first_;
    const double time = number_of(take_until(last, ','), 0);
    if (contents_.unfinished.empty() && time < contents_.times.back()) {
      fail(0, fmt::format("expected the last saved time, {}, found {}: the file was cut off", contents_.times.back(),
                          time));
    }
    require_members(last_member);
    read_until_.rest = rows_;
  }

  const Contents& contents() const override { return contents_; }

  std::vector<std::vector<double>> read(const Selection& selection) override {
    std::vector<std::vector<double>> values(
        selection.columns.size(), std::vector<double>(selection.times.size() * selection.members.size(), nan));
    if (selection.members.empty()) return values;
    Place place = selection.members.front() > read_until_.member ? read_until_ : Place{rows_};
    while (!place.rest.empty()) {
      std::string_view rest = place.rest;
      std::string_view row = take_until(rest, '\n');
      const long member = member_of(take_until(row, ','), place.line + 1) - first_;
      if (member > selection.members.back() && member > place.member && member < contents_.members) break;
      place.rest = rest;
      ++place.line;
      advance(place, member, selection);
      check_time(take_until(row, ','), place);
      if (place.selected(selection)) read_row(row, selection, place, values);
    }
    if (place.rest.empty()) require_all_rows(place);
    place.member_slot = 0;
    read_until_ = place;
    return values;
  }

 private:
  /// Position of a pass over the rows.
  struct Place {
    std::string_view rest;  // rows that are not yet read
    long line = 1;          // of the last row
    long member = -1;
    long time = -1;               // index of the member's row
    std::size_t member_slot = 0;  // first selected member not before `member`
    std::size_t time_slot = 0;

    bool selected(const Selection& selection) const {
      return member_slot < selection.members.size() && selection.members[member_slot] == member &&
             time_slot < selection.times.size() && selection.times[time_slot] == time;
    }
  };

  void advance(Place& place, long member, const Selection& selection) const {
    if (member < place.member || member >= contents_.members) {
      fail(place.line, fmt::format("member {} is out of order: rows go member by member", member));
    }
    if (member != place.member) {
      if (member > place.member + 1) {
        fail(place.line, fmt::format("expected a row of member {}, found one of member {}: rows are missing",
                                     place.member + 1 + first_, member + first_));
      }
      require_all_rows(place);
      place.time = -1;
      place.time_slot = 0;
    }
    place.member = member;
    if (++place.time >= static_cast<long>(contents_.times.size())) {
      fail(place.line,
           fmt::format("member {} has more rows than the first member's {}", member, contents_.times.size()));
    }
    const auto& members = selection.members;
    while (place.member_slot < members.size() && members[place.member_slot] < member) ++place.member_slot;
    const auto& times = selection.times;
    while (place.time_slot < times.size() && times[place.time_slot] < place.time) ++place.time_slot;
  }

  /// Throws if a member of a finished run has fewer rows than the first one.
  void require_all_rows(const Place& place) const {
    const auto expected = static_cast<long>(contents_.times.size());
    if (place.member < 0 || place.time + 1 == expected || !contents_.unfinished.empty()) return;
    fail(place.line, fmt::format("member {} has {} of {} rows up to here: rows are missing", place.member + first_,
                                 place.time + 1, expected));
  }

  /// Throws if the time of a row is not that of the first member's row.
  void check_time(std::string_view text, const Place& place) const {
    const auto row = static_cast<std::size_t>(place.time);
    if (text == time_texts_[row] || number_of(text, place.line) == contents_.times[row]) return;
    fail(place.line,
         fmt::format("expected the time {}, that of row {} of the first member, found {}: rows are missing or "
                     "out of order",
                     time_texts_[row], place.time + 1, text));
  }

  void read_row(std::string_view row, const Selection& selection, const Place& place,
                std::vector<std::vector<double>>& values) const {
    const std::size_t at = place.time_slot * selection.members.size() + place.member_slot;
    const std::size_t columns = contents_.columns.size();
    std::size_t slot = 0;
    std::size_t column = 0;
    for (; slot < selection.columns.size(); ++column) {
      if (row.empty()) fail(place.line, fmt::format("expected {} columns, found {}", columns + 2, column + 2));
      const std::string_view text = take_until(row, ',');
      if (column == selection.columns[slot]) values[slot++][at] = number_of(text, place.line);
    }
    if (column == columns && !row.empty()) {
      fail(place.line, fmt::format("expected {} columns, found more: \"{}\"", columns + 2, row.substr(0, 40)));
    }
  }

  /// Throws if the run's table of members has more members.
  void require_members(long last_member) const {
    const std::string beside = std::filesystem::path(path_).replace_extension(".members.csv").string();
    std::error_code ignored;
    if (!std::filesystem::is_regular_file(beside, ignored)) return;
    const MappedFile table(beside);
    std::string_view last = table.bytes();
    if (!last.starts_with("member,") || !last.ends_with('\n')) return;
    last.remove_suffix(1);
    last.remove_prefix(last.rfind('\n') + 1);
    const std::optional<long> expected = parse_number<long>(take_until(last, ','));
    if (!expected || *expected <= last_member) return;
    fail(0, fmt::format("expected member {}, the last one in {}, found {}: members are missing", *expected, beside,
                        last_member));
  }

  void read_first_member() {
    std::string_view rest = rows_;
    long line = 1;
    while (!rest.empty()) {
      std::string_view row = take_until(rest, '\n');
      const long member = member_of(take_until(row, ','), ++line);
      if (line == 2) first_ = member;
      if (member != first_) break;
      time_texts_.push_back(take_until(row, ','));
      contents_.times.push_back(number_of(time_texts_.back(), line));
    }
    if (contents_.times.empty()) fail(2, "expected the rows of a member, found none");
  }

  long member_of(std::string_view text, long line) const {
    const std::optional<long> member = parse_number<long>(text);
    if (!member || *member < 0) fail(line, fmt::format("expected a member number, found \"{}\"", text.substr(0, 40)));
    return *member;
  }

  double number_of(std::string_view text, long line) const {
    const std::optional<double> number = parse_number<double>(text);
    if (!number) fail(line, fmt::format("expected a number, found \"{}\"", text.substr(0, 40)));
    return *number;
  }

  /// Line 0 denotes the last line.
  [[noreturn]] void fail(long line, const std::string& message) const { refuse_line(path_, line, message); }

  std::string path_;
  MappedFile file_;
  std::string_view rows_;  // without the header
  Contents contents_;
  std::vector<std::string_view> time_texts_;  // of contents_.times
  Place read_until_;                          // end of the last pass, from which one of later members continues
  long first_ = 0;                            // member number, if the table holds a part of an ensemble
};

}  // namespace

std::unique_ptr<Reader> open_csv(const std::string& path) { return std::make_unique<CsvReader>(path); }

}  // namespace kalaba
