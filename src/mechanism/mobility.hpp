#pragma once

#include <optional>

#include "formula/graph/zero_terms.hpp"
#include "formula/mechanics/derive.hpp"

namespace kalaba::mechanism {

struct Mobility {
  int free = 0;       ///< rates that the constraints leave free: nw - rank A
  int redundant = 0;  ///< rows of A that are not zero, less their rank
};

/// Mobility at the closed position that Gauss-Newton steps reach from a start; none if they reach no closed position.
std::optional<Mobility> mobility(const formula::Graph& graph, const formula::Terms& terms,
                                 const formula::TypicalValues& start);

}  // namespace kalaba::mechanism
