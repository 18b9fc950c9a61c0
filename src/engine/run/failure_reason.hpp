#pragma once

#include <string>

#include "kalaba/block.hpp"
#include "kalaba/system.hpp"

namespace kalaba {

/// Names the constraint on which a failed member of a block failed, from the reference's equations at its last state;
/// `member` counts in the block. Empty where the status says enough.
std::string failure_reason(const System& system, const Options& options, const Block& block, long member);

}  // namespace kalaba
