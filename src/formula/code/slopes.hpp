#pragma once

#include <optional>
#include <string>
#include <vector>

#include "formula/mechanics/single_row.hpp"
#include "kalaba/system.hpp"

namespace kalaba::formula {

/// Formulas of (q, w, x), whose derivatives along (dq, dw, dx), parameters and time are linear in them, in two parts:
/// `kept`, once for all directions, and what is left for each.
struct Slopes {
  std::string name;                      ///< of the struct that the core reads (kalaba/core/sensitivities/tangent.hpp)
  std::vector<Id> known;                 ///< x: symbols
  std::vector<Id> dq, dw, dx;            ///< symbols; no dx where x stays
  std::vector<Id> kept;                  ///< of p, t, q, w and x
  std::vector<Id> kept_as;               ///< the symbols that stand for them
  std::vector<Id> along;                 ///< the slopes, of parameters, `kept_as`, dq, dw and dx
  std::vector<std::vector<Id>> add_own;  ///< contribution of a parameter or of time to each; empty for other columns

  std::vector<Id> roots() const;
};

/// Returns the slopes of the terms in the groups that the core reads: Tangents and FastColumns for sensitivities,
/// RateSlopes for a Jacobian.
std::vector<Slopes> slopes_of(Graph& graph, const Terms& terms, const std::optional<SingleRow>& row, int parameters,
                              const Derivatives& asked);

}  // namespace kalaba::formula
