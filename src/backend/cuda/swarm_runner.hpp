#pragma once

#include <memory>
#include <string>
#include <vector>

#include "backend/backends.hpp"

namespace kalaba::cuda {

/// Creates the backend of swarms on devices: the time loop with all pairs runs on the devices, observations are
/// computed on the host. Throws Error: bad_input on options that this backend does not support for swarms; else as
/// CudaRunner.
ChosenBackend make_swarm_backend(const System& system, const Options& options);

}  // namespace kalaba::cuda
