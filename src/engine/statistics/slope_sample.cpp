#include "engine/statistics/slope_sample.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "kalaba/core/base/moments.hpp"
#include "kalaba/mixed_bits.hpp"

namespace kalaba {
namespace {

/// Least-squares line of one number over another, in differences to the point of evaluation.
struct Line {
  double count = 0;
  double x = 0;  ///< mean
  double y = 0;  ///< mean
  double xx = 0;
  double xy = 0;

  void add(double dx, double dy) {
    count += 1;
    const double apart = dx - x;
    x += apart / count;
    y += (dy - y) / count;
    xx += apart * (dx - x);
    xy += apart * (dy - y);
  }
  /// Value at 0; the mean if there is a single x.
  double there() const { return xx > 0 ? y - xy / xx * x : y; }
};

}  // namespace

bool SlopeSample::is_chosen(long member) const {
  return static_cast<double>(mixed_bits(static_cast<std::uint64_t>(member)) >> 11) * 0x1p-53 < share_;
}

void SlopeSample::add(std::span<const double> values, std::span<const double* const> slopes) {
  for (std::size_t i = 0; i < values.size(); ++i, ++next_) {
    if (!is_counted(values[i]) || !is_chosen(next_)) continue;
    rows_.push_back(values[i]);
    for (const double* const column : slopes) rows_.push_back(column[i]);
  }
}

std::vector<double> SlopeSample::slopes_at(double value) const {
  if (rows_.empty()) return std::vector<double>(columns_, std::numeric_limits<double>::quiet_NaN());
  std::vector<double> distances;
  for (std::size_t i = 0; i < size(); ++i) distances.push_back(std::abs(rows_[i * width()] - value));
  const long neighbours = std::max(1L, std::lround(std::pow(static_cast<double>(size()), 0.8)));
  std::vector<double> sorted = distances;
  const auto farthest = sorted.begin() + neighbours - 1;
  std::ranges::nth_element(sorted, farthest);
  std::vector<Line> lines(columns_);
  for (std::size_t i = 0; i < size(); ++i) {
    if (distances[i] > *farthest) continue;
    const double* const row = rows_.data() + i * width();
    for (std::size_t column = 0; column < columns_; ++column) lines[column].add(row[0] - value, row[1 + column]);
  }
  std::vector<double> slopes;
  for (const Line& line : lines) slopes.push_back(line.there());
  return slopes;
}

void SlopeSample::save(StateWriter& state) const {
  state.put(next_);
  state.put(rows_);
}

void SlopeSample::absorb(StateReader& state) {
  const long next = state.get<long>();
  state.require(next >= next_, "slopes of the members that come next");
  const std::vector<double> rows = state.get_all<double>();
  state.require(rows.size() % width() == 0, "slopes along the same columns");
  rows_.insert(rows_.end(), rows.begin(), rows.end());
  next_ = next;
}

double SlopeSample::bytes(std::size_t columns, double members) {
  // Vectors may allocate twice their size, and a few more members than expected may be chosen.
  const double most = members + 8 * std::sqrt(members);
  return sizeof(SlopeSample) + 2 * most * static_cast<double>((columns + 1) * sizeof(double));
}

}  // namespace kalaba
