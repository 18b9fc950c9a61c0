#pragma once

#include "kalaba/backend/reference_model.hpp"
#include "kalaba/core/method.hpp"

namespace kalaba::reference {

/// The symmetric roots of a metric G, by eigen-decomposition. Empty unless G is finite and positive definite.
struct MetricRoot {
  bool positive_definite = false;
  Matrix root;          ///< G^(1/2)
  Matrix inverse_root;  ///< G^(-1/2)
  Matrix inverse;       ///< G^(-1)
};

MetricRoot metric_root(const Matrix& metric);

struct PseudoInverse {
  Matrix matrix;             ///< B+; NaN where B is not finite
  int rank = 0;              ///< singular values (svd) or pivots (qr) above rank_tolerance times the largest
  double sigma_kept = 0;     ///< the smallest of those, 0 where there is none
  double sigma_dropped = 0;  ///< the largest of the others
};

PseudoInverse pseudo_inverse(const Matrix& B, kalaba::PseudoInverse method, double rank_tolerance);

/// The largest |value|; 0 of none, NaN if any is NaN.
double max_norm(const Vector& values);

}  // namespace kalaba::reference
