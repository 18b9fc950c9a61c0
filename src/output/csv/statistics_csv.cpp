#include "output/csv/statistics_csv.hpp"

#include <fmt/compile.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "kalaba/system.hpp"
#include "output/csv/csv_cells.hpp"
#include "output/csv/csv_reader.hpp"
#include "output/csv/csv_rows.hpp"
#include "output/csv/run_table.hpp"
#include "output/durable/checksum.hpp"
#include "output/durable/pending_file.hpp"
#include "output/durable/plain_file.hpp"
#include "text/nearest.hpp"
#include "text/parse.hpp"

namespace kalaba {
namespace {

/// Column of the table: one row of an array of a field's statistics.
struct StatisticsColumn {
  std::string name;
  const double* values;  // [time], `stride` apart
  std::size_t stride;
};

/// `at`: index of the component; `add`: as in add_columns.
template <class Add>
void add_histogram(const FieldStatistics& field, std::size_t component, std::vector<StatisticsColumn>& columns,
                   const std::string& name, const Add& add) {
  if (field.histogram.empty()) return;
  const std::size_t bins = field.histogram.size() / field.count.size();
  const double* const edges = field.bin_edges.data() + component * (bins + 1);
  if (std::isnan(edges[0])) return;  // a component without a range
  add("_below", field.below, 0);
  for (std::size_t bin = 0; bin < bins; ++bin) {
    columns.push_back({name + fmt::format("_bin_{}", edges[bin]), field.histogram.data() + component * bins + bin,
                       field.layout.size() * bins});
  }
  add(fmt::format("_above_{}", edges[bins]), field.above, 0);
}

void add_columns(std::vector<StatisticsColumn>& columns, const EnsembleStatistics& statistics,
                 const FieldStatistics& field) {
  const std::size_t components = field.layout.size();
  const std::size_t copies = components / field.layout.components.size();
  for (std::size_t i = 0; i < components; ++i) {
    std::string name = field.layout.components[i / copies];
    if (field.layout.agents > 0) name += fmt::format("[{}]", i % copies);
    const auto add = [&](const std::string& ending, const std::vector<double>& values, std::size_t first) {
      if (values.empty()) return;
      columns.push_back({name + ending, values.data() + first + i, components});
    };
    add("_count", field.count, 0);
    add("_mean", field.mean, 0);
    add("_std", field.std, 0);
    add("_min", field.min, 0);
    add("_max", field.max, 0);
    for (std::size_t share = 0; share < statistics.quantiles.size(); ++share) {
      add(fmt::format("_q{}", statistics.quantiles[share]), field.quantiles, share * field.count.size());
    }
    for (std::size_t input = 0; input < statistics.inputs.size(); ++input) {
      add("_correlation[" + statistics.inputs[input] + "]", field.correlation, input * field.count.size());
    }
    for (std::size_t group = 0; group < statistics.groups.size(); ++group) {
      const std::string whose = fmt::format("[{}={}]", statistics.group_by, statistics.groups[group]);
      const std::size_t first = group * field.count.size();
      add("_count" + whose, field.group_count, first);
      add("_mean" + whose, field.group_mean, first);
      add("_std" + whose, field.group_std, first);
      add("_min" + whose, field.group_min, first);
      add("_max" + whose, field.group_max, first);
    }
    add("_gradient_count", field.gradient_count, 0);
    for (std::size_t along = 0; along < statistics.along.size(); ++along) {
      const std::string to = "_gradient[" + statistics.along[along] + "]";
      const std::size_t first = along * field.count.size();
      add("_mean" + to, field.mean_gradient, first);
      add("_variance" + to, field.variance_gradient, first);
      add("_std" + to, field.std_gradient, first);
      for (std::size_t share = 0; share < statistics.quantiles.size(); ++share) {
        add(fmt::format("_q{}", statistics.quantiles[share]) + to, field.quantile_gradient,
            share * statistics.along.size() * field.count.size() + first);
      }
    }
    add_histogram(field, i, columns, name, add);
  }
}

const std::vector<std::string> first_names = {"time", "ok_members"};

/// Columns of one component of a field, by what follows its name and "_".
struct Component {
  std::string name;
  std::map<std::string, std::size_t, std::less<>> columns;
};

/// Text between brackets at the end of "correlation[parameters.L]", "q0.5_gradient[parameters.L]"; empty if the name
/// does not begin with `begin`.
std::optional<std::string> bracketed(const std::string& name, const std::string& begin) {
  if (!name.starts_with(begin + "[") || !name.ends_with(']')) return std::nullopt;
  return name.substr(begin.size() + 1, name.size() - begin.size() - 2);
}

/// The order of the columns is that of `statistics_table`: those of a component follow its count.
std::vector<Component> components_of(const RunTable& table) {
  constexpr std::string_view count = "_count";
  std::vector<Component> components;
  for (std::size_t column = first_names.size(); column < table.names().size(); ++column) {
    const std::string& name = table.names()[column];
    const bool is_gradient = name.ends_with("_gradient_count");
    if (name.ends_with(count) && !is_gradient) {
      components.push_back({name.substr(0, name.size() - count.size()), {{"count", column}}});
    } else if (!components.empty() && name.starts_with(components.back().name + "_")) {
      components.back().columns.emplace(name.substr(components.back().name.size() + 1), column);
    } else {
      refuse_line(table.path(), 1,
                  fmt::format("expected a statistic of {}, or the column COMPONENT_count, found {}",
                              components.empty() ? "a component" : components.back().name, name));
    }
  }
  return components;
}

class StatisticsTable {
 public:
  explicit StatisticsTable(const std::string& path) : table_(path, first_names), components_(components_of(table_)) {}

