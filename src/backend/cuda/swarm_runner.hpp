#pragma once

#include <memory>
#include <string>
#include <vector>

#include "backend/backends.hpp"

namespace kalaba::cuda {

/// Swarms on devices: their time loop with all pairs there, what is observed of them on the
/// host. Throws Error: bad_input on options that a swarm has not there; else as CudaRunner.
ChosenBackend make_swarm_backend(const System& system, const Options& options);

}  // namespace kalaba::cuda
