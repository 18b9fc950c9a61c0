#pragma once

#include "kalaba/core/base/portable.hpp"

namespace kalaba {

/// Status of one member. A failed member keeps its last valid state.
enum class Status : int {
  ok = 0,
  non_finite = 1,                ///< a coordinate, rate or force became NaN or infinite
  not_converged = 2,             ///< Jacobi sweeps or projection iterations reached their bound
  inconsistent_constraints = 3,  ///< A w' = b has no solution
  /// the model's own validity condition is violated, its metric is not positive definite, or the constraints do not
  /// determine the motion from a singular position on
  singular_constraints = 4,
  stopped = 5,               ///< an event ended its motion as requested; not a failure
  step_too_small = 6,        ///< the tolerances require a smaller adaptive step than is allowed
  interrupted = 7,           ///< the run was interrupted before this member's end
  not_assembled = 8,         ///< no start that satisfies the constraints was found
  constraints_violated = 9,  ///< the constraint violation exceeded the tolerance at a saved time
  too_many_steps = 10,       ///< an adaptive integrator tried Method::max_steps steps before this member's end
  too_many_changes = 11,     ///< events changed the member more than Method::max_changes times within TimeGrid::dt
  painleve = 12,             ///< no motion of the contacts satisfies Coulomb's law (Painleve's paradox)
};

inline constexpr int status_count = 13;

KALABA_FN constexpr bool is_failure(Status status) {
  return status != Status::ok && status != Status::stopped && status != Status::interrupted;
}

KALABA_FN constexpr const char* status_name(Status status) {
  constexpr const char* names[status_count] = {"ok",
                                               "non_finite",
                                               "not_converged",
                                               "inconsistent_constraints",
                                               "singular_constraints",
                                               "stopped",
                                               "step_too_small",
                                               "interrupted",
                                               "not_assembled",
                                               "constraints_violated",
                                               "too_many_steps",
                                               "too_many_changes",
                                               "painleve"};
  return names[static_cast<int>(status)];
}

}  // namespace kalaba
