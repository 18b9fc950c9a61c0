#pragma once

#include <span>
#include <vector>

namespace kalaba {

/// Values that can be drawn: the finite ones within ±1e300, whose differences are finite too.
std::vector<double> finite_values(std::span<const double> values);

/// Quantiles of `values` (finite_values, in any order; they are rearranged) at ascending probabilities `shares` in [0,
/// 1], with linear interpolation; NaN if there are no values.
std::vector<double> quantiles(std::vector<double>& values, std::span<const double> shares);

struct Histogram {
  double low = 0;              ///< left edge of the first bin
  double width = 0;            ///< of a bin
  std::vector<double> shares;  ///< of all values, including those outside, in each bin
  long outside = 0;            ///< number of outliers, which are in no bin
};

/// Histogram of finite_values with equal bins, whose number increases with the number of values. Outliers, beyond the
/// central 99 % by more than its width, have no bin.
Histogram histogram(std::vector<double> values);

/// Range of an axis for values from `low` to `high`: slightly wider, and of nonzero width if all values are equal.
struct Range {
  double low = 0;
  double high = 1;
};
Range axis_range(std::span<const double> values);
/// Returns true if the difference is within rounding.
bool is_flat(double low, double high);
/// Range from minimum to maximum; a range of nonzero width if they are flat.
Range full_range(std::span<const double> values);

/// Widens one of the ranges to equal scales on both axes of a frame with width/height `aspect`.
void make_scales_equal(Range& x, Range& y, double aspect);

}  // namespace kalaba
