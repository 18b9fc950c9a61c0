#pragma once

#include <vector>

#include "backend/reference/linear.hpp"
#include "backend/reference/model.hpp"
#include "kalaba/core/method.hpp"
#include "kalaba/core/status.hpp"

namespace kalaba::reference {

/// Coordinates and rates that a projection leaves as they are.
struct Held {
  std::vector<int> coordinates;
  std::vector<int> rates;
};

/// Puts x on the constraints, the positions first and then the rates, by metric-weighted Gauss-Newton of at most
/// `iterations` steps each. Status: ok; singular_constraints (metric); not_converged (no point on the constraints was
/// found), where x is left somewhere on the way.
///
/// What is held stays to the bit: corrections are then the least, in the metric, among those that do not move it.
Status project(const MechanicalModel& model, const Method& method, int iterations, Instant& x, const Held& held = {});
/// The same where something is known of the rank.
Status project(const MechanicalModel& model, const Method& method, const RankChoice& choice, int iterations, Instant& x,
               const Held& held = {});

}  // namespace kalaba::reference
