#include <algorithm>
#include <bit>
#include <cmath>
#include <string>

#include <functional>
#include "engine/statistics/component_statistics.hpp"
#include "engine/statistics/member_inputs.hpp"
#include "kalaba/error.hpp"
#include "kalaba/options.hpp"
#include "kalaba/statistics.hpp"
#include "kalaba/system.hpp"

namespace kalaba {
namespace {

[[noreturn]] void refuse(const std::string& what) { throw Error(ExitCode::bad_input, "statistics: expected " + what); }

void check_quantiles(const std::vector<double>& shares) {
  const auto refuse_them = [](const std::string& found) { refuse("ascending quantiles from 0 to 1, found " + found); };
  if (shares.empty()) refuse_them("none");
  for (std::size_t i = 0; i < shares.size(); ++i) {
    if (!(shares[i] >= 0 && shares[i] <= 1)) refuse_them(std::to_string(shares[i]));
    if (i > 0 && shares[i] <= shares[i - 1]) {
      refuse_them(std::to_string(shares[i]) + " after " + std::to_string(shares[i - 1]));
    }
  }
}

bool is_component(const SystemInfo& system, const SavedFields& fields, const std::string& name) {
  return std::ranges::any_of(saved_layouts(system, fields), [&](const FieldLayout& layout) {
    return std::ranges::count(layout.components, name) > 0;
  });
}

void check_histograms(const SystemInfo& system, const Options& options) {
  const StatisticsOptions& requested = options.statistics;
  if (requested.bins < 1) refuse("one bin of a histogram or more, found " + std::to_string(requested.bins));
  for (const HistogramRange& range : requested.histograms) {
    if (!is_component(system, options.fields, range.component)) {
      refuse("histograms of components of the saved fields, found " + range.component);
    }
    if (!(range.low < range.high) || !std::isfinite(range.high - range.low)) {
      refuse("a histogram of " + range.component + " from a low to a higher end, found " + std::to_string(range.low) +
             " and " + std::to_string(range.high));
    }
  }
}

void check_inputs(const SystemInfo& system, const StatisticsOptions& requested) {
  if (requested.inputs.empty()) refuse("a parameter or initial value that varies, to correlate with; found none");
  for (const std::string& input : requested.inputs) member_input(system, input);
}

void check_groups(const SystemInfo& system, const StatisticsOptions& requested) {
  member_input(system, requested.group_by);
  const bool ascending = std::ranges::adjacent_find(requested.groups, std::greater_equal()) == requested.groups.end();
  if (requested.groups.empty() || !ascending)
    refuse("ascending values of " + requested.group_by + " to group members by");
}

void check_gradients(const SystemInfo& system, const Options& options) {
  const auto has_gradient = [&](Field field) { return gradient_source(system, options, field).has_value(); };
  if (std::ranges::none_of(all_fields, has_gradient)) {
    refuse("a field and its sensitivity, such as q and q_sensitivity, to take gradients of; found none");
  }
}

/// Throws Error(bad_input) if the requested statistics have no meaning for the system and the fields.
void check_statistics(const SystemInfo& system, const Options& options) {
  const StatisticsOptions& requested = options.statistics;
  if (requested.has(Statistic::quantiles)) check_quantiles(requested.quantiles);
  if (requested.has(Statistic::histogram)) check_histograms(system, options);
  if (requested.has(Statistic::correlation)) check_inputs(system, requested);
  if (requested.has(Statistic::gradient)) check_gradients(system, options);
  if (!requested.group_by.empty()) check_groups(system, requested);
}

constexpr long most_kept = 4096;
constexpr long fewest_kept = 64;
constexpr long slopes_a_kept = 4;  // members with slopes, per number of a sample

/// Levels of a tree over leaves of `leaf` members.
double levels(long members, long leaf) {
  return std::bit_width(static_cast<unsigned long>((members + leaf - 1) / leaf));
}

/// Returns the bytes of all statistics of a component except quantiles.
double bytes_of_component(const StatisticsOptions& requested, bool has_range, std::size_t sensitivities, long members) {
  constexpr double node = sizeof(Moments) + 2 * sizeof(long);
  const double height = levels(members, leaf_members);
  double bytes = sizeof(ComponentStatistics) + sizeof(LeafSums) + 2 * node * height;
  if (requested.has(Statistic::correlation)) bytes += CoMomentsAccumulator::bytes(requested.inputs.size(), height);
  if (!requested.group_by.empty()) bytes += GroupedMoments::bytes(requested.groups.size(), height);
  if (sensitivities > 0) bytes += CoMomentsAccumulator::bytes(sensitivities, height);
  if (has_range) bytes += BinCounts::bytes(static_cast<std::size_t>(requested.bins));
  return bytes;
}

/// Bytes of whole leaves before they enter the tree, or of the tree; plus the incomplete leaf.
double bytes_of_quantiles(long members, long kept) {
  const double leaves = std::ceil(static_cast<double>(members) / static_cast<double>(kept));
  const double moving = QuantileSketch::whole_leaves + levels(QuantileSketch::whole_leaves * kept, kept);
  const double nodes = std::min(leaves, std::max(moving, levels(members, kept))) + 1;
  return nodes * static_cast<double>(kept * sizeof(double) + sizeof(SampleNode));
}

double rank_error(long members, long kept) {
  if (members <= QuantileSketch::whole_leaves * kept) return 0;
  const auto size = static_cast<double>(kept);
  return (std::log2(static_cast<double>(members) / size) / 4 + 2) / size;
}

std::string memory_text(double bytes) {
  return bytes < 1e7 ? std::to_string(std::lround(bytes / 1e3)) + " kB"
                     : std::to_string(std::lround(bytes / 1e6)) + " MB";
}

[[noreturn]] void refuse_memory(const StatisticsPlan& plan, const Options& options, std::size_t times) {
  throw Error(ExitCode::bad_input, "statistics of " + std::to_string(plan.components) + " numbers at " +
                                       std::to_string(times) + " saved times: expected to fit " +
                                       memory_text(options.memory_budget) + " (solver.memory), found that they need " +
                                       memory_text(plan.bytes) +
                                       "; save fewer times or fields, or raise solver.memory");
}

}  // namespace

StatisticsPlan plan_statistics(const SystemInfo& system, const Options& options, long members, std::size_t times) {
  StatisticsPlan plan;
  double once = 0;            // bytes at one saved time
  double differentiated = 0;  // components with gradients
  for (const FieldLayout& layout : saved_layouts(system, options.fields)) {
    const std::size_t sensitivities = gradient_source(system, options, layout.field) ? system.sensitivities.size() : 0;
    for (std::size_t i = 0; i < layout.size(); ++i) {
      const bool has_range = range_of(options.statistics, layout, i) != nullptr;
      once += bytes_of_component(options.statistics, has_range, sensitivities, members);
    }
    if (sensitivities > 0) differentiated += static_cast<double>(layout.size());
    plan.components += static_cast<long>(layout.size());
  }
  if (plan.components == 0) {
    throw Error(ExitCode::bad_input,
                "statistics: expected fields to take them of, found none that " + system.name + " has");
  }
  check_statistics(system, options);
  const double numbers = static_cast<double>(plan.components) * static_cast<double>(times);
  plan.bytes = once * static_cast<double>(times);
  if (options.statistics.has(Statistic::quantiles)) {
    const double others = plan.bytes;
    for (plan.kept = most_kept;; plan.kept /= 2) {
      plan.bytes = others + numbers * bytes_of_quantiles(members, plan.kept);
      const double slopes = std::min(static_cast<double>(slopes_a_kept * plan.kept), static_cast<double>(members));
      plan.slope_share = differentiated > 0 ? slopes / static_cast<double>(members) : 0;
      if (differentiated > 0) {
        plan.bytes +=
            differentiated * static_cast<double>(times) * SlopeSample::bytes(system.sensitivities.size(), slopes);
      }
      if (plan.bytes <= options.memory_budget || plan.kept == fewest_kept) break;
    }
    plan.exact_members = QuantileSketch::whole_leaves * plan.kept;
    plan.rank_error = rank_error(members, plan.kept);
  }
  if (plan.bytes > options.memory_budget) refuse_memory(plan, options, times);
  return plan;
}

}  // namespace kalaba
