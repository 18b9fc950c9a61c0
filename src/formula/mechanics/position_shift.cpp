#include "formula/mechanics/position_shift.hpp"

namespace kalaba::formula {
namespace {

/// True if two rows of a matrix have an entry in the same column.
bool overlap(const Graph& graph, const Matrix& matrix, int a, int b) {
  for (int i = 0; i < matrix.cols; ++i) {
    if (!graph.is_number(matrix(a, i), 0) && !graph.is_number(matrix(b, i), 0)) return true;
  }
  return false;
}

/// phi / |gradient|^2 of row r, divided by the number of rows that it overlaps, so that rows that state the same are
/// not corrected twice; 0 where the gradient vanishes.
Id factor_of(Graph& graph, const Terms& terms, int r) {
  const Matrix& gradient = terms.unreached;
  Id square = graph.number(0);
  for (int i = 0; i < gradient.cols; ++i) {
    square = graph.add(square, graph.multiply(gradient(r, i), gradient(r, i)));
  }
  if (graph.is_number(square, 0)) return square;
  int overlapping = 0;
  for (int other = 0; other < gradient.rows; ++other) overlapping += overlap(graph, gradient, r, other) ? 1 : 0;
  const Id zero = graph.number(0);
  const Id part = graph.divide(graph.divide(terms.phi[static_cast<std::size_t>(r)], square), graph.number(overlapping));
  return graph.select(graph.binary(Op::less, zero, square), part, zero);
}

}  // namespace

std::vector<Id> position_shift(Graph& graph, const Terms& terms) {
  if (terms.velocity_is_w) return {};
  const Matrix& jacobian = terms.velocity_jacobian;
  std::vector<Id> factors;
  for (int r = 0; r < terms.unreached.rows; ++r) factors.push_back(factor_of(graph, terms, r));
  std::vector<Id> shift;
  for (int i = 0; i < jacobian.rows; ++i) {
    Id sum = graph.number(0);
    for (int j = 0; j < jacobian.cols; ++j) {
      sum = graph.add(sum, graph.multiply(jacobian(i, j), graph.symbol(Op::ideal, j)));
    }
    for (int r = 0; r < terms.unreached.rows; ++r) {
      sum = graph.add(sum, graph.multiply(terms.unreached(r, i), factors[static_cast<std::size_t>(r)]));
    }
    shift.push_back(sum);
  }
  return shift;
}

}  // namespace kalaba::formula
