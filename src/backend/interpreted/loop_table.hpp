#pragma once

#include <span>

#include "kalaba/backend/interpreted_model.hpp"
#include "kalaba/backend/member_functions.hpp"

namespace kalaba {

/// One of the core's loops that this build has for interpreted models.
struct InterpretedLoop {
  RegisterMap map;  ///< the bounds
  PseudoInverse pseudo_inverse;
  Integrator integrator;
  MemberFunctions (*functions)();  ///< as if the bounds were the model's extents
};

/// All of them, the narrower bounds first.
std::span<const InterpretedLoop> interpreted_loops();

}  // namespace kalaba
