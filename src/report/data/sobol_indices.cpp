#include "report/data/sobol_indices.hpp"

#include <algorithm>
#include <cmath>

#include "text/nan.hpp"

namespace kalaba {
namespace {

using Point = std::span<const double>;  // outputs of a, b, and a with each input of b

/// Ratio of the means of `share(point)` and `whole(point)`, and its standard error by the delta method.
template <class Share, class Whole>
SobolIndex ratio_of_means(const std::vector<Point>& points, const Share& share, const Whole& whole) {
  const auto count = static_cast<double>(points.size());
  double shares = 0;
  double wholes = 0;
  for (const Point point : points) {
    shares += share(point);
    wholes += whole(point);
  }
  const double ratio = shares / wholes;
  double squares = 0;
  for (const Point point : points) {
    const double off = share(point) - ratio * whole(point);
    squares += off * off;
  }
  return {ratio, count > 1 ? std::sqrt(squares * count / (count - 1)) / std::abs(wholes) : nan};
}

double mean_of_a_and_b(const std::vector<Point>& points) {
  const double origin = points.front()[0];  // subtracted, so that a mean far from zero does not lose precision
  double sum = 0;
  for (const Point point : points) sum += (point[0] - origin) + (point[1] - origin);
  return origin + sum / (2 * static_cast<double>(points.size()));
}

}  // namespace

SobolIndices sobol_indices(std::span<const double> values, std::size_t inputs) {
  const std::size_t together = inputs + 2;
  std::vector<Point> points;
  SobolIndices result;
  for (std::size_t at = 0; at + together <= values.size(); at += together) {
    const Point point = values.subspan(at, together);
    const bool counts = std::ranges::all_of(point, [](double value) { return std::isfinite(value); });
    if (counts) points.push_back(point);
    ++(counts ? result.points : result.left_out);
  }
  if (points.empty()) {
    result.first = result.total = std::vector<SobolIndex>(inputs, {nan, nan});
    return result;
  }
  const double mean = mean_of_a_and_b(points);
  const auto variance = [&](Point point) {
    const double a = point[0] - mean;
    const double b = point[1] - mean;
    return (a * a + b * b) / 2;
  };
  for (std::size_t input = 0; input < inputs; ++input) {
    const auto alone = [&](Point point) { return (point[1] - mean) * (point[input + 2] - point[0]); };
    const auto jointly = [&](Point point) {
      const double change = point[0] - point[input + 2];
      return change * change / 2;
    };
    result.first.push_back(ratio_of_means(points, alone, variance));
    result.total.push_back(ratio_of_means(points, jointly, variance));
  }
  return result;
}

}  // namespace kalaba
