#pragma once

#include <unordered_map>
#include <vector>

#include "formula/graph.hpp"

namespace kalaba::formula {

/// Derivatives in one direction: that of f is the sum over the direction's symbols s of df/ds times its entry. What it
/// finds is kept, so that many expressions share one pass. abs, min, max, select and sign are differentiated on the
/// branch that holds; the jump itself has no derivative.
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
  Id of_function(Id id, Op op, Id x, Id dx);

  Graph& graph_;
  std::unordered_map<Id, Id> known_;  // leaves that are not there have the derivative 0
};

/// df/ds
Id derivative(Graph& graph, Id f, Id symbol);

}  // namespace kalaba::formula
