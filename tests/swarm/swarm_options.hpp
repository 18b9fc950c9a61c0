#pragma once

#include "kalaba/swarm.hpp"

namespace kalaba {

/// The law of the swarms' paper.
inline const SwarmLaw& paper() { return swarm_laws()[0]; }

/// A swarm's defaults, on the CPU.
inline Options options_of(const System& system) {
  Options options = default_options(system);
  options.backend = Backend::cpu;
  return options;
}

}  // namespace kalaba
