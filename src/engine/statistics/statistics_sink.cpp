#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>

#include "engine/statistics/member_inputs.hpp"
#include "engine/statistics/statistics_result.hpp"
#include "kalaba/backend/parallel.hpp"

namespace kalaba {
namespace {

constexpr double worth_a_thread = 1e5;  // numbers

[[noreturn]] void fail(const std::string& what, long expected, long found) {
  throw Error(ExitCode::internal_error,
              "statistics: expected " + what + " " + std::to_string(expected) + ", found " + std::to_string(found));
}

/// Returns 0 for a member that is ok and NaN for another. Adding it to a number excludes the member, and removes the
/// sign of a zero, which would make a minimum depend on the order.
std::vector<double> masks(std::span<const Status> status) {
  std::vector<double> masks;
  masks.reserve(status.size());
  for (const Status each : status) masks.push_back(each == Status::ok ? 0.0 : of_none);
  return masks;
}

}  // namespace

class StatisticsSink::Collector {
 public:
  explicit Collector(const RunInfo& run)
      : plan_(plan_statistics(*run.system, run.options, std::max(run.members, run.ensemble_members), run.times.size())),
        requested_(run.options.statistics),
        inputs_(*run.system, requested_),
        threads_(run.options.threads) {
    result_.times = run.times;
    result_.ok_members.resize(run.times.size());
    if (plan_.kept > 0) result_.quantiles = requested_.quantiles;
    if (requested_.has(Statistic::correlation)) result_.inputs = requested_.inputs;
    result_.group_by = requested_.group_by;
    if (!requested_.group_by.empty()) result_.groups = requested_.groups;
    if (requested_.has(Statistic::gradient)) {
      for (const Variable& each : run.system->sensitivities) result_.along.push_back(each.name);
    }
    for (FieldLayout& layout : saved_layouts(*run.system, run.options.fields)) {
      const std::size_t whole = field_layout(*run.system, layout.field).size();
      for (std::size_t i = 0; i < layout.size(); ++i) {
        columns_.push_back(column_of(layout, i));
        columns_.back().whole = whole;
        columns_.back().first = reduced_components_;
        columns_.back().slopes = gradient_source(*run.system, run.options, layout.field);
      }
      reduced_components_ += whole;
      result_.fields.emplace_back().layout = std::move(layout);
    }
    if (run.first_member % leaf_members != 0) {
      fail("a part that begins with a multiple of " + std::to_string(leaf_members) + ", such as", 0, run.first_member);
    }
    numbers_.reserve(run.times.size() * columns_.size());
    for (std::size_t time = 0; time < run.times.size(); ++time) {
      for (const Column& column : columns_) {
        const std::size_t sensitivities = column.slopes ? result_.along.size() : 0;
        numbers_.emplace_back(plan_, requested_, !column.edges.empty(), sensitivities, run.first_member);
      }
    }
  }

  void begin_block(const Block& block) { inputs_.take(block); }

  void add(const Frame& frame) {
    const auto members = static_cast<std::size_t>(frame.block.members);
    const std::vector<Status>& status = frame.observation.status;
    if (status.size() < members) {
      fail("a status for each member of the block,", frame.block.members, static_cast<long>(status.size()));
    }
    const auto time = static_cast<std::size_t>(frame.index);
    check_place(time, frame.block.first);
    inputs_.require(frame.block);
    const std::vector<double> mask = masks(std::span(status).first(members));
    result_.ok_members[time] += std::count(mask.begin(), mask.end(), 0.0);
    const bool small = static_cast<double>(members * columns_.size()) < worth_a_thread;
    parallel_for(plan_.components, 1, small ? 1 : threads_, [&](long begin, long end) {
      std::vector<double> values(members);
      for (auto i = static_cast<std::size_t>(begin); i < static_cast<std::size_t>(end); ++i) {
        const Column& column = columns_[i];
        const Field field = result_.fields[column.field].layout.field;
        std::ranges::transform(row(frame, field, column.row), mask, values.begin(), std::plus());
        numbers_[time * columns_.size() + i].add(values, inputs_, column.edges, slopes(frame, column));
      }
    });
  }

  void add(ReducedFrame frame) {
    if (frame.components.size() != reduced_components_) {
      fail("reduced components:", static_cast<long>(reduced_components_), static_cast<long>(frame.components.size()));
    }
    const auto time = static_cast<std::size_t>(frame.index);
    check_place(time, frame.first);
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      numbers_[time * columns_.size() + i].add(frame.components[columns_[i].first + columns_[i].row], frame.members);
    }
    result_.ok_members[time] += frame.ok_members;
  }

  std::string state() const {
    StateWriter state;
    state.put(result_.ok_members);
    state.put(numbers_.size());
    for (const ComponentStatistics& number : numbers_) number.save(state);
    return std::move(state).bytes();
  }

