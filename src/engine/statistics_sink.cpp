#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <utility>

#include "engine/moments_accumulator.hpp"
#include "engine/quantile_sketch.hpp"
#include "kalaba/backend/parallel.hpp"
#include "kalaba/statistics.hpp"

namespace kalaba {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double worth_a_thread = 1e5;  // numbers

/// One component of a field at one saved time.
struct Number {
  MomentsAccumulator moments;
  std::optional<QuantileSketch> quantiles;
};

[[noreturn]] void fail(const std::string& what, long expected, long found) {
  throw Error(ExitCode::internal_error,
              "statistics: expected " + what + " " + std::to_string(expected) + ", found " + std::to_string(found));
}

/// 0 for a member that is ok and NaN for another: added to a number, it takes out the member - and the sign of a zero,
/// which would make a minimum depend on the order.
std::vector<double> masks(std::span<const Status> status) {
  std::vector<double> masks;
  masks.reserve(status.size());
  for (const Status each : status) masks.push_back(each == Status::ok ? 0.0 : nan);
  return masks;
}

}  // namespace

class StatisticsSink::Collector {
 public:
  explicit Collector(const RunInfo& run)
      : plan_(plan_statistics(*run.system, run.options, std::max(run.members, run.ensemble_members), run.times.size())),
        asked_(run.options.statistics),
        threads_(run.options.threads) {
    result_.times = run.times;
    result_.ok_members.resize(run.times.size());
    if (plan_.kept > 0) result_.quantiles = asked_.quantiles;
    for (const Field field : all_fields) {
      if (!run.options.fields.has(field)) continue;
      FieldStatistics statistics;
      statistics.layout = field_layout(*run.system, field);
      const std::size_t components = statistics.layout.size();
      for (std::size_t i = 0; i < components; ++i) columns_.push_back({result_.fields.size(), i});
      if (components > 0) result_.fields.push_back(std::move(statistics));
    }
    if (run.first_member % leaf_members != 0) {
      fail("a part that begins with a multiple of " + std::to_string(leaf_members) + ", such as", 0, run.first_member);
    }
    numbers_.resize(run.times.size() * columns_.size());
    for (Number& number : numbers_) {
      number.moments = MomentsAccumulator(run.first_member);
      if (plan_.kept > 0) number.quantiles.emplace(plan_.kept, run.first_member);
    }
  }

  void add(const Frame& frame) {
    const auto members = static_cast<std::size_t>(frame.block.members);
    const std::vector<Status>& status = frame.observation.status;
    if (status.size() < members) {
      fail("a status for each member of the block,", frame.block.members, static_cast<long>(status.size()));
    }
    const auto time = static_cast<std::size_t>(frame.index);
    check_place(time, frame.block.first);
    const std::vector<double> mask = masks(std::span(status).first(members));
    result_.ok_members[time] += std::count(mask.begin(), mask.end(), 0.0);
    const bool small = static_cast<double>(members * columns_.size()) < worth_a_thread;
    parallel_for(plan_.components, 1, small ? 1 : threads_, [&](long begin, long end) {
      std::vector<double> values(members);
      for (auto i = static_cast<std::size_t>(begin); i < static_cast<std::size_t>(end); ++i) {
        std::ranges::transform(row(frame, columns_[i]), mask, values.begin(), std::plus());
        add(numbers_[time * columns_.size() + i], values);
      }
    });
  }

