#include "engine/component_statistics.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "kalaba/error.hpp"

namespace kalaba {

ComponentStatistics::ComponentStatistics(const StatisticsPlan& plan, const StatisticsOptions& asked, bool has_range,
                                         long first)
    : moments(first) {
  if (plan.kept > 0) quantiles.emplace(plan.kept, first);
  if (asked.has(Statistic::correlation)) correlation.emplace(asked.inputs.size(), first);
  if (!asked.group_by.empty()) groups.emplace(asked.groups.size(), first);
  if (has_range) histogram.emplace(static_cast<std::size_t>(asked.bins));
}

void ComponentStatistics::add(std::span<const double> values, const MemberInputs& inputs,
                              std::span<const double> edges) {
  moments.add(values);
  if (quantiles) quantiles->add(values);
  if (correlation) correlation->add(values, inputs.values());
  if (groups) groups->add(values, inputs.group_of());
  if (histogram) histogram->add(values, edges);
}

void ComponentStatistics::add(ReducedFrame::Component& reduced, long members) {
  const long leaves = (members + leaf_members - 1) / leaf_members;
  if (static_cast<long>(reduced.leaves.size()) != leaves) {
    throw Error(ExitCode::internal_error,
                "statistics: expected leaves of all members of the frame: " + std::to_string(leaves) + ", found " +
                    std::to_string(reduced.leaves.size()));
  }
  const long end = moments.members() + members;
  for (const Moments& leaf : reduced.leaves) {
    moments.add_leaf(leaf, std::min<long>(leaf_members, end - moments.members()));
  }
  if (!quantiles) return;
  for (ReducedFrame::Node& node : reduced.nodes) {
    quantiles->add_node(node.level, node.index, {node.sample, std::move(node.values)});
  }
  quantiles->skip_to(end);
}

void ComponentStatistics::save(StateWriter& state) const {
  const auto put = [&](const auto& statistic) {
    state.put(statistic.has_value());
    if (statistic) statistic->save(state);
  };
  moments.save(state);
  put(quantiles);
  put(correlation);
  put(groups);
  put(histogram);
}

void ComponentStatistics::absorb(StateReader& state) {
  const auto get = [&](auto& statistic) {
    state.require(state.get<bool>() == statistic.has_value(), "the statistics that are asked for");
    if (statistic) statistic->absorb(state);
  };
  moments.absorb(state);
  get(quantiles);
  get(correlation);
  get(groups);
  get(histogram);
}

const HistogramRange* range_of(const StatisticsOptions& asked, const FieldLayout& layout, std::size_t component) {
  if (!asked.has(Statistic::histogram)) return nullptr;
  const std::size_t copies = layout.size() / layout.components.size();
  const auto found =
      std::ranges::find(asked.histograms, layout.components[component / copies], &HistogramRange::component);
  return found == asked.histograms.end() ? nullptr : &*found;
}

bool has_histogram(const StatisticsOptions& asked, const FieldLayout& layout) {
  for (std::size_t i = 0; i < layout.size(); ++i) {
    if (range_of(asked, layout, i) != nullptr) return true;
  }
  return false;
}

}  // namespace kalaba
