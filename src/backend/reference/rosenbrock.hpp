#pragma once

#include "backend/reference/adaptive.hpp"

namespace kalaba::reference {

/// Completes a step that begins in `step`, by the Rosenbrock method Rodas5P. The Jacobian of the rate is found by
/// central differences of order 4. `seen` receives the least values of the rates (passage.hpp). The error of a step
/// whose matrix is singular is infinite.
Trial rosenbrock_step(const MechanicalModel& model, const Method& method, const Instant& like, AdaptiveStep step,
                      LeastValues& seen);

}  // namespace kalaba::reference
