#pragma once

#include <string>
#include <vector>

#include "scenario/document/document.hpp"
#include "scenario/sampling/sampler.hpp"

namespace kalaba {

/// Variables that are drawn together: of the normal distribution with these means and this covariance.
struct CorrelatedNormal {
  Node node;                           ///< where it was written
  std::vector<std::string> variables;  ///< "parameters.L", "initial.x"
  std::vector<double> mean;            ///< one a variable
  std::vector<double> covariance;      ///< [variable][variable], symmetric
  std::vector<double> factor;          ///< likewise, lower triangular; factor times its transpose is the covariance

  /// As a scenario states it.
  std::string to_toml() const;
};

/// The lower triangular factor of a symmetric matrix, or the minor that shows that it is not positive semi-definite.
struct SemiDefiniteFactor {
  std::vector<double> lower;       ///< [row][column]; empty where there is none
  std::vector<std::size_t> minor;  ///< rows and columns of it; empty where there is a factor
  double determinant = 0;          ///< of the minor, below 0
};

/// Cholesky's factor of a symmetric [size][size] matrix, of its correlations and then scaled, so that units do not
/// matter. A pivot within rounding (8 size eps) of 0 makes a column of zeros: semi-definite matrices have a factor too.
SemiDefiniteFactor semi_definite_factor(const std::vector<double>& matrix, std::size_t size);

/// The tables [[correlated]] of a document, of the variables that are `known`; each variable is in one of them at most.
std::vector<CorrelatedNormal> read_correlated(Document& document, const std::vector<std::string>& known);

}  // namespace kalaba
