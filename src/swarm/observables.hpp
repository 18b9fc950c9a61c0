#pragma once

#include "swarm/agent_arrays.hpp"
#include "swarm/swarm_law.hpp"

namespace kalaba::swarm {

/// Computes centre, radius, extent, polarisation, distances to the nearest agent and the number of pairs closer than
/// `collision_distance`. Observables that are undefined for the number of agents are NaN.
template <int D>
Observables<D> observe_agents(const Cloud<D>& agents, double collision_distance, int threads);

}  // namespace kalaba::swarm
