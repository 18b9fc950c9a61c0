#pragma once

#include <string>
#include <vector>

#include "formula/mechanics/derive.hpp"
#include "kalaba/backend/row_plan.hpp"

namespace kalaba::formula {

/// The columns of the entries of each row that are not the number 0, rising.
using RowPattern = std::vector<std::vector<int>>;

/// The first `rows` rows of a matrix.
RowPattern pattern_of(const Graph& graph, const Matrix& matrix, int rows);
/// The entries above the diagonal of a metric's factor F F^T that is eliminated from the last row to the first, closed
/// under (i, j), (j, k) -> (i, k), as kalaba/core/inverse/sparse_metric.hpp requires.
RowPattern factor_pattern(const Graph& graph, const Terms& terms);
/// The entries of A F^-T that may differ from zero, for rows of A and the entries above the diagonal of F.
RowPattern weighted_pattern(const RowPattern& rows, const RowPattern& factor);
/// How many entries that are.
int count_of(const RowPattern& rows);

/// Order in which the rows of B in B B^T x = e are eliminated, and envelope of the factor L of the reordered matrix:
/// row i of L begins in column first[i].
struct Elimination {
  std::vector<int> order;
  std::vector<int> first;

  /// Multiplications, up to a factor, that the factor takes.
  long cost() const;
};

/// As the rows stand, by minimum degree, or by reverse Cuthill and McKee, whichever costs least.
Elimination eliminate(const RowPattern& rows);

/// Pattern and elimination as the tables that the core reads for interpreted models.
RowPlan row_plan(const RowPattern& rows);
/// Pattern and elimination as a struct for emitted models (kalaba/core/model/pattern.hpp).
std::string pattern_text(const std::string& name, const RowPattern& rows, int columns);

}  // namespace kalaba::formula
