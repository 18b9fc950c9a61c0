#pragma once

#include "formula/mechanics/derive.hpp"

namespace kalaba::formula {

/// The model of the motion while all contacts are open: without their rows and forces, and without what only observes
/// a motion (energy, invariants, joint reactions).
Terms open_terms(Graph& graph, const Terms& terms);

/// Gaps of the contacts, followed by their rates.
std::vector<Id> contact_gaps(Graph& graph, const Terms& terms);

}  // namespace kalaba::formula
