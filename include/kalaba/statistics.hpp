#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "kalaba/core/base/moments.hpp"
#include "kalaba/core/base/sample.hpp"
#include "kalaba/run.hpp"

namespace kalaba {

/// Plan of a run's statistics, computed before the run.
struct StatisticsPlan {
  long components = 0;     ///< numbers per member and saved time
  long kept = 0;           ///< numbers in a sample for quantiles; 0 without quantiles
  long exact_members = 0;  ///< largest number of counted members with exact quantiles
  double rank_error = 0;   ///< of quantiles of all members, as a fraction of their number; 0 if they are exact
  double slope_share = 0;  ///< fraction of the members whose derivatives are stored, for gradients of quantiles
  double bytes = 0;        ///< upper bound of the memory
};

/// Plans the statistics that `options` request, in at most options.memory_budget bytes. The samples for quantiles are
/// as large as fits, between 64 and 4096 numbers. Throws Error(bad_input) if fewer would fit, if there is no field, and
/// for invalid requests: quantiles that are not ascending numbers in 0 ... 1, an unknown component or input.
StatisticsPlan plan_statistics(const SystemInfo& system, const Options& options, long members, std::size_t times);

/// Returns true if a histogram of some component of a field is requested.
bool has_histogram(const StatisticsOptions& asked, const FieldLayout& layout);
/// Field of the derivatives for the gradients of a field's statistics; empty if none are requested.
std::optional<Field> gradient_source(const SystemInfo& system, const Options& options, Field field);
/// Unit of "parameters.L", "initial.x", ... Throws Error(bad_input) if the system has no such variable.
std::string unit_of_input(const SystemInfo& system, const std::string& input);

/// Statistics of a field. Those that are not requested are empty; NaN if no member counts. A member counts if it is ok
/// at that time and the number is finite.
struct FieldStatistics {
  FieldLayout layout;
  std::vector<double> count;      ///< [time][component], members that count
  std::vector<double> mean;       ///< [time][component]
  std::vector<double> std;        ///< [time][component]; of a population: divided by count, like numpy
  std::vector<double> min;        ///< [time][component]
  std::vector<double> max;        ///< [time][component]
  std::vector<double> quantiles;  ///< [quantile][time][component]; linear interpolation, like numpy
  /// [input][time][component], Pearson's, over the members that count; NaN if either is the same for all of them
  std::vector<double> correlation;
  std::vector<double> histogram;    ///< [time][component][bin], members; 0 for a component without a range
  std::vector<double> below;        ///< [time][component], members below the first bin
  std::vector<double> above;        ///< [time][component], members above the last bin
  std::vector<double> bin_edges;    ///< [component][bin edge]; NaN for a component without a range
  std::vector<double> group_count;  ///< [group][time][component], members that count
  std::vector<double> group_mean;   ///< [group][time][component]; only the requested statistics
  std::vector<double> group_std;    ///< [group][time][component]
  std::vector<double> group_min;    ///< [group][time][component]
  std::vector<double> group_max;    ///< [group][time][component]

  // Gradients: [sensitivity][time][component], from the derivatives along each member's own motion, over the members
  // that count and have derivatives.
  std::vector<double> gradient_count;     ///< [time][component], number of those members
  std::vector<double> mean_gradient;      ///< of the mean
  std::vector<double> variance_gradient;  ///< of std^2: 2 cov(number, derivative)
  std::vector<double> std_gradient;       ///< NaN where std is 0
  std::vector<double> quantile_gradient;  ///< [quantile][sensitivity][time][component], an estimate (SlopeSample)
};

/// Statistics of a run.
struct EnsembleStatistics {
  std::vector<double> times;        ///< s
  std::vector<double> quantiles;    ///< fractions, ascending
  std::vector<std::string> inputs;  ///< inputs of correlations
  std::vector<std::string> along;   ///< variables of the gradients
  std::string group_by;             ///< input by which members are grouped; "" without groups
  std::vector<double> groups;       ///< its values
  std::vector<long> ok_members;     ///< [time]
  std::vector<FieldStatistics> fields;
  /// A quantile returned for rank r has a rank within rank_error * count of r. 0 if all are exact.
  double rank_error = 0;
};

/// Numbers of some members at one saved time, reduced on the device that computed them: for every component of the
/// requested fields, with fields in the order of `all_fields`. The members are whole leaves, except the last of the
/// ensemble.
struct ReducedFrame {
  /// A node of the tree of samples, see plan_merge: of the members from index * kept * 2^level on.
  struct Node {
    int level = 0;
    long index = 0;
    Sample sample;
    std::vector<double> values;  ///< ascending
  };
  /// Statistics of one component: its moments and, for quantiles, samples.
  struct Component {
    std::vector<Moments> leaves;  ///< of leaf_members each
    std::vector<Node> nodes;      ///< in the order of their members; nodes in which no member counts may be omitted
  };

  long index = 0;    ///< into RunInfo::times
  long first = 0;    ///< first member
  long members = 0;  ///< number of members of the ensemble, from the first on
  long ok_members = 0;
  std::vector<Component> components;
};

/// A sink that can process a run without its members.
class ReducedSink {
 public:
  virtual ~ReducedSink() = default;
  /// Plan of its statistics, valid after begin, if it uses only these from a frame and nothing from a block. Null if it
  /// needs the members themselves.
  virtual const StatisticsPlan* reduced_plan() const = 0;
  /// Replaces write for members that are already reduced; gives the same bits if the reduction has the same bits.
  virtual void write_reduced(ReducedFrame frame) = 0;
};

/// Collects the statistics that RunInfo::options request, for the requested fields. Stores no members: its memory is
/// that of the plan, for any number of members. The bits of the result do not depend on blocks or threads. Frames of a
/// time must come in the order of the members.
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

  /// Collected data so far, as bytes that this build of the library can read.
  std::string state() const;
  /// Adds the data that another sink of the same run has collected for the members that come next. Call it after begin,
  /// to continue from where that sink stopped; or for the parts of an ensemble, in order, to get the statistics of all
  /// members with the bits of an undivided run. Throws Error(file_error) if the state is damaged, or does not belong to
  /// such members.
  void absorb(const std::string& state);

  const StatisticsPlan& plan() const;
  /// Valid after finish.
  const EnsembleStatistics& result() const;

 private:
  class Collector;
  std::unique_ptr<Collector> collector_;
};

}  // namespace kalaba
