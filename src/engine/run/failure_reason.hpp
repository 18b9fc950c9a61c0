#pragma once

#include <string>

#include "kalaba/block.hpp"
#include "kalaba/system.hpp"

namespace kalaba {

/// Names the constraint that made a member of a block fail, from the reference's equations at its last state, or the
/// event of a member with too many changes; `member` is an index in the block. Empty if the status is sufficient.
std::string failure_reason(const System& system, const Options& options, const Block& block, long member);

}  // namespace kalaba
