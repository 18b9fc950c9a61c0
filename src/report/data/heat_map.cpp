#include "report/data/heat_map.hpp"

#include <algorithm>
#include <cmath>

#include "text/nan.hpp"

namespace kalaba {
namespace {

constexpr double members_a_bin = 10;
constexpr std::size_t fewest_bins = 4;

bool is_number(double value) { return std::abs(value) <= 1e300; }

/// Distinct values, ascending; values that differ by rounding only are merged.
std::vector<double> distinct(std::vector<double> values) {
  std::erase_if(values, [](double value) { return !is_number(value); });
  std::ranges::sort(values);
  if (values.empty()) return values;
  const double same = 1e-9 * std::max(std::abs(values.front()), std::abs(values.back()));
  std::vector<double> result;
  for (const double value : values) {
    if (result.empty() || value - result.back() > same) result.push_back(value);
  }
  return result;
}

/// Midpoints between neighbours, and outer edges at the same distances.
std::vector<double> edges_between(const std::vector<double>& points) {
  if (points.size() == 1) {
    const double half = points[0] == 0 ? 0.5 : 0.05 * std::abs(points[0]);
    return {points[0] - half, points[0] + half};
  }
  std::vector<double> edges = {points[0] - (points[1] - points[0]) / 2};
  for (std::size_t i = 1; i < points.size(); ++i) edges.push_back(points[i - 1] / 2 + points[i] / 2);
  edges.push_back(points.back() + (points.back() - edges.back()));
  return edges;
}

/// Merges cells to at most `most` cells, each of the same number of old cells except the last.
std::vector<double> coarser(const std::vector<double>& edges, std::size_t most) {
  const std::size_t cells = edges.size() - 1;
  const std::size_t each = (cells + most - 1) / most;
  std::vector<double> result;
  for (std::size_t i = 0; i < cells; i += each) result.push_back(edges[i]);
  result.push_back(edges.back());
  return result;
}

std::vector<double> even_edges(const std::vector<double>& values, std::size_t bins) {
  const Range range = full_range(values);
  std::vector<double> edges;
  for (std::size_t i = 0; i <= bins; ++i) {
    edges.push_back(range.low + (range.high - range.low) * static_cast<double>(i) / static_cast<double>(bins));
  }
  return edges;
}

/// Index of the cell of a value; the last edge belongs to the last cell.
std::size_t cell_of(const std::vector<double>& edges, double value) {
  const auto above = std::upper_bound(edges.begin() + 1, edges.end() - 1, value);
  return static_cast<std::size_t>(above - edges.begin()) - 1;
}

/// Returns true for a full grid with the same number of members at each point.
bool spans_grid(const MemberColumn& x, const MemberColumn& y, const std::vector<double>& xs,
                const std::vector<double>& ys) {
  const std::size_t points = xs.size() * ys.size();
  if (xs.size() < 2 || ys.size() < 2 || points > x.values.size() || x.values.size() % points != 0) return false;
  const std::vector<double> across = edges_between(xs);
  const std::vector<double> up = edges_between(ys);
  std::vector<std::size_t> counts(points, 0);
  for (std::size_t i = 0; i < x.values.size(); ++i) {
    if (!is_number(x.values[i]) || !is_number(y.values[i])) return false;
    ++counts[cell_of(up, y.values[i]) * xs.size() + cell_of(across, x.values[i])];
  }
  return std::ranges::all_of(counts, [&](std::size_t count) { return count == x.values.size() / points; });
}

HeatMap empty_map(const MemberColumn& x, const MemberColumn& y, std::vector<double> across, std::vector<double> up) {
  HeatMap map;
  map.x = {x.name, x.unit, std::move(across)};
  map.y = {y.name, y.unit, std::move(up)};
  map.values.assign(map.x.cells() * map.y.cells(), 0);
  map.counts.assign(map.values.size(), 0);
  return map;
}

}  // namespace

HeatMap heat_map(const MemberColumn& x, const MemberColumn& y, const MemberColumn& value, std::size_t most_cells) {
  const std::vector<double> xs = distinct(x.values);
  const std::vector<double> ys = distinct(y.values);
  const bool is_grid = spans_grid(x, y, xs, ys);
  const auto bins = static_cast<std::size_t>(std::sqrt(static_cast<double>(x.values.size()) / members_a_bin));
  const std::size_t shown = std::clamp(bins, fewest_bins, std::max(most_cells, fewest_bins));
  HeatMap map = is_grid
                    ? empty_map(x, y, coarser(edges_between(xs), most_cells), coarser(edges_between(ys), most_cells))
                    : empty_map(x, y, even_edges(x.values, shown), even_edges(y.values, shown));
  map.name = value.name;
  map.unit = value.unit;
  map.is_grid = is_grid;
  for (std::size_t i = 0; i < value.values.size(); ++i) {
    if (!is_number(value.values[i]) || !is_number(x.values[i]) || !is_number(y.values[i])) {
      ++map.missing;
      continue;
    }
    ++map.members;
    const std::size_t cell = cell_of(map.y.edges, y.values[i]) * map.x.cells() + cell_of(map.x.edges, x.values[i]);
    const auto count = static_cast<double>(++map.counts[cell]);
    map.values[cell] += (value.values[i] - map.values[cell]) / count;
  }
  for (std::size_t cell = 0; cell < map.values.size(); ++cell) {
    if (map.counts[cell] == 0) map.values[cell] = nan;
  }
  return map;
}

HeatMap density_map(const MemberColumn& x, const MemberColumn& y, std::size_t most_cells) {
  const double members = static_cast<double>(finite_values(x.values).size());
  const auto bins = static_cast<std::size_t>(std::sqrt(members / members_a_bin * 4));
  const std::size_t shown = std::clamp(bins, fewest_bins, std::max(most_cells, fewest_bins));
  HeatMap map = empty_map(x, y, even_edges(x.values, shown), even_edges(y.values, shown));
  map.name = "members";
  for (std::size_t i = 0; i < x.values.size(); ++i) {
    if (!is_number(x.values[i]) || !is_number(y.values[i])) {
      ++map.missing;
      continue;
    }
    ++map.members;
    ++map.counts[cell_of(map.y.edges, y.values[i]) * map.x.cells() + cell_of(map.x.edges, x.values[i])];
  }
  for (std::size_t cell = 0; cell < map.values.size(); ++cell) {
    map.values[cell] = map.counts[cell] == 0 ? nan : static_cast<double>(map.counts[cell]);
  }
  return map;
}

}  // namespace kalaba
