#pragma once

#include "kalaba/run.hpp"

namespace kalaba {

/// Adds what became of the members of a block that is complete.
void add_block(const Block& block, Summary& summary);

/// Adds the steps of a block that came `step` grid steps far. A member that failed or was stopped made none from then
/// on.
void add_steps(const Block& block, const Options& options, long step, Summary& summary);

/// Of a block that was broken off at `time`, the members that were under way.
void mark_interrupted(Block& block, double time);

/// Replaces the times at which members failed, and at which events happened, by those that are reported.
void report_times(Block& block, const TimeGrid& time);

/// Marks the events whose expressions are finite numbers where some member of the block is now, at `time`; `observed`
/// has the fields that the watch asks for.
void note_finite(const Block& block, const Watch& watch, double time, const Observation& observed, Summary& summary);

/// Takes the worst violation and residual of the members that are ok.
void take_worst(const Observation& observed, long members, Summary& summary);

}  // namespace kalaba