  void add(ReducedFrame frame) {
    if (frame.components.size() != columns_.size()) {
      fail("reduced components:", plan_.components, static_cast<long>(frame.components.size()));
    }
    const auto time = static_cast<std::size_t>(frame.index);
    check_place(time, frame.first);
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      add(numbers_[time * columns_.size() + i], frame.components[i], frame.members);
    }
    result_.ok_members[time] += frame.ok_members;
  }

  std::string state() const {
    StateWriter state;
    state.put(result_.ok_members);
    state.put(numbers_.size());
    for (const Number& number : numbers_) {
      number.moments.save(state);
      state.put(number.quantiles.has_value());
      if (number.quantiles) number.quantiles->save(state);
    }
    return std::move(state).bytes();
  }

  void absorb(const std::string& bytes) {
    StateReader state(bytes);
    const std::vector<long> ok_members = state.get_all<long>();
    state.require(ok_members.size() == result_.ok_members.size(), "statistics of the same saved times");
    for (std::size_t time = 0; time < ok_members.size(); ++time) result_.ok_members[time] += ok_members[time];
    state.require(state.get<std::size_t>() == numbers_.size(), "statistics of the same fields");
    for (Number& number : numbers_) {
      number.moments.absorb(state);
      state.require(state.get<bool>() == number.quantiles.has_value(), "quantiles where they are asked for");
      if (number.quantiles) number.quantiles->absorb(state);
    }
    state.require(state.is_at_end(), "an end");
  }

  void finish() {
    for (FieldStatistics& field : result_.fields) resize(field);
    std::vector<double> rank_errors(numbers_.size());
    parallel_for(static_cast<long>(numbers_.size()), 16, threads_, [&](long begin, long end) {
      for (auto i = static_cast<std::size_t>(begin); i < static_cast<std::size_t>(end); ++i) rank_errors[i] = read(i);
    });
    result_.rank_error = *std::ranges::max_element(rank_errors);
    std::vector<Number>().swap(numbers_);
  }

  const StatisticsPlan& plan() const { return plan_; }
  const EnsembleStatistics& result() const { return result_; }

 private:
  /// A component of a field; the columns of a time lie one behind the other in numbers_.
  struct Column {
    std::size_t field;  // into result_.fields
    std::size_t component;
  };

  std::span<const double> row(const Frame& frame, const Column& column) const {
    const FieldLayout& layout = result_.fields[column.field].layout;
    const auto stride = static_cast<std::size_t>(frame.block.stride);
    const auto members = static_cast<std::size_t>(frame.block.members);
    const std::span<const double> values = frame.values(layout.field);
    if (values.size() < column.component * stride + members) {
      throw Error(ExitCode::internal_error, "statistics: expected the backend to compute the field " + layout.name +
                                                ", found " + std::to_string(values.size()) + " numbers of it");
    }
    return values.subspan(column.component * stride, members);
  }

  void check_place(std::size_t time, long first) const {
    const long next = numbers_[time * columns_.size()].moments.members();
    if (next != first) fail("members to come in their order, now member", next, first);
  }

  static void add(Number& number, ReducedFrame::Component& reduced, long members) {
    const long leaves = (members + leaf_members - 1) / leaf_members;
    if (static_cast<long>(reduced.leaves.size()) != leaves) {
      fail("leaves of all members of the frame:", leaves, static_cast<long>(reduced.leaves.size()));
    }
    const long end = number.moments.members() + members;
    for (const Moments& leaf : reduced.leaves) {
      number.moments.add_leaf(leaf, std::min<long>(leaf_members, end - number.moments.members()));
    }
    if (!number.quantiles) return;
    for (ReducedFrame::Node& node : reduced.nodes) {
      number.quantiles->add_node(node.level, node.index, {node.sample, std::move(node.values)});
    }
    number.quantiles->skip_to(end);
  }

  static void add(Number& number, std::span<const double> values) {
    number.moments.add(values);
    if (number.quantiles) number.quantiles->add(values);
  }

  void resize(FieldStatistics& field) const {
    const std::size_t size = result_.times.size() * field.layout.size();
    field.count.resize(size);
    if (asked_.has(Statistic::mean)) field.mean.assign(size, nan);
    if (asked_.has(Statistic::std)) field.std.assign(size, nan);
    if (asked_.has(Statistic::min)) field.min.assign(size, nan);
    if (asked_.has(Statistic::max)) field.max.assign(size, nan);
    field.quantiles.assign(size * result_.quantiles.size(), nan);
  }

  /// Puts a number's statistics in their place; the error in rank of its quantiles.
  double read(std::size_t index) {
    const Column& column = columns_[index % columns_.size()];
    FieldStatistics& field = result_.fields[column.field];
    const std::size_t place = index / columns_.size() * field.layout.size() + column.component;
    const Moments moments = numbers_[index].moments.total();
    field.count[place] = moments.count;
    if (moments.count == 0) return 0;
    if (!field.mean.empty()) field.mean[place] = moments.mean;
    if (!field.std.empty()) field.std[place] = std::sqrt(moments.squares / moments.count);
    if (!field.min.empty()) field.min[place] = moments.least;
    if (!field.max.empty()) field.max[place] = moments.greatest;
    return numbers_[index].quantiles ? read_quantiles(*numbers_[index].quantiles, moments, field, place) : 0;
  }

  double read_quantiles(const QuantileSketch& sketch, const Moments& moments, FieldStatistics& field,
                        std::size_t place) const {
    const QuantileSketch::Quantiles found = sketch.quantiles(result_.quantiles);
    for (std::size_t i = 0; i < found.values.size(); ++i) {
      const double share = result_.quantiles[i];
      // The extremes are known, whatever a sample has left out.
      const double value = share == 0 ? moments.least : share == 1 ? moments.greatest : found.values[i];
      field.quantiles[i * field.count.size() + place] = value;
    }
    return found.rank_error / found.count;
  }

  StatisticsPlan plan_;
  StatisticsOptions asked_;
  int threads_;
  EnsembleStatistics result_;
  std::vector<Column> columns_;
  std::vector<Number> numbers_;  // [time][column]
};

StatisticsSink::StatisticsSink() = default;
StatisticsSink::~StatisticsSink() = default;

void StatisticsSink::begin(const RunInfo& run) { collector_ = std::make_unique<Collector>(run); }
void StatisticsSink::write(const Frame& frame) { collector_->add(frame); }
void StatisticsSink::write_reduced(ReducedFrame frame) { collector_->add(std::move(frame)); }
void StatisticsSink::end_block(const Block& /*block*/) {}
void StatisticsSink::finish(const Summary& /*summary*/) { collector_->finish(); }
std::string StatisticsSink::state() const { return collector_->state(); }
void StatisticsSink::absorb(const std::string& state) { collector_->absorb(state); }
const StatisticsPlan& StatisticsSink::plan() const { return collector_->plan(); }
const EnsembleStatistics& StatisticsSink::result() const { return collector_->result(); }

}  // namespace kalaba
