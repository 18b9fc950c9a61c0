#pragma once

#include <span>

#include "kalaba/system.hpp"

namespace kalaba {

/// What runs, scenarios and readers offer of other systems and not of a swarm.
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

/// One of them, as `kalaba describe swarm` lists it.
struct SwarmLimit {
  NotOfSwarms what;
  const char* name;
  const char* refusal;  ///< what is said where it is asked for
};
std::span<const SwarmLimit> swarm_limits();

/// The refusal where the system is a swarm, else null.
const char* swarm_lacks(const SystemInfo& system, NotOfSwarms what);

}  // namespace kalaba
