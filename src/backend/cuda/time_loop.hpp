#pragma once

#include <optional>
#include <string>
#include <vector>

#include "backend/cuda/machine_code.hpp"

namespace kalaba::cuda {

/// Counts the instructions that a thread executes at least in one turn of a kernel's time loop with `divisions`
/// divisions and roots: the shortest such path around the largest loop that has one. Without divisions, only loops
/// count that have arithmetic in double precision on every path around them. Inner loops are left as early as possible.
/// Returns nothing if there is no such loop. `architecture` is the one of the code ("sm_90").
std::optional<InstructionCounts> least_turn(const std::vector<MachineInstruction>& code,
                                            const std::string& architecture, int divisions);

}  // namespace kalaba::cuda
