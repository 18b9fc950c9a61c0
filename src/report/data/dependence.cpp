#include <algorithm>
#include <cmath>
#include <numeric>

#include "text/nan.hpp"

#include "report/data/sensitivity.hpp"

namespace kalaba {
namespace {

constexpr std::size_t fewest = 10;
constexpr double most_groups = 20;

struct Pairs {
  std::vector<double> x;
  std::vector<double> y;
};

Pairs finite_pairs(std::span<const double> x, std::span<const double> y) {
  Pairs pairs;
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (!std::isfinite(x[i]) || !std::isfinite(y[i])) continue;
    pairs.x.push_back(x[i]);
    pairs.y.push_back(y[i]);
  }
  return pairs;
}

double mean(std::span<const double> values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

/// Ends of groups of neighbouring x, in the order of x: groups of equal x if there are few distinct values, else groups
/// of about equal size; equal x are always in one group.
std::vector<std::size_t> group_ends(std::span<const double> sorted) {
  std::vector<std::size_t> distinct;
  for (std::size_t i = 1; i <= sorted.size(); ++i) {
    if (i == sorted.size() || sorted[i] != sorted[i - 1]) distinct.push_back(i);
  }
  const double groups = std::clamp(std::floor(std::sqrt(static_cast<double>(sorted.size())) / 2), 4.0, most_groups);
  if (static_cast<double>(distinct.size()) <= groups) return distinct;
  const double each = static_cast<double>(sorted.size()) / groups;
  std::vector<std::size_t> ends;
  for (const std::size_t end : distinct) {
    if (static_cast<double>(end) >= each * static_cast<double>(ends.size() + 1) - 0.5) ends.push_back(end);
  }
  return ends;
}

}  // namespace

double correlation(std::span<const double> x, std::span<const double> y) {
  const Pairs pairs = finite_pairs(x, y);
  if (pairs.x.empty()) return nan;
  const double mean_x = mean(pairs.x);
  const double mean_y = mean(pairs.y);
  double xx = 0;
  double yy = 0;
  double xy = 0;
  for (std::size_t i = 0; i < pairs.x.size(); ++i) {
    const double dx = pairs.x[i] - mean_x;
    const double dy = pairs.y[i] - mean_y;
    xx += dx * dx;
    yy += dy * dy;
    xy += dx * dy;
  }
  return xx > 0 && yy > 0 ? std::clamp(xy / std::sqrt(xx) / std::sqrt(yy), -1.0, 1.0) : nan;
}

std::vector<double> ranks(std::span<const double> values) {
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (!std::isnan(values[i])) order.push_back(i);
  }
  std::ranges::sort(order, {}, [&](std::size_t i) { return values[i]; });
  std::vector<double> result(values.size(), nan);
  for (std::size_t first = 0; first < order.size();) {
    std::size_t end = first + 1;
    while (end < order.size() && values[order[end]] == values[order[first]]) ++end;
    const double rank = static_cast<double>(first + end + 1) / 2;
    for (; first < end; ++first) result[order[first]] = rank;
  }
  return result;
}

Share share_of(std::span<const double> x, std::span<const double> y) {
  const Pairs pairs = finite_pairs(x, y);
  const std::size_t count = pairs.x.size();
  if (count < fewest) return {nan, nan};
  const std::vector<double> rank = ranks(pairs.y);
  std::vector<std::size_t> order(count);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return pairs.x[i]; });
  std::vector<double> sorted;
  for (const std::size_t i : order) sorted.push_back(pairs.x[i]);
  const std::vector<std::size_t> ends = group_ends(sorted);
  if (ends.size() < 2 || 2 * ends.size() > count) return {nan, nan};
  const double middle = mean(rank);
  double between = 0;
  double all = 0;
  std::size_t i = 0;
  for (const std::size_t end : ends) {
    const double size = static_cast<double>(end - i);
    double sum = 0;
    for (; i < end; ++i) {
      const double off = rank[order[i]] - middle;
      sum += off;
      all += off * off;
    }
    between += sum * sum / size;
  }
  if (!(all > 0)) return {nan, nan};
  const auto n = static_cast<double>(count);
  const auto groups = static_cast<double>(ends.size());
  const double by_chance = (groups - 1) / (n - groups);
  const double ratio = between / all;
  // For independent x and y, the ratio has mean (k - 1)/(n - 1) and variance about 2 (k - 1)/(n - 1)^2.
  return {std::clamp(ratio - (1 - ratio) * by_chance, 0.0, 1.0), 2 * std::sqrt(2 * (groups - 1)) / (n - groups)};
}

}  // namespace kalaba
