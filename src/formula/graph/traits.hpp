#pragma once

#include <vector>

#include "formula/graph/graph.hpp"

namespace kalaba::formula {

/// Kinds of symbols that an expression may depend on, as bits.
enum Dependence : unsigned {
  on_parameters = 1,
  on_time = 2,
  on_coordinates = 4,
  on_rates = 8,
  on_ideal_force = 16,
  on_observed = 32,
};
inline constexpr unsigned on_positions = on_parameters | on_time | on_coordinates;
inline constexpr unsigned on_state = on_positions | on_rates;

/// Properties of the expressions of a growing graph. Each node is visited once.
class Traits {
 public:
  static constexpr int no_polynomial = 1000;

  explicit Traits(const Graph& graph) : graph_(graph) {}

  unsigned depends_on(Id id) { return of(id).kinds; }
  /// As a polynomial in the rates as it is written; no_polynomial where it is none.
  int degree(Id id) { return of(id).degree; }
  /// Some symbol of that kind in the expression; -1 where there is none.
  Id symbol_in(Id id, Op kind) const;

 private:
  struct Trait {
    unsigned kinds = 0;
    int degree = 0;
  };
  const Trait& of(Id id);
  Trait trait_of(const Node& node) const;
  int degree_of(const Node& node) const;

  const Graph& graph_;
  std::vector<Trait> traits_;
};

}  // namespace kalaba::formula
