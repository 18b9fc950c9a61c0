#pragma once

#include <memory>

#include "formula/mechanics/derive.hpp"
#include "kalaba/backend/interpreted_model.hpp"

namespace kalaba::formula {

/// The terms as operations on registers, which packs of members are interpreted with: the operations of the emitted
/// struct, in the same order of rounding. None where the model has a servo or a singular metric, or more of anything
/// than the map has room for.
std::shared_ptr<const InterpretedModel> instructions(const Graph& graph, const Terms& terms, int parameters,
                                                     const RegisterMap& map);

}  // namespace kalaba::formula
