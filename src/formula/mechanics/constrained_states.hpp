#pragma once

#include <vector>

#include "formula/mechanics/derive.hpp"
#include "kalaba/system.hpp"

namespace kalaba::formula {

/// Pseudo-random states that satisfy the constraints that always hold, and for each discrete variable that switches
/// rows of the constraints (`while` of a constraint, the mode of a contact, its stiction) such states that satisfy the
/// rows of that variable too. None for a servo, whose constraints hold asymptotically.
std::vector<ConstrainedStates> find_constrained_states(const Graph& graph, const Terms& terms, const SystemInfo& info);

/// Returns at most `count` states that satisfy the constraints that always hold, as above.
std::vector<ConstrainedStates::State> states_on_constraints(const Graph& graph, const Terms& terms,
                                                            const SystemInfo& info, int count);

}  // namespace kalaba::formula
