#pragma once

#include "kalaba/backend/reference_model.hpp"
#include "kalaba/core/method.hpp"
#include "kalaba/core/status.hpp"

namespace kalaba::reference {

/// Puts x on the constraints, the positions first and then the rates, by metric-weighted Gauss-Newton of at most
/// `iterations` steps each. Status: ok; singular_constraints (metric); not_converged (no point on the constraints was
/// found), where x is left somewhere on the way.
Status project(const MechanicalModel& model, const Method& method, int iterations, Instant& x);

}  // namespace kalaba::reference
