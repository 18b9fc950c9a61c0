#include "engine/statistics/component_statistics.hpp"

#include <algorithm>
#include <limits>
#include <string>
#include <utility>

#include "kalaba/error.hpp"

namespace kalaba {

namespace {

/// Returns the numbers of the members that have derivatives, and NaN for the others.
std::vector<double> with_slopes(std::span<const double> values, const std::vector<const double*>& slopes) {
  std::vector<double> whole(values.begin(), values.end());
  for (const double* const column : slopes) {
    for (std::size_t i = 0; i < whole.size(); ++i) {
      if (!is_counted(column[i])) whole[i] = std::numeric_limits<double>::quiet_NaN();
    }
  }
  return whole;
}

}  // namespace

ComponentStatistics::ComponentStatistics(const StatisticsPlan& plan, const StatisticsOptions& requested, bool has_range,
                                         std::size_t sensitivities, long first)
    : moments(first) {
  if (plan.kept > 0) quantiles.emplace(plan.kept, first);
  if (requested.has(Statistic::correlation)) correlation.emplace(requested.inputs.size(), first);
  if (!requested.group_by.empty()) groups.emplace(requested.groups.size(), first);
  if (has_range) histogram.emplace(static_cast<std::size_t>(requested.bins));
  if (sensitivities > 0) gradient.emplace(sensitivities, first);
  if (sensitivities > 0 && plan.kept > 0) slopes.emplace(sensitivities, plan.slope_share, first);
}

void ComponentStatistics::add(std::span<const double> values, const MemberInputs& inputs, std::span<const double> edges,
                              const std::vector<const double*>& slopes_of) {
  moments.add(values);
  if (quantiles) quantiles->add(values);
  if (correlation) correlation->add(values, inputs.rows());
  if (groups) groups->add(values, inputs.group_of());
  if (histogram) histogram->add(values, edges);
  if (!gradient) return;
  const std::vector<double> whole = with_slopes(values, slopes_of);
  gradient->add(whole, slopes_of);
  if (slopes) slopes->add(whole, slopes_of);
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
  put(gradient);
  put(slopes);
}

void ComponentStatistics::absorb(StateReader& state) {
  const auto get = [&](auto& statistic) {
    state.require(state.get<bool>() == statistic.has_value(), "the requested statistics");
    if (statistic) statistic->absorb(state);
  };
  moments.absorb(state);
  get(quantiles);
  get(correlation);
  get(groups);
  get(histogram);
  get(gradient);
  get(slopes);
}

const HistogramRange* range_of(const StatisticsOptions& requested, const FieldLayout& layout, std::size_t component) {
  if (!requested.has(Statistic::histogram)) return nullptr;
  const std::size_t copies = layout.size() / layout.components.size();
  const auto found =
      std::ranges::find(requested.histograms, layout.components[component / copies], &HistogramRange::component);
  return found == requested.histograms.end() ? nullptr : &*found;
}

std::optional<Field> gradient_source(const SystemInfo& system, const Options& options, Field field) {
  if (!options.statistics.has(Statistic::gradient) || !options.fields.has(field)) return std::nullopt;
  const auto found = std::ranges::find(differentiated_fields, field, &DifferentiatedField::field);
  if (found == differentiated_fields.end()) return std::nullopt;
  const bool is_there = options.fields.has(found->sensitivity) && has_field(system, found->sensitivity);
  return is_there ? std::optional(found->sensitivity) : std::nullopt;
}

bool has_histogram(const StatisticsOptions& requested, const FieldLayout& layout) {
  for (std::size_t i = 0; i < layout.size(); ++i) {
    if (range_of(requested, layout, i) != nullptr) return true;
  }
  return false;
}

}  // namespace kalaba
