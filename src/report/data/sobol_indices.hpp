#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace kalaba {

/// A share of an output's variance, and the standard error of what was found of it; NaN where there is too little.
struct SobolIndex {
  double share = 0;
  double error = 0;

  /// Half of the interval that holds the share in 95 of 100 cases.
  double reach() const { return 1.959963984540054 * error; }
};

/// What an output's variance is made of (Sobol' 1993).
struct SobolIndices {
  std::vector<SobolIndex> first;  ///< [input]: by this one alone; of Saltelli et al. 2010
  std::vector<SobolIndex> total;  ///< [input]: with all that it does jointly with others; of Jansen 1999
  long points = 0;                ///< of the design that they are from
  long left_out = 0;              ///< of it, because a member has no value
};

/// From the members of the design saltelli in their order: of each point its a, its b, and for every input a with that
/// of b in its place. A point counts where all of these are finite. The errors are those of independent points to the
/// first order in 1/N; those of a Sobol' sequence are smaller.
SobolIndices sobol_indices(std::span<const double> values, std::size_t inputs);

}  // namespace kalaba
