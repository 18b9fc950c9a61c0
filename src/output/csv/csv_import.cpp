#include "output/csv/csv_import.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <memory>
#include <optional>

#include "kalaba/core/model/method.hpp"
#include "kalaba/core/model/status.hpp"
#include "kalaba/error.hpp"
#include "output/base/parameter_names.hpp"
#include "output/base/sink.hpp"
#include "output/csv/csv_cells.hpp"
#include "output/csv/csv_reader.hpp"
#include "output/csv/run_table.hpp"
#include "output/csv/statistics_csv.hpp"
#include "output/netcdf/array_dataset.hpp"
#include "text/encodings.hpp"
#include "text/nan.hpp"
#include "text/nearest.hpp"

namespace kalaba {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t first_number_of_events = 2;  // column of their table, behind member and event

constexpr const char* usual_absence =
    "CSV tables do not contain units, the scenario and its seed, the equations, the drawing of a mechanism, reasons of "
    "failures, conditions of events, the number of starts that were moved onto the constraints, the design of the "
    "members (Sobol' indices are left out), program version, device and wall time";

/// Path of another table of the run: NAME.members.csv, or members.csv beside trajectories.csv.
std::string beside(const std::string& path, const std::string& kind) {
  const fs::path table(path);
  const fs::path own = fs::path(table).replace_extension("." + kind + ".csv");
  if (table.filename() != "trajectories.csv" || fs::exists(own)) return own.string();
  return (table.parent_path() / (kind + ".csv")).string();
}

bool exists(const std::string& path) {
  std::error_code failure;
  return fs::exists(path, failure);
}

std::string file_name(const std::string& path) { return fs::path(path).filename().string(); }

void add_name(std::vector<Variable>& variables, const std::string& name) {
  if (std::ranges::count(variables, name, &Variable::name) == 0) variables.push_back({name, "", 0, ""});
}

Status status_of(const RunTable& table, std::size_t column) {
  std::vector<std::string> names;
  for (int i = 0; i < status_count; ++i) {
    names.emplace_back(status_name(static_cast<Status>(i)));
    if (table.cell(column) == names.back()) return static_cast<Status>(i);
  }
  const std::string found = shown_text(table.cell(column).substr(0, 40));
  table.refuse(fmt::format("expected a status, found \"{}\"{}", found, suggestion(found, names)));
}

/// Columns of the table of members.
struct MemberColumns {
  struct Start {
    bool is_rate;
    std::size_t index;
    std::size_t drawn;
    std::size_t projected;  ///< number of columns: none
  };

  std::size_t status = 0;
  std::size_t failure_time = 0;
  std::vector<std::pair<std::vector<double> Block::*, std::size_t>> counters;
  std::vector<std::size_t> parameters;
  std::vector<Start> starts;
};

/// Component of a field of a block's observation, and its column in the reader.
struct FieldColumn {
  Field field;
  std::size_t row;
  std::size_t column;
};

class Import {
 public:
  Import(const std::string& path, const std::string& netcdf_path, std::size_t numbers_at_once)
      : path_(path),
        netcdf_path_(netcdf_path),
        numbers_at_once_(numbers_at_once),
        reader_(open_csv(path)),
        contents_(reader_->contents()) {
    result_.files.push_back(file_name(path));
    names_ = names_of(contents_.columns);
    run_.options.fields = {};
    if (!contents_.unfinished.empty()) {
      throw Error(ExitCode::file_error, fmt::format("{}: {}", path, contents_.unfinished));
    }
    open_members();
    open_events();
    name_states();
    name_fields();
    name_members();
    check_events();
    name_discrete();
    read_statistics();
  }

