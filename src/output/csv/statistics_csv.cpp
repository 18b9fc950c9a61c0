#include "output/csv/statistics_csv.hpp"

#include <fmt/compile.h>
#include <fmt/format.h>

#include <cmath>
#include <iterator>
#include <string_view>
#include <utility>
#include <vector>

#include "output/csv/csv_rows.hpp"
#include "output/durable/checksum.hpp"
#include "output/durable/pending_file.hpp"

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

}  // namespace kalaba
