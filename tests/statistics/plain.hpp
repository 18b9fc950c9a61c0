#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "kalaba/core/base/moments.hpp"

namespace kalaba {

inline constexpr double nan_number = std::numeric_limits<double>::quiet_NaN();

/// Numbers of a kind: uniform, normal, constant, two-valued, sorted, falling, sawtooth (could resonate with a stride),
/// heavy (a few are very large).
inline std::vector<double> numbers(const std::string& kind, std::size_t count) {
  std::mt19937_64 random(count);
  std::vector<double> values(count);
  for (std::size_t i = 0; i < count; ++i) {
    const double u = (static_cast<double>(random() >> 11) + 0.5) * 0x1p-53;
    const double v = static_cast<double>(random() >> 11) * 0x1p-53;
    const double normal = std::sqrt(-2 * std::log(u)) * std::cos(6.283185307179586 * v);
    const auto place = static_cast<double>(i);
    if (kind == "uniform") values[i] = u;
    if (kind == "normal") values[i] = normal;
    if (kind == "constant") values[i] = 0.1;
    if (kind == "two_valued") values[i] = v < 0.3 ? -1 : 2;
    if (kind == "sorted") values[i] = place;
    if (kind == "falling") values[i] = -place;
    if (kind == "sawtooth") values[i] = std::fmod(place, 97);
    if (kind == "heavy") values[i] = std::exp(4 * normal);
  }
  return values;
}

inline const std::vector<std::string> kinds_of_numbers = {"uniform", "normal",  "constant", "two_valued",
                                                          "sorted",  "falling", "sawtooth", "heavy"};

inline std::vector<double> counted(const std::vector<double>& values) {
  std::vector<double> result;
  std::ranges::copy_if(values, std::back_inserter(result), [](double value) { return std::isfinite(value); });
  return result;
}

/// Moments of finite numbers, in two passes and in long double.
inline Moments plain_moments(const std::vector<double>& values) {
  long double sum = 0;
  for (const double value : values) sum += value;
  const long double mean = sum / static_cast<long double>(values.size());
  long double squares = 0;
  for (const double value : values) squares += (value - mean) * (value - mean);
  const auto [least, greatest] = std::ranges::minmax(values);
  return {static_cast<double>(values.size()), static_cast<double>(mean), static_cast<double>(squares), least, greatest};
}

/// Pearson's correlation, in two passes and in long double.
inline double plain_correlation(const std::vector<double>& x, const std::vector<double>& y) {
  long double mean_x = 0;
  long double mean_y = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    mean_x += x[i];
    mean_y += y[i];
  }
  mean_x /= static_cast<long double>(x.size());
  mean_y /= static_cast<long double>(x.size());
  long double xx = 0;
  long double xy = 0;
  long double yy = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    xx += (x[i] - mean_x) * (x[i] - mean_x);
    xy += (x[i] - mean_x) * (y[i] - mean_y);
    yy += (y[i] - mean_y) * (y[i] - mean_y);
  }
  return static_cast<double>(xy / std::sqrt(xx * yy));
}

/// numpy.quantile(values, share): linear interpolation between the two numbers next to (n - 1) share.
inline double plain_quantile(std::vector<double> values, double share) {
  std::ranges::sort(values);
  const double place = share * static_cast<double>(values.size() - 1);
  const auto below = static_cast<std::size_t>(place);
  const std::size_t above = std::min(below + 1, values.size() - 1);
  return values[below] + (place - static_cast<double>(below)) * (values[above] - values[below]);
}

/// Number of ranks between `value` and the position `rank` (from 0, may be fractional) in sorted values.
inline double rank_distance(const std::vector<double>& sorted, double value, double rank) {
  const auto range = std::ranges::equal_range(sorted, value);
  const auto first = static_cast<double>(range.begin() - sorted.begin());  // numbers below it
  const auto last = static_cast<double>(range.end() - sorted.begin());     // numbers not above it
  return std::max({0.0, first - std::ceil(rank), std::floor(rank) + 1 - last});
}

}  // namespace kalaba
