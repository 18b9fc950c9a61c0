#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "kalaba/core/moments.hpp"
#include "kalaba/core/sample.hpp"
#include "kalaba/run.hpp"

namespace kalaba {

/// How a run's statistics are computed; known before it starts.
struct StatisticsPlan {
  long components = 0;     ///< numbers a member and saved time
  long kept = 0;           ///< numbers that a sample for quantiles keeps; 0 where none are asked for
  long exact_members = 0;  ///< as many members that count have exact quantiles
  double rank_error = 0;   ///< of quantiles of all members, as a share of them; 0 where they are exact
  double slope_share = 0;  ///< of the members whose derivatives are kept, for gradients of quantiles
  double bytes = 0;        ///< of memory, at most
};

/// Plans the statistics that `options` ask for, in at most options.memory_budget bytes: quantiles get samples as large
/// as fit, 4096 numbers at most and 64 at least. Throws Error(bad_input) where fewer would fit, where there is no
/// field, and where what is asked for has no meaning: quantiles that are not ascending numbers in 0 ... 1, an unknown
/// component or input.
StatisticsPlan plan_statistics(const SystemInfo& system, const Options& options, long members, std::size_t times);

/// Whether a histogram is asked for of some component of a field.
bool has_histogram(const StatisticsOptions& asked, const FieldLayout& layout);
/// The field of the derivatives that the gradients of a field's statistics are made of; none where none are asked for.
std::optional<Field> gradient_source(const SystemInfo& system, const Options& options, Field field);
/// The unit of "parameters.L", "initial.x", ... Throws Error(bad_input) where the system has no such variable.
std::string unit_of_input(const SystemInfo& system, const std::string& input);

/// The statistics of a field. Those not asked for are empty; NaN where no member counts. A member counts where it is ok
/// at that time and the number is finite.
struct FieldStatistics {
  FieldLayout layout;
  std::vector<double> count;      ///< [time][component], members that count
  std::vector<double> mean;       ///< likewise
  std::vector<double> std;        ///< likewise; of a population: divided by count, as numpy does
  std::vector<double> min;        ///< likewise
  std::vector<double> max;        ///< likewise
  std::vector<double> quantiles;  ///< [quantile][time][component]; between neighbours linear, as numpy does
  /// [input][time][component], Pearson's, over the members that count; NaN where either is the same for all of them
  std::vector<double> correlation;
  std::vector<double> histogram;    ///< [time][component][bin], members; 0 of a component without a range
  std::vector<double> below;        ///< [time][component], members below the first bin
  std::vector<double> above;        ///< likewise, above the last
  std::vector<double> bin_edges;    ///< [component][bin edge]; NaN of a component without a range
  std::vector<double> group_count;  ///< [group][time][component], members that count
  std::vector<double> group_mean;   ///< likewise, and as far as asked for of all members
  std::vector<double> group_std;    ///< likewise
  std::vector<double> group_min;    ///< likewise
  std::vector<double> group_max;    ///< likewise

  // Gradients: [sensitivity][time][component], derivatives as each member moves along its own, of the members that
  // count and have derivatives.
  std::vector<double> gradient_count;     ///< [time][component], those members
  std::vector<double> mean_gradient;      ///< of the mean
  std::vector<double> variance_gradient;  ///< of std^2: 2 cov(number, derivative)
  std::vector<double> std_gradient;       ///< NaN where std is 0
  std::vector<double> quantile_gradient;  ///< [quantile][sensitivity][time][component], an estimate (SlopeSample)
};

/// The statistics of a run.
struct EnsembleStatistics {
  std::vector<double> times;        ///< s
  std::vector<double> quantiles;    ///< as shares, ascending
  std::vector<std::string> inputs;  ///< that are correlated with
  std::vector<std::string> along;   ///< sensitivities that gradients are taken along
  std::string group_by;             ///< input by which members are grouped; "" where they are not
  std::vector<double> groups;       ///< its values
  std::vector<long> ok_members;     ///< [time]
  std::vector<FieldStatistics> fields;
  /// A quantile returned for rank r is of a rank within rank_error * count of r. 0 where all are exact.
  double rank_error = 0;
};

/// Some members' numbers at one saved time, reduced where they were computed: for every component of the asked fields,
/// fields in the order of `all_fields`. The members are whole leaves, but for the last of the ensemble.
struct ReducedFrame {
  /// A node of the tree of samples, see plan_merge: of the members from index * kept * 2^level on.
  struct Node {
    int level = 0;
    long index = 0;
    Sample sample;
    std::vector<double> values;  ///< ascending
  };
  /// Of one component: its moments and, for quantiles, samples.
  struct Component {
    std::vector<Moments> leaves;  ///< of leaf_members each
    std::vector<Node> nodes;      ///< in the order of their members; those in which no member counts may be left out
  };

  long index = 0;    ///< into RunInfo::times
  long first = 0;    ///< member
  long members = 0;  ///< of the ensemble, from the first on
  long ok_members = 0;
  std::vector<Component> components;
};

/// A sink that can do without the members of a run.
class ReducedSink {
 public:
  virtual ~ReducedSink() = default;
  /// After begin: how its statistics are computed, where these are all that it takes of a frame and it takes nothing of
  /// a block. Null where it needs the members themselves.
  virtual const StatisticsPlan* reduced_plan() const = 0;
  /// Instead of write, for members that someone else has reduced: to the same bits, as far as theirs are the same.
  virtual void write_reduced(ReducedFrame frame) = 0;
};

/// Collects the statistics that RunInfo::options ask for, of the fields that they ask for. Holds no member: its memory
/// is that of the plan, however many members there are. What comes out has the same bits whatever the blocks and the
/// threads. Frames of a time must come in the order of the members.
class StatisticsSink final : public Sink, public ReducedSink {
 public:
  StatisticsSink();
  ~StatisticsSink() override;

  void begin(const RunInfo& run) override;
  void begin_block(const Block& block) override;
  void write(const Frame& frame) override;
  /// Null for a histogram, correlations and groups: they need the members.
  const StatisticsPlan* reduced_plan() const override;
  void write_reduced(ReducedFrame frame) override;
  void end_block(const Block& block) override;
  void finish(const Summary& summary) override;

  /// What was collected so far, as bytes that this build of the library reads back.
  std::string state() const;
  /// Adds what another sink of the same run had collected of the members that come next: after begin, to go on from
  /// where it stopped; of parts of the ensemble, one after the other, to have the statistics of all, to the bits of an
  /// undivided run. Throws Error(file_error) where the state is damaged, or not of such members.
  void absorb(const std::string& state);

  const StatisticsPlan& plan() const;
  /// After finish.
  const EnsembleStatistics& result() const;

 private:
  class Collector;
  std::unique_ptr<Collector> collector_;
};

}  // namespace kalaba
