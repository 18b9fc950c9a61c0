#include "report/data/statistics.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace kalaba {

bool is_flat(double low, double high) { return high - low <= 1e-9 * std::max(std::abs(low), std::abs(high)); }

std::vector<double> finite_values(std::span<const double> values) {
  std::vector<double> finite;
  finite.reserve(values.size());
  std::ranges::copy_if(values, std::back_inserter(finite), [](double value) { return std::abs(value) <= 1e300; });
  return finite;
}

std::vector<double> quantiles(std::vector<double>& values, std::span<const double> shares) {
  if (values.empty()) return std::vector<double>(shares.size(), std::numeric_limits<double>::quiet_NaN());
  std::vector<double> result;
  auto sorted = values.begin();  // elements before it are not greater than those behind
  for (double share : shares) {
    const double place = share * static_cast<double>(values.size() - 1);
    const auto below = values.begin() + static_cast<long>(place);
    if (below >= sorted) std::nth_element(sorted, below, values.end());
    sorted = std::max(sorted, below);
    const double fraction = place - std::floor(place);
    const double above = fraction > 0 ? *std::min_element(below + 1, values.end()) : *below;
    result.push_back(*below + fraction * (above - *below));
  }
  return result;
}

Histogram histogram(std::vector<double> values) {
  Histogram result;
  if (values.empty()) return result;
  const auto [least, greatest] = std::ranges::minmax(values);
  if (is_flat(least, greatest)) return {.low = least, .width = 0, .shares = {1}};
  const std::vector<double> center = quantiles(values, std::array{0.005, 0.995});
  const double reach = center[1] - center[0];
  const double high = std::min(greatest, center[1] + reach);
  result.low = std::max(least, center[0] - reach);
  const auto count = static_cast<double>(values.size());
  const double bins = std::clamp(std::ceil(2 * std::cbrt(count)), 5.0, 60.0);
  result.width = (high - result.low) / bins;
  result.shares.resize(static_cast<std::size_t>(bins));
  for (double value : values) {
    if (value < result.low || value > high) {
      ++result.outside;
      continue;
    }
    const double bin = result.width > 0 ? std::min((value - result.low) / result.width, bins - 1) : 0;
    result.shares[static_cast<std::size_t>(bin)] += 1 / count;
  }
  return result;
}

Range axis_range(std::span<const double> values) {
  const std::vector<double> finite = finite_values(values);
  if (finite.empty()) return {};
  const auto [low, high] = std::ranges::minmax(finite);
  const double size = std::max(std::abs(low), std::abs(high));
  const bool flat = is_flat(low, high);
  const double margin = flat ? (size > 0 ? 0.05 * size : 1) : 0.05 * (high - low);
  return {low - margin, high + margin};
}

Range full_range(std::span<const double> values) {
  const std::vector<double> finite = finite_values(values);
  if (finite.empty()) return {};
  const auto [low, high] = std::ranges::minmax(finite);
  return is_flat(low, high) ? axis_range(finite) : Range{low, high};
}

void make_scales_equal(Range& x, Range& y, double aspect) {
  const double height = std::max(y.high - y.low, (x.high - x.low) / aspect);
  const auto widen = [](Range& range, double size) {
    const double middle = range.low / 2 + range.high / 2;
    range = {middle - size / 2, middle + size / 2};
  };
  widen(x, height * aspect);
  widen(y, height);
}

}  // namespace kalaba
