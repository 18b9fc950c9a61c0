#include "output/export/csv_export.hpp"

#include <fmt/compile.h>
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <numeric>

#include "kalaba/core/model/status.hpp"
#include "kalaba/error.hpp"
#include "output/base/reader.hpp"
#include "output/csv/csv_rows.hpp"
#include "output/csv/events_csv.hpp"
#include "output/csv/statistics_csv.hpp"
#include "output/durable/pending_file.hpp"
#include "output/netcdf/netcdf_statistics.hpp"
#include "text/encodings.hpp"

namespace kalaba {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t flush_bytes = std::size_t{1} << 20;
constexpr std::size_t piece_numbers = std::size_t{1} << 22;  // held at once

/// Table being written; text goes to the file in large pieces.
class Table {
 public:
  explicit Table(const std::string& path) : file_(path) {}

  void add(std::string_view text) { text_ += text; }
  void add_cell(std::string_view text) { add("," + csv_cell(text)); }
  void add_number(double value) { append_number(text_, value); }
  void add_integer(long value) { fmt::format_to(std::back_inserter(text_), FMT_COMPILE("{}"), value); }
  void end_row() {
    text_ += '\n';
    if (text_.size() > flush_bytes) flush();
  }
  void publish() {
    flush();
    file_.publish();
  }

 private:
  void flush() {
    file_.write(text_);
    text_.clear();
  }

  PendingFile file_;
  std::string text_;
};

void write_trajectories(Reader& reader, long members, const std::string& path) {
  Table table(path);
  const Contents& contents = reader.contents();
  table.add("member,time");
  for (const Column& column : contents.columns) table.add_cell(column.name);
  table.end_row();
  Selection selection;
  selection.columns.resize(contents.columns.size());
  std::iota(selection.columns.begin(), selection.columns.end(), std::size_t{0});
  selection.times = numbers_from(0, static_cast<long>(contents.times.size()));
  const std::size_t each = std::max<std::size_t>(selection.columns.size() * selection.times.size(), 1);
  const auto most = static_cast<long>(std::max<std::size_t>(piece_numbers / each, 1));
  for (long first = 0; first < members; first += most) {
    const auto count = static_cast<std::size_t>(std::min(most, members - first));
    selection.members = numbers_from(first, static_cast<long>(count));
    const std::vector<std::vector<double>> values = reader.read(selection);
    for (std::size_t member = 0; member < count; ++member) {
      for (std::size_t time = 0; time < contents.times.size(); ++time) {
        table.add_integer(selection.members[member]);
        table.add_number(contents.times[time]);
        for (const std::vector<double>& column : values) table.add_number(column[time * count + member]);
        table.end_row();
      }
    }
  }
  table.publish();
}

/// Component of a field in the file; for swarms one of the swarm or of its agents.
struct FieldColumn {
  std::string name;
  const FileVariable* variable;
  std::size_t component;

  bool is_by_agent() const { return std::ranges::count(variable->dimensions, "agent") > 0; }
};

/// Range of saved times and swarms of a file.
struct Piece {
  std::size_t time, times;
  std::size_t swarm, swarms;