  EnsembleStatistics read() {
    read_rows();
    if (components_.empty()) return std::move(result_);
    name_lists();
    const std::vector<std::string> names = names_of(components_);
    for (const std::string& along : csv_sensitivities(names)) scalars_.sensitivities.push_back({along, "", 0, ""});
    scalars_.has_energy = true;
    const std::vector<Column> columns = csv_columns(names);
    for (const Field field : all_fields) {
      of_field_.clear();
      for (std::size_t i = 0; i < columns.size(); ++i) {
        if (columns[i].field == field) of_field_.push_back(i);
      }
      if (!of_field_.empty()) add_field(field);
    }
    return std::move(result_);
  }

 private:
  void read_rows() {
    rows_.resize(table_.names().size());
    while (table_.next()) {
      for (std::size_t column = 0; column < rows_.size(); ++column) rows_[column].push_back(table_.number(column));
    }
    result_.times = rows_[0];
    for (const double members : rows_[1]) result_.ok_members.push_back(static_cast<long>(members));
    if (result_.times.empty()) refuse_line(table_.path(), 0, "expected a row for every saved time, found none");
  }

  /// Reads the quantiles, inputs and sensitivities from the names of the columns, in their order.
  void name_lists() {
    std::map<std::size_t, std::string> in_order;
    for (const auto& [name, column] : components_.front().columns) in_order[column] = name;
    for (const auto& [column, name] : in_order) {
      if (const auto input = bracketed(name, "correlation")) result_.inputs.push_back(*input);
      if (!name.starts_with('q')) continue;
      if (const auto share = parse_number<double>(std::string_view(name).substr(1))) {
        result_.quantiles.push_back(*share);
        share_names_.push_back(name);
      }
    }
    for (const Component& each : components_) {
      if (each.columns.count("gradient_count") == 0) continue;
      std::map<std::size_t, std::string> along;
      for (const auto& [name, column] : each.columns) {
        for (const char* kind : {"mean_gradient", "variance_gradient"}) {
          const auto to = bracketed(name, kind);
          if (to && std::ranges::count(result_.along, *to) == 0) along[column] = *to;
        }
      }
      for (const auto& [column, name] : along) {
        if (std::ranges::count(result_.along, name) == 0) result_.along.push_back(name);
      }
      break;
    }
  }

  void add_field(Field field) {
    std::vector<std::string> names;
    for (const std::size_t i : of_field_) names.push_back(components_[i].name);
    FieldStatistics found;
    found.layout = field_layout(scalars_, field);
    if (found.layout.components != names) {
      found.layout.components = names;
      found.layout.units.assign(names.size(), "");
    }
    found.count = numbers({"count"});
    found.mean = numbers({"mean"});
    found.std = numbers({"std"});
    found.min = numbers({"min"});
    found.max = numbers({"max"});
    found.quantiles = numbers(share_names_);
    const auto along = [&](const std::string& kind, const std::vector<std::string>& to) {
      std::vector<std::string> names;
      for (const std::string& each : to) names.push_back(kind + "[" + each + "]");
      return names;
    };
    found.correlation = numbers(along("correlation", result_.inputs));
    found.gradient_count = numbers({"gradient_count"});
    if (!found.gradient_count.empty()) {
      found.mean_gradient = numbers(along("mean_gradient", result_.along));
      found.variance_gradient = numbers(along("variance_gradient", result_.along));
      found.std_gradient = numbers(along("std_gradient", result_.along));
      std::vector<std::string> of_quantiles;
      for (const std::string& share : share_names_) {
        for (const std::string& name : along(share + "_gradient", result_.along)) of_quantiles.push_back(name);
      }
      found.quantile_gradient = numbers(of_quantiles);
    }
    result_.fields.push_back(std::move(found));
  }

