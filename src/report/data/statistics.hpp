#pragma once

#include <span>
#include <vector>

namespace kalaba {

/// The values that a picture can place: the finite ones within 1e300, so that their differences are finite too.
std::vector<double> finite_values(std::span<const double> values);

/// Quantiles of `values` (finite_values, in any order; they are rearranged) at ascending `shares` in 0 … 1,
/// interpolated linearly between neighbours; NaN where there are no values.
std::vector<double> quantiles(std::vector<double>& values, std::span<const double> shares);

struct Histogram {
  double low = 0;              ///< left edge of the first bin
  double width = 0;            ///< of a bin
  std::vector<double> shares;  ///< values in each bin, as a share of all, counting those outside
  long outside = 0;            ///< far-out values, which are in no bin
};

/// Equal bins of finite_values, more of them the more there are. Values further out than the central 99 % are wide get
/// no bin.
Histogram histogram(std::vector<double> values);

/// An axis for values from `low` to `high`: a little wider, and of some width even where they are all the same.
struct Range {
  double low = 0;
  double high = 1;
};
Range axis_range(std::span<const double> values);
/// No more apart than rounding makes numbers.
bool is_flat(double low, double high);
/// From the least to the greatest; where they are flat, their axis.
Range full_range(std::span<const double> values);

/// Widens one of the ranges until a unit is as long on both axes of a frame that is `aspect` times as wide as high.
void make_scales_equal(Range& x, Range& y, double aspect);

}  // namespace kalaba
