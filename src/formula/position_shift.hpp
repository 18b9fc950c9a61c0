#pragma once

#include "formula/derive.hpp"

namespace kalaba::formula {

/// The change of the coordinates by a correction of the rates, for which the ideal force stands: dK/dw times it. Where
/// constraints are kept by the kinematics alone (Terms::unreached), their own correction is subtracted, along their
/// gradients. Empty where q' = w.
std::vector<Id> position_shift(Graph& graph, const Terms& terms);

}  // namespace kalaba::formula
