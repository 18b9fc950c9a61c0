#pragma once

#include "formula/derive.hpp"
#include "formula/graph.hpp"
#include "kalaba/formula/statement.hpp"

namespace kalaba::formula {

/// Whether the motion of a statement keeps its energy, derived or stated, for any parameters: the given forces have no
/// power beside the energy's, and the constraint forces have none. Identities of the graph are tested at pseudo-random
/// states; false where too few of these have finite numbers.
bool conserves_energy(const Graph& graph, const Statement& statement, const Terms& terms);

}  // namespace kalaba::formula
