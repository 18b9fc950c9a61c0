#pragma once

#include <string>
#include <vector>

#include "scenario/document/document.hpp"
#include "scenario/sampling/sampler.hpp"

namespace kalaba {

/// Variables with a joint normal distribution of these means and this covariance.
struct CorrelatedNormal {
  Node node;                           ///< place of the table in the document
  std::vector<std::string> variables;  ///< "parameters.L", "initial.x"
  std::vector<double> mean;            ///< one per variable
  std::vector<double> covariance;      ///< [variable][variable], symmetric
  std::vector<double> factor;  ///< [variable][variable], lower triangular; factor times its transpose is the covariance

  /// The table as TOML.
  std::string to_toml() const;
};

/// Lower triangular factor of a symmetric matrix, or a minor that proves that it is not positive semi-definite.
struct SemiDefiniteFactor {
  std::vector<double> lower;       ///< [row][column]; empty if there is none
  std::vector<std::size_t> minor;  ///< its rows and columns; empty if there is a factor
  double determinant = 0;          ///< of the minor; negative
};

/// Cholesky factor of a symmetric [size][size] matrix, computed from its correlations and then scaled, so that it does
/// not depend on units. A pivot within rounding (8 size eps) of 0 gives a column of zeros: semi-definite matrices have
/// a factor too.
SemiDefiniteFactor semi_definite_factor(const std::vector<double>& matrix, std::size_t size);

/// Reads the tables [[correlated]] of a document, for variables among `known`; a variable may occur in one table only.
std::vector<CorrelatedNormal> read_correlated(Document& document, const std::vector<std::string>& known);

}  // namespace kalaba
