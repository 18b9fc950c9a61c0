#pragma once

#include "kalaba/run.hpp"

namespace kalaba {

/// Adds the results of the members of a complete block.
void add_block(const Block& block, const Watch& watch, Summary& summary);

/// Adds the steps of a block that has advanced by `step` grid steps. A member that failed or was stopped makes no steps
/// from then on.
void add_steps(const Block& block, const Options& options, long step, Summary& summary);

/// Marks the members of a block interrupted at `time` that were still in motion.
void mark_interrupted(Block& block, double time);

/// Replaces the times at which members failed, and at which events happened, by the reported ones.
void report_times(Block& block, const TimeGrid& time);

/// Marks the events whose expressions are finite for some member of the block at `time`; `observed` has the fields that
/// the watch uses.
void note_finite(const Block& block, const Watch& watch, double time, const Observation& observed, Summary& summary);

/// Counts the members of a finished block whose derivatives are not finite at its end; `observed` has those of q and w.
void add_lost_derivatives(const Block& block, const Observation& observed, Summary& summary);

/// Updates the worst violation and residual from the members that are ok.
void take_worst(const Observation& observed, long members, Summary& summary);

}  // namespace kalaba
