#pragma once

#include <span>

#include "check/verdict.hpp"
#include "kalaba/system.hpp"

namespace kalaba::check {

/// The paper's law on those backends against the reference's runs of swarm_matrix, which has the same agents as small
/// matrices: one verdict a size and backend.
Verdicts check_swarm(std::span<const Backend> backends);

}  // namespace kalaba::check
