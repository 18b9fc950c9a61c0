#pragma once

#include "kalaba/swarm.hpp"

namespace kalaba {

/// Interaction law of the swarms' paper.
inline const SwarmLaw& paper() { return swarm_laws()[0]; }

/// Default options of a swarm, on the CPU.
inline Options options_of(const System& system) {
  Options options = default_options(system);
  options.backend = Backend::cpu;
  return options;
}

}  // namespace kalaba
