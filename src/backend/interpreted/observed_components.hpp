#pragma once

#include "kalaba/backend/interpreted_model.hpp"
#include "kalaba/core/model/field.hpp"

namespace kalaba {

/// Components of a field of an interpreted model.
inline int observed_components(const InterpretedModel& model, Field field) {
  switch (field) {
    case Field::q:
      return model.coordinates;
    case Field::w:
    case Field::constraint_force:
    case Field::ideal_force:
    case Field::non_ideal_force:
    case Field::constraint_rate:
    case Field::balance_rate:
      return model.rates;
    case Field::multipliers:
    case Field::constraints:
      return model.constraints;
    case Field::energy:
      return model.has_energy ? 1 : 0;
    case Field::invariants:
      return model.invariants;
    case Field::joint_reactions:
      return model.reactions;
    case Field::residual:
    case Field::violation:
    case Field::rank:
    case Field::sigma_kept:
    case Field::sigma_dropped:
      return 1;
    default:
      return 0;  // sensitivities and fields derived from them
  }
}

}  // namespace kalaba
