#pragma once

#include <vector>

#include "backend/reference/model.hpp"

namespace kalaba::reference {

/// Equations rows u = bounds, or inequalities rows u >= bounds.
struct BoundedRows {
  Matrix rows;
  Vector bounds;
};

/// Result of `nearest_point`.
struct NearestPoint {
  bool exists = false;  ///< false: the conditions contradict each other, and nothing else is set
  Vector u;
  Vector multipliers;  ///< of the inequalities, not negative: u - u_0 = N^T multipliers + a combination of rows of A
  std::vector<bool> active;  ///< inequalities that hold as equations; independent of each other and of the equations
};

/// Violations below this fraction of the terms from which they are computed are rounding error.
inline constexpr double row_rounding = 1e-12;

/// Returns the nearest point to u_0 with A u = a and N u >= n, in the null space of A. The active set of N is found by
/// enumeration, in the order of the size of the sets and then of their first rows; for more than `most_enumerated`
/// inequalities (at most 32) by nonnegative least squares. Rows whose part in the null space is at most
/// `rank_tolerance` of them depend on A. The tolerance also decides on the rank of A and of active sets, relative to
/// the largest singular value of their unit rows.
NearestPoint nearest_point(const Vector& u_0, const BoundedRows& equations, const BoundedRows& inequalities,
                           double rank_tolerance, int most_enumerated = 8);

/// Orthonormal basis of the null space of A, in columns.
Matrix null_space(const Matrix& A, double rank_tolerance);

}  // namespace kalaba::reference
