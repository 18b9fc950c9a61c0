#pragma once

#include <span>

#include "kalaba/backend/interpreted_model.hpp"
#include "kalaba/backend/member_functions.hpp"

namespace kalaba {

/// One of the core's loops for interpreted models in this build.
struct InterpretedLoop {
  RegisterMap map;  ///< the bounds
  PseudoInverse pseudo_inverse;
  Integrator integrator;
  MemberFunctions (*functions)();  ///< with the bounds as the model's extents
};

/// All loops, those with narrower bounds first.
std::span<const InterpretedLoop> interpreted_loops();

}  // namespace kalaba
