#pragma once

#include <map>
#include <vector>

#include "formula/mechanics/derive.hpp"

namespace kalaba::formula {

/// Recurrence of a node's Taylor coefficients c_k along a motion. Each is a sum of products of lower coefficients plus
/// a part that is linear in the coefficients of order k of the arguments.
enum class Recurrence {
  leaf,      ///< a symbol
  held,      ///< constant within a step: sign(x), the slope of a table's last degree, choices between constants
  linear,    ///< sum, difference, negation, and products and quotients by constants
  product,   ///< c = a b
  square,    ///< c = a^2
  quotient,  ///< c b = a
  function,  ///< c' = sum of slope * argument'
  choice,    ///< those of one of two nodes, by a condition at the beginning of a step
};

/// The derivative of a function by one of its arguments: c' = slope argument' + ...
struct SlopeOf {
  Id argument;
  Id slope;
};

/// The node of which a choice has the coefficients.
struct Choice {
  Id condition;
  Id yes;
  Id no;
};

/// A node whose sign decides on a branch of a formula, or the place of a table: a series is valid until it changes.
struct Margin {
  enum class Of { number, lower_end, upper_end };  ///< ends of the piece of a table in which `node` lies

  Id node;
  Id terms;  ///< sum of the magnitudes of the terms of `node`
  Of of = Of::number;
  int table = -1;
};

/// Formulas of the constrained motion whose coefficients the core computes order by order
/// (core/loop/taylor_series.hpp), and the nodes that their recurrences need.
struct Series {
  std::vector<Id> w_dot;      ///< symbols: w' [nw]
  std::vector<Id> lambda;     ///< symbols: multipliers [m], or for servo-constraints the forces of the actuators
  std::vector<Id> positions;  ///< phi
  std::vector<Id> velocity;   ///< K; empty if q' = w
  std::vector<Id> rates;      ///< psi
  /// G w' - F - C - A^T lambda [nw], with a non-ideal force C; for momenta G (w' - F - C) - A^T lambda. A
  /// servo-constraint has S, the directions of its actuators, in place of A^T.
  std::vector<Id> residual;
  bool solves_forces = false;                 ///< C depends on lambda
  std::map<Id, std::vector<SlopeOf>> slopes;  ///< of the nodes that are functions
  std::map<Id, Choice> choices;               ///< of the nodes that are choices
  std::vector<Margin> margins;
  std::map<Id, Recurrence> nodes;  ///< all nodes that depend on the state or on time, arguments first

  std::vector<Id> roots() const;
};

/// Throws Error (bad_input) for a model that has no Taylor series or whose series is not implemented; the message names
/// the remedy.
Series series_of(Graph& graph, const Terms& terms);

}  // namespace kalaba::formula