  ImportedTables write() {
    system_.name = result_.files.front();
    run_.system = &system_;
    run_.members = contents_.members;
    run_.times = contents_.times;
    run_.options.trajectories = true;
    run_.first_member = contents_.first_member;
    // The least size of an ensemble that contains these members.
    if (contents_.first_member > 0) run_.ensemble_members = contents_.first_member + contents_.members;
    Provenance provenance;
    provenance.varied_starts = result_.varied_starts;
    const std::size_t each = std::max<std::size_t>(contents_.columns.size() * contents_.times.size(), 1);
    // In memory the many small writes of few members at many times take a tenth of the time.
    const bool fits = each * static_cast<std::size_t>(contents_.members) <= 8 * numbers_at_once_;
    const auto dataset = std::make_shared<ArrayDataset>();
    std::unique_ptr<Sink> sink = make_array_sink(dataset, provenance);
    if (!fits) sink = open_sink(netcdf_path_, provenance);
    sink->begin(run_);
    const auto most = static_cast<long>(std::max<std::size_t>(numbers_at_once_ / each, 1));
    const long capacity = std::min(most, contents_.members);
    Block block(static_cast<int>(system_.parameters.size()), static_cast<int>(system_.coordinates.size()),
                static_cast<int>(system_.rates.size()), capacity, Block::alignment,
                static_cast<int>(run_.options.events.size()), event_columns());
    for (long first = 0; first < contents_.members; first += capacity) {
      block.assign(contents_.first_member + first, std::min(capacity, contents_.members - first));
      write_block(block, first, *sink);
    }
    members_->require_end();
    if (events_) events_->require_end();
    summary_.members = summary_.finished_members = contents_.members;
    summary_.seconds = nan;
    if (!has_violation_) summary_.worst_violation = nan;
    sink->finish(summary_);
    if (fits) write_netcdf(*dataset, netcdf_path_);
    result_.absent = absence();
    return std::move(result_);
  }

 private:
  void open_members() {
    const std::string table = beside(path_, "members");
    if (!exists(table)) {
      throw Error(ExitCode::file_error,
                  fmt::format("{}: expected its table of members, {}, which contains the status of every member: there "
                              "is no such file",
                              path_, table));
    }
    members_.emplace(table, std::vector<std::string>{"member", "status", "failure_time"});
    result_.files.push_back(file_name(table));
  }

  /// Opens the table of events, if there is one, and reads the names of events and states from it.
  void open_events() {
    const std::string table = beside(path_, "events");
    if (!exists(table)) return;
    const std::vector<std::string> first = {"member", "event", "count", "time", "last_time"};
    events_.emplace(table, first);
    result_.files.push_back(file_name(table));
    states_.assign(events_->names().begin() + static_cast<long>(first.size()), events_->names().end());
    const auto derivative =
        std::ranges::find_if(states_, [](const auto& name) { return name.starts_with("sensitivity_time_to_"); });
    for (auto name = derivative; name != states_.end() && name->starts_with("sensitivity_time_to_"); ++name) {
      add_name(system_.sensitivities, name->substr(std::string_view("sensitivity_time_to_").size()));
    }
    states_.erase(derivative, states_.end());
    RunTable names(table, first);
    std::string member;
    while (names.next()) {
      if (member.empty()) member = names.cell(0);
      if (names.cell(0) != member) break;
      const std::string name(names.cell(1));
      if (std::ranges::count(run_.options.events, name, &Event::name) > 0) {
        names.refuse(fmt::format("expected one row of the event {} for a member, found two", shown_text(name)));
      }
      run_.options.events.emplace_back().name = name;
      summary_.events.emplace_back().name = name;
    }
    if (run_.options.events.empty()) {
      throw Error(ExitCode::file_error, table + ": the last line: expected a row of every member, found none");
    }
  }

  void name_states() {
    for (const Column& column : csv_columns(states_)) {
      add_name(column.field == Field::w ? system_.rates : system_.coordinates, column.name);
    }
    for (Column& column : contents_.columns) {
      const bool is_state = column.field == Field::q || column.field == Field::w;
      if (is_state && states_.empty())
        add_name(column.field == Field::q ? system_.coordinates : system_.rates, column.name);
      const bool is_coordinate = std::ranges::count(system_.coordinates, column.name, &Variable::name) > 0;
      const bool is_known = is_coordinate || std::ranges::count(system_.rates, column.name, &Variable::name) > 0;
      if (is_known) column.field = is_coordinate ? Field::q : Field::w;
      if (is_state && !is_known) column.field = Field::invariants;
    }
    for (const std::string& name : members_->names()) {
      constexpr std::string_view prefix = "projected_";
      if (!name.starts_with(prefix)) continue;
      const std::string own = name.substr(prefix.size());
      const bool is_rate = std::ranges::count(system_.rates, own, &Variable::name) > 0;
      const bool is_start = members_->find("initial_" + own) < members_->names().size();
      if (!is_rate && is_start) add_name(system_.coordinates, own);
    }
  }

