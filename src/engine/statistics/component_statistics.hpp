#pragma once

#include <optional>
#include <span>
#include <vector>

#include "engine/statistics/bin_counts.hpp"
#include "engine/statistics/co_moments.hpp"
#include "engine/statistics/grouped_moments.hpp"
#include "engine/statistics/member_inputs.hpp"
#include "engine/statistics/moments_accumulator.hpp"
#include "engine/statistics/quantile_sketch.hpp"
#include "engine/statistics/slope_sample.hpp"
#include "kalaba/statistics.hpp"

namespace kalaba {

/// Requested statistics of one component of a field at one saved time.
struct ComponentStatistics {
  MomentsAccumulator moments;
  std::optional<QuantileSketch> quantiles = {};
  std::optional<CoMomentsAccumulator> correlation = {};
  std::optional<GroupedMoments> groups = {};
  std::optional<BinCounts> histogram = {};
  std::optional<CoMomentsAccumulator> gradient = {};  ///< with the derivatives along each sensitivity
  std::optional<SlopeSample> slopes = {};             ///< likewise, for quantiles

  /// Accepts members from `first` on. `has_range`: a histogram is defined for the component. `sensitivities`: number of
  /// variables with respect to which gradients are taken.
  ComponentStatistics(const StatisticsPlan& plan, const StatisticsOptions& requested, bool has_range,
                      std::size_t sensitivities, long first);

  /// Adds the next members; `edges` are those of the histogram, `slopes_of` the derivatives along each sensitivity.
  void add(std::span<const double> values, const MemberInputs& inputs, std::span<const double> edges,
           const std::vector<const double*>& slopes_of);
  /// Adds members that the runner has already reduced: only moments and quantiles.
  void add(ReducedFrame::Component& reduced, long members);

  void save(StateWriter& state) const;
  void absorb(StateReader& state);
};

/// Returns the range of number `component` of a field's layout, for an agent of a swarm too; null if there is none.
const HistogramRange* range_of(const StatisticsOptions& requested, const FieldLayout& layout, std::size_t component);

}  // namespace kalaba