  /// [statistic][time][component]; empty if the field's first component has none of them.
  std::vector<double> numbers(const std::vector<std::string>& statistics) const {
    std::vector<double> values;
    for (const std::string& statistic : statistics) {
      if (components_[of_field_.front()].columns.count(statistic) == 0 && values.empty()) return {};
      std::vector<const std::vector<double>*> columns;
      for (const std::size_t i : of_field_) {
        const auto found = components_[i].columns.find(statistic);
        if (found == components_[i].columns.end()) {
          refuse_line(table_.path(), 1,
                      fmt::format("expected the column {}_{}, as for {}", components_[i].name, statistic,
                                  components_[of_field_.front()].name));
        }
        columns.push_back(&rows_[found->second]);
      }
      for (std::size_t time = 0; time < result_.times.size(); ++time) {
        for (const auto* column : columns) values.push_back((*column)[time]);
      }
    }
    return values;
  }

  RunTable table_;
  std::vector<Component> components_;
  std::vector<std::vector<double>> rows_;  // [column][time]
  std::vector<std::string> share_names_;   // "q0.05", ...
  SystemInfo scalars_;                     // system with the fields whose units do not depend on it
  std::vector<std::size_t> of_field_;      // components of the current field
  EnsembleStatistics result_;
};

}  // namespace

std::string statistics_table(const EnsembleStatistics& statistics) {
  std::vector<StatisticsColumn> columns;
  for (const FieldStatistics& field : statistics.fields) add_columns(columns, statistics, field);
  std::string text = "time,ok_members";
  for (const StatisticsColumn& column : columns) text += "," + column.name;
  for (std::size_t time = 0; time < statistics.times.size(); ++time) {
    fmt::format_to(std::back_inserter(text), FMT_COMPILE("\n{:.17g},{}"), statistics.times[time],
                   statistics.ok_members[time]);
    for (const StatisticsColumn& column : columns) append_number(text, column.values[time * column.stride]);
  }
  return text + "\n";
}

namespace {

class StatisticsCsv final : public FileSink, public ReducedSink {
 public:
  explicit StatisticsCsv(const std::string& path) : file_(path, partial_path(path)), published_path_(path) {}

  void begin(const RunInfo& run) override { statistics_.begin(run); }
  std::string save() override { return statistics_.state(); }
  void resume(const RunInfo& run, const std::string& state) override {
    begin(run);
    statistics_.absorb(state);
  }
  void keep() override { file_.keep(); }
  void leave_existing() override { file_.leave_existing(); }
  bool is_intact() const override { return file_.is_published() || file_.is_in_place(); }
  void begin_block(const Block& block) override { statistics_.begin_block(block); }
  void write(const Frame& frame) override { statistics_.write(frame); }
  const StatisticsPlan* reduced_plan() const override { return statistics_.reduced_plan(); }
  void write_reduced(ReducedFrame frame) override { statistics_.write_reduced(std::move(frame)); }
  void end_block(const Block& block) override { statistics_.end_block(block); }

  void finish(const Summary& summary) override {
    statistics_.finish(summary);
    const std::string table = statistics_table(statistics_.result());
    file_.clear();
    file_.write(table);
    if (summary.interrupted) published_path_ = partial_path(published_path_);
    file_.publish_as(published_path_);
    Checksum sum;
    sum.add(table);
    if (!summary.interrupted) write_table_checksum(published_path_, sum);
  }

  std::string published_path() const override { return published_path_; }

 private:
  PendingFile file_;
  std::string published_path_;
  StatisticsSink statistics_;
};

}  // namespace

std::unique_ptr<FileSink> make_statistics_csv(const std::string& path) { return std::make_unique<StatisticsCsv>(path); }

EnsembleStatistics read_statistics_table(const std::string& path) { return StatisticsTable(path).read(); }

bool is_statistics_table(const std::string& path) {
  const MappedFile file(path);
  return file.bytes().starts_with("time,ok_members");
}

}  // namespace kalaba
