#pragma once

#include "formula/mechanics/derive.hpp"

namespace kalaba::formula {

/// The change of the coordinates by a correction of the rates, which the symbols of the ideal force represent: dK/dw
/// times the correction. The correction of constraints that the kinematics alone keep (Terms::unreached) is subtracted
/// along their gradients. Empty if q' = w.
std::vector<Id> position_shift(Graph& graph, const Terms& terms);

}  // namespace kalaba::formula
