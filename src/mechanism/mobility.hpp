#pragma once

#include <optional>

#include "formula/graph/zero_terms.hpp"
#include "formula/mechanics/derive.hpp"

namespace kalaba::mechanism {

/// Rates that the constraints leave free, nw - rank A, at the closed position that Gauss-Newton steps reach from a
/// start; none if they reach no closed position.
std::optional<int> mobility(const formula::Graph& graph, const formula::Terms& terms,
                            const formula::TypicalValues& start);

}  // namespace kalaba::mechanism
