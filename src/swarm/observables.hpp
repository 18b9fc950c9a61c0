#pragma once

#include "swarm/agent_arrays.hpp"
#include "swarm/swarm_law.hpp"

namespace kalaba::swarm {

/// Centre, radius, extent, polarisation, distances to the nearest agent and pairs closer than `collision_distance`.
/// What is not defined for that many agents is NaN.
template <int D>
Observables<D> observe_agents(const Cloud<D>& agents, double collision_distance, int threads);

}  // namespace kalaba::swarm