  /// Names constraints, invariants, sensitivities and exponents, and selects the saved fields.
  void name_fields() {
    std::size_t multipliers = 0;
    for (const Column& column : contents_.columns) {
      constexpr std::string_view constraint = "constraint_";
      if (column.field == Field::constraints) add_name(system_.constraints, column.name.substr(constraint.size()));
      if (column.field == Field::invariants) add_name(system_.invariants, column.name);
      if (column.field == Field::lyapunov_exponents) system_.exponents.push_back({column.name, "1/s", 0, ""});
      if (column.field == Field::energy) system_.has_energy = true;
      if (column.field == Field::multipliers) {
        multipliers = std::max(multipliers, static_cast<std::size_t>(column.component) + 1);
      }
    }
    for (const std::string& name : csv_sensitivities(names_)) add_name(system_.sensitivities, name);
    run_.options.project_start =
        std::ranges::any_of(members_->names(), [](const std::string& name) { return name.starts_with("projected_"); });
    if (run_.options.project_start) multipliers = std::max<std::size_t>(multipliers, 1);
    while (system_.constraints.size() < multipliers) {
      system_.constraints.push_back({fmt::format("row {}", system_.constraints.size() + 1), "", 0, ""});
    }
    const std::vector<std::string> known = component_names(system_);
    for (const std::string& name : names_) {
      if (std::ranges::count(known, name) == 0) add_name(system_.invariants, name);
    }
    std::vector<bool> taken(contents_.columns.size());
    const auto column_of = [&](const std::string& name) {
      return static_cast<std::size_t>(std::ranges::find(names_, name) - names_.begin());
    };
    for (const Field field : all_fields) {
      const FieldLayout layout = field_layout(system_, field);
      std::vector<std::string> found;
      for (std::size_t i = 0; i < layout.components.size(); ++i) {
        const std::size_t column = column_of(layout.components[i]);
        if (column == taken.size() || taken[column]) continue;
        taken[column] = true;
        columns_.push_back({field, i, column});
        found.push_back(layout.components[i]);
      }
      if (found.empty()) continue;
      if (found.size() == layout.components.size()) found.clear();  // the whole field
      run_.options.fields.add(field);
      for (const std::string& name : found) run_.options.fields.add_component(field, name);
    }
    has_violation_ = run_.options.fields.has(Field::violation);
  }

  /// Identifies the columns of the table of members.
  void name_members() {
    const std::vector<std::string>& names = members_->names();
    const std::size_t none = names.size();
    MemberColumns& columns = member_columns_;
    columns.status = members_->find("status");
    columns.failure_time = members_->find("failure_time");
    // The counters of a file depend on whether its integrator is adaptive, and on nothing else of it.
    const bool is_adaptive = members_->find("accepted_steps") < none;
    const auto* const integrator = std::ranges::find(integrators, is_adaptive, &IntegratorFacts::adapts);
    run_.options.method.integrator = static_cast<Integrator>(integrator - integrators);
    std::vector<bool> taken(none);
    taken[0] = taken[columns.status] = taken[columns.failure_time] = true;
    for (const BlockCounter& counter : saved_counters(run_.options.method.integrator)) {
      const std::size_t column = members_->find(counter.name);
      if (column == none) {
        refuse_line(members_->path(), 1, fmt::format("expected the column {}", counter.name));
      }
      taken[column] = true;
      columns.counters.emplace_back(counter.values, column);
    }
    const auto add_starts = [&](const std::vector<Variable>& variables, bool is_rate) {
      for (std::size_t i = 0; i < variables.size(); ++i) {
        const std::size_t drawn = members_->find("initial_" + variables[i].name);
        if (drawn == none) continue;
        const std::size_t projected = members_->find("projected_" + variables[i].name);
        if (run_.options.project_start && projected == none) {
          refuse_line(
              members_->path(), 1,
              fmt::format("expected the column projected_{} behind initial_{}", variables[i].name, variables[i].name));
        }
        taken[drawn] = true;
        if (projected < none) taken[projected] = true;
        columns.starts.push_back({is_rate, i, drawn, projected});
        result_.varied_starts.push_back(variables[i].name);
      }
    };
    add_starts(system_.coordinates, false);
    add_starts(system_.rates, true);
    const std::size_t repetition = members_->find("repetition");
    if (repetition < none) taken[repetition] = true;
    for (std::size_t i = 0; i < none; ++i) {
      if (taken[i]) continue;
      columns.parameters.push_back(i);
      system_.parameters.push_back({names[i], "", 0, ""});
    }
  }

