#pragma once

#include <span>

#include "check/verdict.hpp"
#include "kalaba/system.hpp"

namespace kalaba::check {

/// Compares the paper's law on these backends with the reference's runs of swarm_matrix, which has the same agents as
/// small matrices: one verdict per size and backend.
Verdicts check_swarm(std::span<const Backend> backends);

}  // namespace kalaba::check