  /// Reads [time][agent, if the field has agents][swarm].
  std::vector<double> read(const Archive& archive, const FieldColumn& column) const {
    std::vector<std::size_t> start;
    std::vector<std::size_t> count = column.variable->shape;
    for (std::size_t i = 0; i < count.size(); ++i) {
      const std::string& name = column.variable->dimensions[i];
      start.push_back(name == "time" ? time : name == "member" ? swarm : name == "agent" ? 0 : column.component);
      if (name != "agent") count[i] = name == "time" ? times : name == "member" ? swarms : 1;
    }
    return archive.numbers(column.variable->name, start, count);
  }
};

std::vector<FieldColumn> field_columns(const Archive& archive) {
  std::vector<FieldColumn> columns;
  for (const FieldLayout& layout : archive.layouts()) {
    const FileVariable* const variable = archive.inventory().find(layout.name);
    for (std::size_t i = 0; variable != nullptr && i < layout.components.size(); ++i) {
      columns.push_back({layout.components[i], variable, i});
    }
  }
  return columns;
}

/// Writes one row per swarm, saved time and agent, as in a run's CSV file; columns without a value per agent contain
/// the swarm's value.
void write_agents(const Archive& archive, const std::vector<double>& saved, const std::string& path) {
  const std::vector<FieldColumn> columns = field_columns(archive);
  Table table(path);
  table.add("member,time,agent");
  for (const FieldColumn& column : columns) table.add_cell(column.name);
  table.end_row();
  const auto agents = static_cast<std::size_t>(archive.labels().agents);
  const std::size_t members = columns.front().variable->shape.back();
  const std::size_t most = std::max<std::size_t>(piece_numbers / (columns.size() * agents), 1);  // times of swarms
  const std::size_t times = std::min(most, saved.size());
  const std::size_t swarms = times < saved.size() ? 1 : most / times;
  for (Piece piece = {0, times, 0, swarms}; piece.swarm < members;) {
    piece.times = std::min(times, saved.size() - piece.time);
    piece.swarms = std::min(swarms, members - piece.swarm);
    std::vector<std::vector<double>> values;
    for (const FieldColumn& column : columns) values.push_back(piece.read(archive, column));
    for (std::size_t row = 0; row < piece.swarms * piece.times * agents; ++row) {
      const std::size_t swarm = row / agents / piece.times;
      const std::size_t time = row / agents % piece.times;
      table.add_integer(static_cast<long>(piece.swarm + swarm));
      table.add_number(saved[piece.time + time]);
      table.add(",");
      table.add_integer(static_cast<long>(row % agents));
      for (std::size_t i = 0; i < columns.size(); ++i) {
        const std::size_t place = columns[i].is_by_agent() ? time * agents + row % agents : time;
        table.add_number(values[i][place * piece.swarms + swarm]);
      }
      table.end_row();
    }
    piece.time += piece.times;
    if (piece.time < saved.size()) continue;
    piece.time = 0;
    piece.swarm += piece.swarms;
  }
  table.publish();
}

/// Writes one row per member and saved time, as far as the file has numbers for the member.
void write_trajectories(const Archive& archive, Reader& reader, const std::string& path) {
  if (std::ranges::any_of(field_columns(archive), &FieldColumn::is_by_agent)) {
    write_agents(archive, reader.contents().times, path);
  } else {
    // For one swarm, the reader returns the values of the swarm for each of its agents.
    write_trajectories(reader, reader.contents().agents ? 1 : reader.contents().members, path);
  }
}

bool has_trajectories(const Archive& archive) { return !field_columns(archive).empty(); }

std::vector<const FileVariable*> variables_over_members(const Inventory& file) {
  std::vector<const FileVariable*> variables;
  for (const FileVariable& variable : file.variables) {
    const bool over_members = variable.dimensions == std::vector<std::string>{"member"};
    if (over_members && variable.type != FileVariable::Type::text) variables.push_back(&variable);
  }
  return variables;
}

void add_status(Table& table, double status) {
  const bool known = status >= 0 && status < status_count;
  table.add_cell(known ? status_name(static_cast<Status>(status)) : "");
}

void write_members(const Archive& archive, const std::vector<const FileVariable*>& variables, const std::string& path) {
  Table table(path);
  table.add("member");
  for (const FileVariable* variable : variables) table.add_cell(variable->name);
  table.end_row();
  const std::size_t members = variables.front()->size();
  const std::size_t most = std::max<std::size_t>(piece_numbers / variables.size(), 1);
  for (std::size_t first = 0; first < members; first += most) {
    const std::size_t count = std::min(most, members - first);
    std::vector<std::vector<double>> values;
    for (const FileVariable* variable : variables) values.push_back(archive.numbers(variable->name, {first}, {count}));
    for (std::size_t member = 0; member < count; ++member) {
      table.add_integer(static_cast<long>(first + member));
      for (std::size_t i = 0; i < variables.size(); ++i) {
        if (variables[i]->name == "status") {
          add_status(table, values[i][member]);
        } else {
          table.add_number(values[i][member]);
        }
      }
      table.end_row();
    }
  }
  table.publish();
}

void write_columns(const Archive& archive, const std::string& path) {
  Table table(path);
  table.add("column,unit,meaning");
  table.end_row();
  for (const FieldLayout& layout : archive.layouts()) {
    if (archive.inventory().find(layout.name) == nullptr) continue;
    for (std::size_t i = 0; i < layout.components.size(); ++i) {
      table.add(csv_cell(layout.components[i]));
      table.add_cell(layout.units[i]);
      table.add_cell(layout.meaning);
      table.end_row();
    }
  }
  table.publish();
}

void write_statistics_table(const EnsembleStatistics& statistics, const std::string& path) {
  PendingFile file(path);
  file.write(statistics_table(statistics));
  file.publish();
}

void make_folder(const std::string& folder) {
  std::error_code failure;
  fs::create_directories(folder, failure);
  if (fs::is_directory(folder)) return;
  throw Error(ExitCode::file_error,
              fmt::format("{}: cannot be made a folder{}{}", folder, failure ? ": " : "", failure.message()));
}

}  // namespace

void export_csv_table(const Archive& archive, const std::string& path) {
  const std::unique_ptr<Reader> reader = open_reader(archive.path());
  const EnsembleStatistics statistics = statistics_of(archive);
  if (has_trajectories(archive)) {
    write_trajectories(archive, *reader, path);
  } else if (!statistics.fields.empty()) {
    write_statistics_table(statistics, path);
  } else {
    throw Error(ExitCode::file_error, archive.path() + ": it holds neither trajectories nor statistics");
  }
}

std::vector<std::string> export_csv_folder(const Archive& archive, const std::string& folder) {
  make_folder(folder);
  std::vector<std::string> paths;
  const auto place = [&](const char* name) -> std::string {
    return paths.emplace_back((fs::path(folder) / name).string());
  };
  const std::unique_ptr<Reader> reader = open_reader(archive.path());
  const EnsembleStatistics statistics = statistics_of(archive);  // throws before anything is written
  if (has_trajectories(archive)) {
    write_trajectories(archive, *reader, place("trajectories.csv"));
    write_columns(archive, place("columns.csv"));
  }
  const std::vector<const FileVariable*> variables = variables_over_members(archive.inventory());
  if (!variables.empty()) write_members(archive, variables, place("members.csv"));
  if (archive.inventory().find("event_count") != nullptr) export_events_csv(archive, place("events.csv"));
  if (!statistics.fields.empty()) write_statistics_table(statistics, place("statistics.csv"));
  return paths;
}

}  // namespace kalaba