  /// Marks invariants whose numbers are all whole as discrete variables: tables do not name these.
  void name_discrete() {
    std::vector<FieldColumn> others;
    Selection selection;
    for (const FieldColumn& each : columns_) {
      if (each.field == Field::invariants) others.push_back(each);
    }
    std::ranges::sort(others, {}, &FieldColumn::column);
    for (const FieldColumn& each : others) selection.columns.push_back(each.column);
    if (others.empty()) return;
    std::vector<bool> is_whole(others.size(), true);
    const auto times = static_cast<long>(contents_.times.size());
    selection.times = numbers_from(0, times);
    const auto most =
        static_cast<long>(std::max<std::size_t>(numbers_at_once_ / (others.size() * contents_.times.size()), 1));
    for (long first = 0; first < contents_.members; first += most) {
      selection.members = numbers_from(first, std::min(most, contents_.members - first));
      const std::vector<std::vector<double>> values = reader_->read(selection);
      for (std::size_t i = 0; i < values.size(); ++i) {
        is_whole[i] = is_whole[i] && std::ranges::none_of(values[i], [](double value) {
                        return std::isfinite(value) && std::trunc(value) != value;
                      });
      }
    }
    for (std::size_t i = 0; i < others.size(); ++i) {
      if (!is_whole[i]) continue;
      system_.parameters.push_back({contents_.columns[others[i].column].name, "", 0, ""});
      ++system_.discrete;
    }
  }

  /// Throws if the table of events does not have the columns of these coordinates, rates and sensitivities.
  void check_events() const {
    if (!events_) return;
    const EventRows rows = {static_cast<int>(system_.coordinates.size()), static_cast<int>(system_.rates.size()),
                            event_columns()};
    const std::size_t expected = first_number_of_events + static_cast<std::size_t>(rows.each());
    if (events_->names().size() == expected) return;
    refuse_line(events_->path(), 1,
                fmt::format("expected {} columns, for {} coordinates and rates and {} sensitivities; found {}",
                            expected, rows.coordinates + rows.rates, rows.columns, events_->names().size()));
  }

  void read_statistics() {
    const std::string table = beside(path_, "statistics");
    if (!exists(table)) return;
    result_.statistics = read_statistics_table(table);
    result_.files.push_back(file_name(table));
    if (result_.statistics.times != contents_.times) {
      throw Error(
          ExitCode::file_error,
          fmt::format("{}: expected the {} saved times of {}, found {} others: the tables are of different runs", table,
                      contents_.times.size(), path_, result_.statistics.times.size()));
    }
    for (const FieldStatistics& field : result_.statistics.fields) {
      for (const std::string& name : field.layout.components) {
        if (std::ranges::count(names_, name) > 0) continue;
        refuse_line(path_, 1,
                    fmt::format("expected the column {}, of which {} has statistics; found none of that name{}",
                                shown_text(name), file_name(table), suggestion(name, names_)));
      }
    }
  }

  int event_columns() const { return events_ ? static_cast<int>(system_.sensitivities.size()) : 0; }

  void write_block(Block& block, long first, Sink& sink) {
    read_members(block);
    put_starts(block, false);
    sink.begin_block(block);
    put_starts(block, true);
    sink.begin_motion(block);
    Selection selection;
    for (std::size_t i = 0; i < contents_.columns.size(); ++i) selection.columns.push_back(i);
    selection.times = numbers_from(0, static_cast<long>(contents_.times.size()));
    selection.members = numbers_from(first, block.members);
    const std::vector<std::vector<double>> values = reader_->read(selection);
    Observation observation;
    for (const Field field : run_fields()) {
      observation.values[static_cast<std::size_t>(field)].assign(
          field_layout(system_, field).size() * static_cast<std::size_t>(block.stride), nan);
    }
    const auto members = static_cast<std::size_t>(block.members);
    for (std::size_t time = 0; time < contents_.times.size(); ++time) {
      for (const FieldColumn& each : columns_) {
        const auto from = values[each.column].begin() + static_cast<long>(time * members);
        std::vector<double>& all = observation.values[static_cast<std::size_t>(each.field)];
        std::copy(from, from + block.members, all.begin() + static_cast<long>(each.row) * block.stride);
        if (each.field != Field::violation) continue;
        for (std::size_t i = 0; i < members; ++i) {
          summary_.worst_violation = std::fmax(summary_.worst_violation, from[static_cast<long>(i)]);
        }
      }
      sink.write({static_cast<long>(time), contents_.times[time], block, observation});
    }
    if (events_) read_events(block);
    sink.end_block(block);
  }

  std::vector<Field> run_fields() const {
    std::vector<Field> fields;
    for (const Field field : all_fields) {
      if (run_.options.fields.has(field)) fields.push_back(field);
    }
    return fields;
  }

