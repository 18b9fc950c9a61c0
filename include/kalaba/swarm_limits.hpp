#pragma once

#include <span>

#include "kalaba/system.hpp"

namespace kalaba {

/// Features of runs, scenarios and readers that are not available for swarms.
enum class NotOfSwarms {
  adaptive_steps,
  events,
  sensitivities,
  start_rules,
  fits,
  expressions,
  inputs,
  terms,
  compiling
};
inline constexpr int not_of_swarms_count = 9;

/// One of these features, in the form that `kalaba describe swarm` prints.
struct SwarmLimit {
  NotOfSwarms what;
  const char* name;
  const char* refusal;  ///< message if it is requested
};
std::span<const SwarmLimit> swarm_limits();

/// Returns the message if the system is a swarm, else null.
const char* swarm_lacks(const SystemInfo& system, NotOfSwarms what);

}  // namespace kalaba
