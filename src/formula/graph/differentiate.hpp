#pragma once

#include <unordered_map>
#include <vector>

#include "formula/graph/graph.hpp"

namespace kalaba::formula {

/// Directional derivatives: the derivative of f is the sum over the symbols s of the direction of df/ds times the entry
/// of s. Derivatives are stored, so that many expressions share one pass. Functions with kinks are differentiated on
/// the branch that holds; the jump itself has no derivative.
class Tangent {
 public:
  Tangent(Graph& graph, std::unordered_map<Id, Id> direction) : graph_(graph), known_(std::move(direction)) {}
  Id operator()(Id id);

 private:
  Id known(Id id) const;
  Id of_node(Id id);
  Id of_product(const Node& node, Id da, Id db);
  Id of_quotient(Id id, const Node& node, Id da, Id db);
  Id of_power(Id id, const Node& node, Id da, Id db);

  Graph& graph_;
  std::unordered_map<Id, Id> known_;  // leaves that are not there have the derivative 0
};

/// df/ds
Id derivative(Graph& graph, Id f, Id symbol);

}  // namespace kalaba::formula
