#include "scenario/sampling/distribution.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <boost/math/special_functions/erf.hpp>
#include <cmath>
#include <numbers>
#include <numeric>

#include "scenario/document/document.hpp"
#include "scenario/document/toml_text.hpp"

namespace kalaba {
namespace {

/// a + u (b - a), without overflow, within [a, b], and bitwise independent of contraction (FMA) by the compiler.
double between(double a, double b, double u) {
  return std::clamp(std::fma(u, b, std::fma(-u, a, a)), std::min(a, b), std::max(a, b));
}

double normal_below(double z) { return std::erfc(-z / std::numbers::sqrt2) / 2; }

/// Quantile of a standard normal truncated to [a, b]. Bounds above the mean are mirrored: near 1 the upper tail has no
/// precision.
double truncated_quantile(double a, double b, double u) {
  if (a > 0) return -truncated_quantile(-b, -a, 1 - u);
  const double below = normal_below(a);
  return std::clamp(normal_quantile(std::fma(u, normal_below(b) - below, below)), a, b);
}

std::string list_of(const std::vector<double>& values) {
  std::vector<std::string> numbers(values.size());
  std::transform(values.begin(), values.end(), numbers.begin(), toml_number);
  return fmt::format("[{}]", fmt::join(numbers, ", "));
}

std::string pair_of(const char* name, double first, double second) {
  return fmt::format("{{ {} = [{}, {}] }}", name, toml_number(first), toml_number(second));
}

}  // namespace

double normal_quantile(double u) { return -std::numbers::sqrt2 * boost::math::erfc_inv(2 * u); }

long Distribution::points() const {
  if (kind == Kind::values) return static_cast<long>(values.size());
  return kind == Kind::linspace ? count : 1;
}

double Distribution::at_point(long point) const {
  if (kind == Kind::values) return values[static_cast<std::size_t>(point)];
  return count == 1 ? first : between(first, second, static_cast<double>(point) / static_cast<double>(count - 1));
}

double Distribution::quantile(double u) const {
  if (kind == Kind::normal) {
    if (second == 0) return first;
    const double z =
        is_truncated ? truncated_quantile((low - first) / second, (high - first) / second, u) : normal_quantile(u);
    const double value = std::fma(second, z, first);
    return is_truncated ? std::clamp(value, low, high) : value;
  }
  if (kind != Kind::discrete) return draw(u, u);  // these kinds use the first argument only
  if (weights.empty()) {
    const auto point = static_cast<std::size_t>(u * static_cast<double>(values.size()));
    return values[std::min(point, values.size() - 1)];
  }
  double left = u * std::accumulate(weights.begin(), weights.end(), 0.0);
  std::size_t last = 0;  // index of the last point with a weight, for u beyond the rounded sum
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (weights[i] == 0) continue;
    last = i;
    left -= weights[i];
    if (left < 0) break;
  }
  return values[last];
}

double Distribution::draw(double u1, double u2) const {
  if (is_truncated || kind == Kind::discrete) return quantile(u1);
  switch (kind) {
    case Kind::uniform:
      return between(first, second, u1);
    case Kind::normal:
      return std::fma(second, std::sqrt(-2 * std::log(u1)) * std::cos(2 * std::numbers::pi * u2), first);
    case Kind::log_uniform:
      return std::clamp(std::exp(between(std::log(first), std::log(second), u1)), first, second);
    default:
      return first;
  }
}

std::string Distribution::to_toml() const {
  switch (kind) {
    case Kind::constant:
      return toml_number(first);
    case Kind::uniform:
      return pair_of("uniform", first, second);
    case Kind::normal:
      if (!is_truncated) return pair_of("normal", first, second);
      return fmt::format("{{ normal = {}, within = {} }}", list_of({first, second}), list_of({low, high}));
    case Kind::discrete:
      if (weights.empty()) return fmt::format("{{ discrete = {} }}", list_of(values));
      return fmt::format("{{ discrete = {}, weights = {} }}", list_of(values), list_of(weights));
    case Kind::log_uniform:
      return pair_of("log_uniform", first, second);
    case Kind::linspace:
      return fmt::format("{{ linspace = [{}, {}, {}] }}", toml_number(first), toml_number(second), count);
    case Kind::values:
      return fmt::format("{{ values = {} }}", list_of(values));
    case Kind::file:
      if (path.empty()) return fmt::format("{{ array = {} }}", toml_string(column));
      return fmt::format("{{ file = {}, column = {} }}", toml_string(path), toml_string(column));
    case Kind::formula:
      return toml_string(formula);
    case Kind::correlated:
      break;
  }
  return "";
}

}  // namespace kalaba
