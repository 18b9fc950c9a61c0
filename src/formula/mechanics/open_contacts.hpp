#pragma once

#include "formula/mechanics/derive.hpp"

namespace kalaba::formula {

/// The model of the motion while all contacts are open: without their rows and forces, and without what only observes
/// a motion (energy, invariants, joint reactions).
Terms open_terms(Graph& graph, const Terms& terms);

/// Numbers of the contacts.
struct ContactValues {
  std::vector<Id> gaps;   ///< followed by their rates
  std::vector<Id> terms;  ///< sums of the magnitudes of their terms (term_sums), which tolerances are relative to
};

ContactValues contact_values(Graph& graph, const Terms& terms);

}  // namespace kalaba::formula
