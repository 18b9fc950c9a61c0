#pragma once

#include "formula/graph/graph.hpp"
#include "kalaba/system.hpp"

namespace kalaba::formula {

/// Returns `value`, an expression of a member's numbers, as 0 while constraints of the system hold it at zero, so that
/// rounding errors do not give it a sign; and `value` itself if they do not. A constraint holds it if it vanishes at
/// all states that satisfy the constraint (SystemInfo::constrained_states), up to rounding, and not beside them.
Id zero_while_held(Graph& graph, Id value, const SystemInfo& system);

/// As above for every comparison of a condition: a < b becomes 0 < b - a, with that difference.
Id with_held_differences(Graph& graph, Id condition, const SystemInfo& system);

}  // namespace kalaba::formula