  void read_members(Block& block) {
    drawn_.assign(member_columns_.starts.size(), {});
    projected_.assign(member_columns_.starts.size(), {});
    for (long member = 0; member < block.members; ++member) {
      const auto at = static_cast<std::size_t>(member);
      members_->next_of(block.first + member);
      block.status[at] = status_of(*members_, member_columns_.status);
      const auto status = static_cast<std::size_t>(block.status[at]);
      ++summary_.by_status[status];
      long& first_failed = summary_.first_failures[status].member;
      if (is_failure(block.status[at]) && first_failed < 0) first_failed = block.first + member;
      block.failure_time[at] = members_->number(member_columns_.failure_time);
      for (const auto& [values, column] : member_columns_.counters) (block.*values)[at] = members_->number(column);
      for (std::size_t i = 0; i < member_columns_.parameters.size(); ++i) {
        block.parameter(static_cast<int>(i))[at] = members_->number(member_columns_.parameters[i]);
      }
      for (std::size_t i = 0; i < member_columns_.starts.size(); ++i) {
        const MemberColumns::Start& start = member_columns_.starts[i];
        drawn_[i].push_back(members_->number(start.drawn));
        if (run_.options.project_start) projected_[i].push_back(members_->number(start.projected));
      }
    }
  }

  void put_starts(Block& block, bool projected) {
    if (projected && !run_.options.project_start) return;
    for (std::size_t i = 0; i < member_columns_.starts.size(); ++i) {
      const MemberColumns::Start& start = member_columns_.starts[i];
      const auto index = static_cast<int>(start.index);
      std::ranges::copy(projected ? projected_[i] : drawn_[i],
                        (start.is_rate ? block.rate(index) : block.coordinate(index)).begin());
    }
  }

  void read_events(Block& block) {
    const EventRows rows = block.event_rows();
    for (long member = 0; member < block.members; ++member) {
      for (int event = 0; event < block.event_count; ++event) {
        events_->next_of(block.first + member);
        EventOutcome& outcome = summary_.events[static_cast<std::size_t>(event)];
        if (events_->cell(1) != outcome.name) {
          events_->refuse(fmt::format("expected the event {}, found \"{}\"", outcome.name,
                                      shown_text(events_->cell(1).substr(0, 40))));
        }
        double* const first = block.events.data() + rows.count(event) * block.stride + member;
        for (int i = 0; i < rows.each(); ++i) {
          first[i * block.stride] = events_->number(first_number_of_events + static_cast<std::size_t>(i));
        }
        const double count = first[0];
        const double time = first[block.stride];
        outcome.crossings += count;
        if (!std::isfinite(time)) continue;
        ++outcome.members;
        outcome.earliest = std::fmin(outcome.earliest, time);
        outcome.latest = std::fmax(outcome.latest, time);
      }
    }
  }

  std::string absence() const {
    std::string text = usual_absence;
    if (!has_violation_) text += "; these do not contain the worst violation of the constraints either";
    return text + ". Coordinates and rates are distinguished by the names of the columns.";
  }

  std::string path_;
  std::string netcdf_path_;
  std::size_t numbers_at_once_;
  std::unique_ptr<Reader> reader_;
  Contents contents_;
  std::optional<RunTable> members_;
  std::optional<RunTable> events_;
  std::vector<std::string> names_;   // of the columns
  std::vector<std::string> states_;  // coordinates and rates that the table of events names
  std::vector<FieldColumn> columns_;
  MemberColumns member_columns_;
  std::vector<std::vector<double>> drawn_;      // of the current block, [start][member]
  std::vector<std::vector<double>> projected_;  // likewise
  bool has_violation_ = false;
  SystemInfo system_;
  RunInfo run_;
  Summary summary_;
  ImportedTables result_;
};

/// Writes a file with the saved times only.
ImportedTables import_statistics(const std::string& path, const std::string& netcdf_path) {
  ImportedTables result;
  result.files = {file_name(path)};
  result.statistics = read_statistics_table(path);
  result.has_members = false;
  result.absent = std::string(usual_absence) + ". The run saved statistics only: the number of its members is unknown";
  if (exists(beside(path, "events"))) result.absent += ", and its table of events is not shown";
  result.absent += ".";
  SystemInfo system;
  system.name = result.files.front();
  RunInfo run;
  run.system = &system;
  run.members = 1;
  run.times = result.statistics.times;
  run.options.trajectories = false;
  const std::unique_ptr<FileSink> sink = open_sink(netcdf_path, {});
  sink->begin(run);
  Summary summary;
  summary.seconds = nan;
  summary.worst_violation = nan;
  sink->finish(summary);
  return result;
}

}  // namespace

ImportedTables import_csv(const std::string& path, const std::string& netcdf_path, std::size_t numbers_at_once) {
  if (is_statistics_table(path)) return import_statistics(path, netcdf_path);
  return Import(path, netcdf_path, numbers_at_once).write();
}

}  // namespace kalaba
