#include "engine/statistics/check_statistics.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>

#include "engine/statistics/member_inputs.hpp"
#include "kalaba/error.hpp"
#include "kalaba/statistics.hpp"

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
  const StatisticsOptions& asked = options.statistics;
  if (asked.bins < 1) refuse("one bin of a histogram or more, found " + std::to_string(asked.bins));
  for (const HistogramRange& range : asked.histograms) {
    if (!is_component(system, options.fields, range.component)) {
      refuse("histograms of components of the asked fields, found " + range.component);
    }
    if (!(range.low < range.high) || !std::isfinite(range.high - range.low)) {
      refuse("a histogram of " + range.component + " from a low to a higher end, found " + std::to_string(range.low) +
             " and " + std::to_string(range.high));
    }
  }
}

void check_inputs(const SystemInfo& system, const StatisticsOptions& asked) {
  if (asked.inputs.empty()) refuse("a parameter or initial value that varies, to correlate with; found none");
  for (const std::string& input : asked.inputs) member_input(system, input);
}

void check_groups(const SystemInfo& system, const StatisticsOptions& asked) {
  member_input(system, asked.group_by);
  const bool ascending = std::ranges::adjacent_find(asked.groups, std::greater_equal()) == asked.groups.end();
  if (asked.groups.empty() || !ascending) refuse("ascending values of " + asked.group_by + " to group members by");
}

void check_gradients(const SystemInfo& system, const Options& options) {
  const auto has_gradient = [&](Field field) { return gradient_source(system, options, field).has_value(); };
  if (std::ranges::none_of(all_fields, has_gradient)) {
    refuse("a field and its sensitivity, such as q and q_sensitivity, to take gradients of; found none");
  }
}

}  // namespace

void check_statistics(const SystemInfo& system, const Options& options) {
  const StatisticsOptions& asked = options.statistics;
  if (asked.has(Statistic::quantiles)) check_quantiles(asked.quantiles);
  if (asked.has(Statistic::histogram)) check_histograms(system, options);
  if (asked.has(Statistic::correlation)) check_inputs(system, asked);
  if (asked.has(Statistic::gradient)) check_gradients(system, options);
  if (!asked.group_by.empty()) check_groups(system, asked);
}

}  // namespace kalaba
