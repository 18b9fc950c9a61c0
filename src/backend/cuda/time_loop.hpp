#pragma once

#include <optional>
#include <string>
#include <vector>

#include "backend/cuda/machine_code.hpp"

namespace kalaba::cuda {

/// What a thread executes at least in one turn of a kernel's time loop that computes so many divisions and roots: the
/// shortest such way around the largest loop that has one; without divisions, of loops that have arithmetic in double
/// precision on every way around them. Inner loops are left as soon as they may be. None where there is no such loop.
/// `architecture` is that of the code ("sm_90").
std::optional<InstructionCounts> least_turn(const std::vector<MachineInstruction>& code,
                                            const std::string& architecture, int divisions);

}  // namespace kalaba::cuda
