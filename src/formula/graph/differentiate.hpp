#pragma once

#include <unordered_map>
#include <vector>

#include "formula/graph/graph.hpp"

namespace kalaba::formula {

/// Derivative of the root of a sum of squares where it is zero. Its derivatives from two opposite sides are opposite:
/// in a product with a factor that vanishes there too, as in v |v|, zero is exact.
enum class NormAtZero { undefined, zero };

/// Directional derivatives: the derivative of f is the sum over the symbols s of the direction of df/ds times the entry
/// of s. Derivatives are stored, so that many expressions share one pass. Functions with kinks are differentiated on
/// the branch that holds; the jump itself has no derivative.
class Tangent {
 public:
  Tangent(Graph& graph, std::unordered_map<Id, Id> direction, NormAtZero norm_at_zero = NormAtZero::undefined)
      : graph_(graph), known_(std::move(direction)), norm_at_zero_(norm_at_zero) {}
  Id operator()(Id id);

 private:
  Id known(Id id) const;
  Id of_node(Id id);
  Id of_product(const Node& node, Id da, Id db);
  Id of_quotient(Id id, const Node& node, Id da, Id db);
  Id of_power(Id id, const Node& node, Id da, Id db);

  Graph& graph_;
  std::unordered_map<Id, Id> known_;  // leaves that are not there have the derivative 0
  NormAtZero norm_at_zero_;
};

/// df/ds
Id derivative(Graph& graph, Id f, Id symbol);

}  // namespace kalaba::formula
