#pragma once

#include "backend/reference/model.hpp"
#include "kalaba/core/model/method.hpp"

namespace kalaba::reference {

/// Factor of a metric G = F F^T: F = U S, where S is the symmetric root of U^-1 G U^-1 by eigen-decomposition and U is
/// diagonal, powers of 2 that bring the diagonal of this matrix near 1. Lengths and angles may then differ in size by
/// any factor. Empty unless G is finite and positive definite.
struct MetricRoot {
  bool positive_definite = false;
  Matrix root;          ///< F^T
  Matrix inverse_root;  ///< F^-T
  Matrix inverse;       ///< G^-1
};

MetricRoot metric_root(const Matrix& metric);

/// Inertia of the rates and of the rows of A, for a metric that may be singular: that of a rate is G_ii, and, if at
/// least two rows join it to much larger ones, theirs too; that of a row, 1 / sum_i A_ri^2 / (inertia of i) over the
/// rates that have one. Rates of none have that of their rows, and rows that reach none that of the first of them, 1.
/// All follow the units of rates and rows.
struct Completion {
  Completion(const Matrix& G, const Matrix& A);

  Vector of_rates;  ///< 0 for rates that have neither inertia nor rows
  Vector of_rows;

  /// G + A^T D A with the inertias D of the rows: equal on virtual displacements, and definite if [G; A] has full rank.
  Matrix metric(const Matrix& G, const Matrix& A) const;
};

/// No larger singular value, or ratio of a row to the others, is near a singular position.
inline constexpr double near_value = 0.1;

/// Choice of the singular values (svd) or pivots (qr) that count, for rows of unit length: those above `tolerance`
/// times the largest; at least as many as before, `least`, as long as they are above `held` times the largest; and at
/// most `most`.
/// A row without an entry above `shortest_row` times the largest entry of the same column consists of rounding errors
/// of the other rows, and does not count.
struct RankChoice {
  double tolerance = 0;
  double held = 0;
  int least = 0;
  int most = 1 << 20;
  double shortest_row = 2e-13;

  static RankChoice fresh(const Method& method) { return {method.rank_tolerance, method.rank_tolerance}; }
  /// Choice at the start of a step; `rank` is the previous one, -1 at first.
  static RankChoice at_step(const Method& method, int rank);
  /// Choice within a step that began with this rank.
  static RankChoice within_step(const Method& method, int rank);
};

/// For each row, the largest ratio of one of its entries to the largest entry of the same column; 0 for a zero row.
Vector relative_lengths(const Matrix& rows);

struct PseudoInverse {
  Matrix matrix;             ///< pseudo-inverse of B; NaN if B is not finite
  int rank = 0;              ///< number of singular values or pivots above the tolerance
  double sigma_kept = 0;     ///< the smallest of those, 0 if there is none
  double sigma_dropped = 0;  ///< the largest of the others
  /// The smallest singular value that counts, for every method, or the least ratio of a row to the others if it is
  /// smaller.
  double least_value = 0;
};

PseudoInverse pseudo_inverse(const Matrix& B, kalaba::PseudoInverse method, const RankChoice& choice);

/// Returns the largest |value|; 0 if there are none, NaN if any is NaN.
double max_norm(const Vector& values);

}  // namespace kalaba::reference
