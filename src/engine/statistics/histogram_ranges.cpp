#include "engine/statistics/histogram_ranges.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "kalaba/ensemble.hpp"

namespace kalaba {
namespace {

constexpr long most_members = 200;
constexpr double beside = 0.1;  ///< of the range, on either side

/// Returns the range of a component's values; nothing if it is never finite.
std::optional<HistogramRange> range_of(const Result& result, const std::string& component) {
  double low = std::numeric_limits<double>::infinity();
  double high = -low;
  for (std::size_t frame = 0; frame < result.times().size(); ++frame) {
    for (const double value : result.values(component, frame)) {
      if (!std::isfinite(value)) continue;
      low = std::min(low, value);
      high = std::max(high, value);
    }
  }
  if (low > high) return std::nullopt;
  const double size = high > low ? high - low : (low != 0 ? std::abs(low) : 1.0);
  return HistogramRange{component, low - beside * size, high + beside * size};
}

}  // namespace

std::vector<HistogramRange> histogram_ranges(const System& system, const MemberSource& source, Options options) {
  options.statistics = {};
  options.trajectories = true;
  if (options.fields.has(Field::q)) options.fields = options.fields.only(Field::q);
  const Result result = run(evenly_chosen(system, source, most_members), options);
  std::vector<HistogramRange> ranges;
  for (const FieldLayout& layout : saved_layouts(system.info, options.fields)) {
    for (const std::string& component : layout.components) {
      if (const auto range = range_of(result, component)) ranges.push_back(*range);
    }
  }
  return ranges;
}

}  // namespace kalaba