  void absorb(const std::string& bytes) {
    StateReader state(bytes);
    const std::vector<long> ok_members = state.get_all<long>();
    state.require(ok_members.size() == result_.ok_members.size(), "statistics of the same saved times");
    for (std::size_t time = 0; time < ok_members.size(); ++time) result_.ok_members[time] += ok_members[time];
    state.require(state.get<std::size_t>() == numbers_.size(), "statistics of the same fields");
    for (ComponentStatistics& number : numbers_) number.absorb(state);
    state.require(state.is_at_end(), "an end");
  }

  void finish() {
    for (const Column& column : columns_) {
      if (column.component > 0) continue;
      const std::size_t sensitivities = column.slopes ? result_.along.size() : 0;
      make_room(result_.fields[column.field], result_.times.size(), requested_, sensitivities);
    }
    std::vector<double> rank_errors(numbers_.size());
    parallel_for(static_cast<long>(numbers_.size()), 16, threads_, [&](long begin, long end) {
      for (auto i = static_cast<std::size_t>(begin); i < static_cast<std::size_t>(end); ++i) {
        const Column& column = columns_[i % columns_.size()];
        FieldStatistics& field = result_.fields[column.field];
        const std::size_t place = i / columns_.size() * field.layout.size() + column.component;
        rank_errors[i] = put_result(numbers_[i], requested_, place, field);
      }
    });
    result_.rank_error = *std::ranges::max_element(rank_errors);
    std::vector<ComponentStatistics>().swap(numbers_);
  }

  const StatisticsPlan& plan() const { return plan_; }
  bool needs_members() const {
    return requested_.has(Statistic::histogram) || requested_.has(Statistic::correlation) ||
           requested_.has(Statistic::gradient) || !requested_.group_by.empty();
  }
  const EnsembleStatistics& result() const { return result_; }

 private:
  /// A component of a field; the columns of a time are contiguous in numbers_.
  struct Column {
    std::size_t field;  // into result_.fields
    std::size_t component;
    std::size_t row;                   // of the whole field
    std::vector<double> edges;         // of its histogram, if it has one
    std::size_t whole = 0;             // numbers of the whole field per member
    std::size_t first = 0;             // index of the field's first number in a reduced frame
    std::optional<Field> slopes = {};  // field of its derivatives, if it has gradients
  };

  /// Returns the column of a component of the field that is added next.
  Column column_of(const FieldLayout& layout, std::size_t component) const {
    Column column = {result_.fields.size(), component, layout.row(component), {}};
    const HistogramRange* const range = range_of(requested_, layout, component);
    const auto bins = static_cast<std::size_t>(requested_.bins);
    if (range != nullptr) column.edges = even_edges(range->low, range->high, bins);
    return column;
  }

  /// Returns the derivatives of a column's number along every sensitivity.
  std::vector<const double*> slopes(const Frame& frame, const Column& column) const {
    std::vector<const double*> rows;
    if (!column.slopes) return rows;
    for (std::size_t i = 0; i < result_.along.size(); ++i) {
      rows.push_back(row(frame, *column.slopes, i * column.whole + column.row).data());
    }
    return rows;
  }

  static std::span<const double> row(const Frame& frame, Field field, std::size_t component) {
    const auto stride = static_cast<std::size_t>(frame.block.stride);
    const auto members = static_cast<std::size_t>(frame.block.members);
    const std::span<const double> values = frame.values(field);
    if (values.size() < component * stride + members) {
      throw Error(ExitCode::internal_error, "statistics: expected the backend to compute the field " +
                                                std::string(field_name(field)) + ", found " +
                                                std::to_string(values.size()) + " numbers of it");
    }
    return values.subspan(component * stride, members);
  }

  void check_place(std::size_t time, long first) const {
    const long next = numbers_[time * columns_.size()].moments.members();
    if (next != first) fail("members to come in their order, now member", next, first);
  }

  StatisticsPlan plan_;
  StatisticsOptions requested_;
  MemberInputs inputs_;  // of the present block
  int threads_;
  EnsembleStatistics result_;
  std::vector<Column> columns_;
  std::size_t reduced_components_ = 0;        // of a reduced frame: those of the whole fields
  std::vector<ComponentStatistics> numbers_;  // [time][column]
};

StatisticsSink::StatisticsSink() = default;
StatisticsSink::~StatisticsSink() = default;

void StatisticsSink::begin(const RunInfo& run) { collector_ = std::make_unique<Collector>(run); }
void StatisticsSink::begin_block(const Block& block) { collector_->begin_block(block); }
const StatisticsPlan* StatisticsSink::reduced_plan() const {
  return collector_->needs_members() ? nullptr : &collector_->plan();
}
void StatisticsSink::write(const Frame& frame) { collector_->add(frame); }
void StatisticsSink::write_reduced(ReducedFrame frame) { collector_->add(std::move(frame)); }
void StatisticsSink::end_block(const Block& /*block*/) {}
void StatisticsSink::finish(const Summary& /*summary*/) { collector_->finish(); }
std::string StatisticsSink::state() const { return collector_->state(); }
void StatisticsSink::absorb(const std::string& state) { collector_->absorb(state); }
const StatisticsPlan& StatisticsSink::plan() const { return collector_->plan(); }
const EnsembleStatistics& StatisticsSink::result() const { return collector_->result(); }

}  // namespace kalaba
