#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace kalaba {

/// Estimate of a share of an output's variance, and its standard error; NaN if there are too few points.
struct SobolIndex {
  double share = 0;
  double error = 0;

  /// Half width of the 95 % confidence interval.
  double reach() const { return 1.959963984540054 * error; }
};

/// Decomposition of an output's variance (Sobol' 1993).
struct SobolIndices {
  std::vector<SobolIndex> first;  ///< [input]: effect of the input alone; estimator of Saltelli et al. 2010
  std::vector<SobolIndex> total;  ///< [input]: including interactions with other inputs; estimator of Jansen 1999
  long points = 0;                ///< number of points used
  long left_out = 0;              ///< points without a value for some member
};

/// Computes the indices from the members of the design saltelli in their order: of each point a, b, and for every
/// input, a with that input from b. A point counts if all its values are finite. The errors are first-order in 1/N, for
/// independent points; they are smaller for a Sobol' sequence.
SobolIndices sobol_indices(std::span<const double> values, std::size_t inputs);

}  // namespace kalaba
