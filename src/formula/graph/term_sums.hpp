#pragma once

#include <span>
#include <vector>

#include "formula/graph/graph.hpp"

namespace kalaba::formula {

/// Expressions of the sums of the magnitudes of the terms from which these expressions are computed: at least their
/// absolute values, and more where terms cancel. They have the same units. Arguments of functions count by what cancels
/// in them; tables as one term.
std::vector<Id> term_sums(Graph& graph, std::span<const Id> roots);

}  // namespace kalaba::formula
