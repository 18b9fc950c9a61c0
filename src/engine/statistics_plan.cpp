#include <algorithm>
#include <bit>
#include <cmath>
#include <string>

#include "engine/moments_accumulator.hpp"
#include "engine/quantile_sketch.hpp"
#include "kalaba/statistics.hpp"

namespace kalaba {
namespace {

constexpr long most_kept = 4096;
constexpr long fewest_kept = 64;

/// Levels of a tree over leaves of `leaf` members.
double levels(long members, long leaf) {
  return std::bit_width(static_cast<unsigned long>((members + leaf - 1) / leaf));
}

double bytes_of_moments(long members) {
  constexpr double node = sizeof(Moments) + 2 * sizeof(long);
  return sizeof(MomentsAccumulator) + sizeof(LeafSums) + 2 * node * levels(members, leaf_members);
}

/// Whole leaves on their way into the tree, or the tree; and the leaf under way.
double bytes_of_quantiles(long members, long kept) {
  const double leaves = std::ceil(static_cast<double>(members) / static_cast<double>(kept));
  const double moving = QuantileSketch::whole_leaves + levels(QuantileSketch::whole_leaves * kept, kept);
  const double nodes = std::min(leaves, std::max(moving, levels(members, kept))) + 1;
  return sizeof(QuantileSketch) + nodes * static_cast<double>(kept * sizeof(double) + sizeof(SampleNode));
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

void check_quantiles(const std::vector<double>& shares) {
  const auto refuse = [](const std::string& found) {
    throw Error(ExitCode::bad_input, "statistics: expected ascending quantiles from 0 to 1, found " + found);
  };
  if (shares.empty()) refuse("none");
  for (std::size_t i = 0; i < shares.size(); ++i) {
    if (!(shares[i] >= 0 && shares[i] <= 1)) refuse(std::to_string(shares[i]));
    if (i > 0 && shares[i] <= shares[i - 1]) {
      refuse(std::to_string(shares[i]) + " after " + std::to_string(shares[i - 1]));
    }
  }
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
  for (const Field field : all_fields) {
    if (!options.fields.has(field)) continue;
    plan.components += static_cast<long>(field_layout(system, field).size());
  }
  if (plan.components == 0) {
    throw Error(ExitCode::bad_input,
                "statistics: expected fields to take them of, found none that " + system.name + " has");
  }
  const double numbers = static_cast<double>(plan.components) * static_cast<double>(times);
  plan.bytes = numbers * bytes_of_moments(members);
  if (options.statistics.has(Statistic::quantiles)) {
    check_quantiles(options.statistics.quantiles);
    const double moments = plan.bytes;
    for (plan.kept = most_kept;; plan.kept /= 2) {
      plan.bytes = moments + numbers * bytes_of_quantiles(members, plan.kept);
      if (plan.bytes <= options.memory_budget || plan.kept == fewest_kept) break;
    }
    plan.exact_members = QuantileSketch::whole_leaves * plan.kept;
    plan.rank_error = rank_error(members, plan.kept);
  }
  if (plan.bytes > options.memory_budget) refuse_memory(plan, options, times);
  return plan;
}

}  // namespace kalaba
