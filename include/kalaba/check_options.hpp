#pragma once

#include <string>

#include "kalaba/event.hpp"
#include "kalaba/options.hpp"
#include "kalaba/system.hpp"

namespace kalaba {

/// Throws Error(bad_input) with the reason on options for which no backend can run the system.
void check_options(const System& system, const Options& options);

/// Returns the reason why the events, clocks and contacts that change members do not run with these options; empty if
/// they do, or if nothing changes members.
std::string fault_of_changes(const SystemInfo& system, const Options& options);

/// Returns the reason why the delay of a clock is too long for its new values; empty if it is not.
std::string fault_of_delay(const Clock& clock);

/// Returns the reason why ticks at this distance in seconds, of a clock or of noise, are too close for the times or the
/// steps of a run; empty if they are not.
std::string fault_of_period(double every, const Options& options);

}  // namespace kalaba
