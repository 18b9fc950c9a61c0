#pragma once

#include "kalaba/block.hpp"
#include "kalaba/options.hpp"
#include "kalaba/run.hpp"
#include "kalaba/system.hpp"

namespace kalaba {

/// Returns the options with the settings that follow from the system and its members: events of contacts, the watch,
/// and the plan of sensitivities. Throws Error(bad_input) for events or clocks that cannot be compiled.
Options completed_options(const System& system, const MemberSource& source, Options options);

/// Returns a block for `capacity` members of a run with completed options.
Block member_block(const SystemInfo& system, const Options& options, long capacity);

/// Writes members block.first … block.first + block.members - 1 of the source, with their discrete variables at the
/// start of the motion, which depend on the parameters of the member.
void fill_members(const System& system, const MemberSource& source, Block& block);

}  // namespace kalaba
