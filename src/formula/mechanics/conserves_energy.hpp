#pragma once

#include "formula/graph/graph.hpp"
#include "formula/mechanics/derive.hpp"
#include "kalaba/formula/statement.hpp"

namespace kalaba::formula {

/// True if the motion of a statement conserves its energy, derived or stated, for any parameters: the power of the
/// given forces is in the energy, and the constraint forces have none. Identities of the graph are tested at
/// pseudo-random states; false if too few of these have finite numbers.
bool conserves_energy(const Graph& graph, const Statement& statement, const Terms& terms);

}  // namespace kalaba::formula
