#pragma once

#include "kalaba/run.hpp"

namespace kalaba {

/// Adds what became of the members of a block that is complete.
void add_block(const Block& block, Summary& summary);

/// Adds the steps of a block that came `step` grid steps far. A member that failed or was stopped made none from then
/// on.
void add_steps(const Block& block, const Options& options, long step, Summary& summary);

/// Takes the worst violation and residual of the members that are ok.
void take_worst(const Observation& seen, long members, Summary& summary);

}  // namespace kalaba
