#pragma once

#include <optional>
#include <span>
#include <vector>

#include "engine/bin_counts.hpp"
#include "engine/co_moments.hpp"
#include "engine/grouped_moments.hpp"
#include "engine/member_inputs.hpp"
#include "engine/moments_accumulator.hpp"
#include "engine/quantile_sketch.hpp"
#include "kalaba/statistics.hpp"

namespace kalaba {

/// All that is collected of one component of a field at one saved time, as far as it is asked for.
struct ComponentStatistics {
  MomentsAccumulator moments;
  std::optional<QuantileSketch> quantiles = {};
  std::optional<CoMomentsAccumulator> correlation = {};
  std::optional<GroupedMoments> groups = {};
  std::optional<BinCounts> histogram = {};

  /// Of members from `first` on; `has_range`: a histogram is given for the component.
  ComponentStatistics(const StatisticsPlan& plan, const StatisticsOptions& asked, bool has_range, long first);

  /// Adds the next members; `edges` are those of the histogram.
  void add(std::span<const double> values, const MemberInputs& inputs, std::span<const double> edges);
  /// Adds members that someone else has reduced: moments and quantiles alone.
  void add(ReducedFrame::Component& reduced, long members);

  void save(StateWriter& state) const;
  void absorb(StateReader& state);
};

/// The range that is given for number `component` of a field's layout, an agent's of a swarm; null where there is none.
const HistogramRange* range_of(const StatisticsOptions& asked, const FieldLayout& layout, std::size_t component);

}  // namespace kalaba
