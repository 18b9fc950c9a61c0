#pragma once

#include <map>
#include <vector>

#include "formula/mechanics/derive.hpp"

namespace kalaba::formula {

/// Recurrence of a node's Taylor coefficients c_k along a motion. Each is a sum of products of lower coefficients plus
/// a part that is linear in the coefficients of order k of the arguments.
enum class Recurrence {
  leaf,      ///< a symbol
  linear,    ///< sum, difference, negation, and products and quotients by constants
  product,   ///< c = a b
  square,    ///< c = a^2
  quotient,  ///< c b = a
  function,  ///< c' = sum of slope * argument'
};

/// The derivative of a function by one of its arguments: c' = slope argument' + ...
struct SlopeOf {
  Id argument;
  Id slope;
};

/// Formulas of the constrained motion whose coefficients the core computes order by order
/// (core/loop/taylor_series.hpp), and the nodes that their recurrences need.
struct Series {
  std::vector<Id> w_dot;      ///< symbols: w' [nw]
  std::vector<Id> lambda;     ///< symbols: multipliers [m]
  std::vector<Id> positions;  ///< phi
  std::vector<Id> velocity;   ///< K; empty if q' = w
  std::vector<Id> rates;      ///< psi
  /// G w' - F - A^T lambda [nw]; for momenta G (w' - F) - A^T lambda.
  std::vector<Id> residual;
  std::map<Id, std::vector<SlopeOf>> slopes;  ///< of the nodes that are functions
  std::map<Id, Recurrence> nodes;             ///< all nodes that depend on the state or on time, arguments first

  std::vector<Id> roots() const;
};

/// Throws Error (bad_input) for a model that has no Taylor series or whose series is not implemented; the message names
/// the remedy.
Series series_of(Graph& graph, const Terms& terms);

}  // namespace kalaba::formula
