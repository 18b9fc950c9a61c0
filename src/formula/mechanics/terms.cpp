#include <algorithm>

#include "formula/graph/traverse.hpp"
#include "formula/mechanics/derive.hpp"

namespace kalaba::formula {

Id Terms::metric_entry(int i, int j) const {
  if (diagonal) return i == j ? metric[static_cast<std::size_t>(i)] : -1;
  return metric[static_cast<std::size_t>(i * (i + 1) / 2 + j)];
}

bool Terms::needs_multipliers(const Graph& graph) const {
  const auto rates = static_cast<int>(force.size());
  return std::ranges::any_of(symbols_in(graph, non_ideal, Op::ideal), [&](Id id) { return graph[id].index >= rates; });
}

std::vector<Id> Terms::stage() const {
  std::vector<Id> roots;
  for (const auto* part : {&velocity, &metric, &force, &phi, &phi_dot, &psi, &A.entries, &b}) {
    roots.insert(roots.end(), part->begin(), part->end());
  }
  return roots;
}

std::vector<Id> Terms::all() const {
  std::vector<Id> roots = stage();
  for (const auto* part : {&inverse_root, &invariants, &non_ideal, &actuation.entries}) {
    roots.insert(roots.end(), part->begin(), part->end());
  }
  for (const auto& part : {gain, position_gain, energy, valid}) {
    if (part) roots.push_back(*part);
  }
  return roots;
}

}  // namespace kalaba::formula
