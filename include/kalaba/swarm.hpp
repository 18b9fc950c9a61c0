#pragma once

#include <memory>
#include <string>
#include <vector>

#include "kalaba/system.hpp"

namespace kalaba {

template <int D>
class PairKernel;
struct AgentConstraint;

/// A pair law with its type erased, in the plane and in space; make_swarm_law.hpp makes one from a struct.
struct SwarmLaw {
  std::string name;
  std::string summary;
  std::string equations;
  std::vector<Variable> parameters;  ///< the law's own
  std::shared_ptr<const PairKernel<2>> plane;
  std::shared_ptr<const PairKernel<3>> space;
  DeviceCode device_code;  ///< the law in the form that a GPU compiles at run time; empty: only on the CPU
};

/// Laws that are part of Kalaba, the paper's first.
const std::vector<SwarmLaw>& swarm_laws();

inline constexpr long most_agents = 100'000'000;

/// A swarm, held to q' = -strength sum grad G, a first-order flocking law, as a constraint
/// [ZCZD section 8.2]:
///
///     beta_i = q_i' + strength sum_j (q_i - q_j) G'(r_ij)/r_ij = 0,   A = I,   b = -d(beta - q')/dt - kappa beta
///
/// A is the identity, agent by agent, and so is its pseudo-inverse: the constrained acceleration is b itself. A member
/// is a whole swarm; its q and w are [axis][agent]. On the CPU in double precision; on a GPU in both, by all pairs.
/// Agents with a constraint of their own have that constraint in place of beta_i = 0 and follow the swarm's law along
/// it; the block of A of each agent is independent, and so is its pseudo-inverse. held_agent.hpp gives their equation.
/// They are projected onto it after every step, with every stabilisation. Throws Error(bad_input) for fewer than 1 or
/// more than most_agents agents, a dimension other than 2 and 3, constraints of another dimension, and constraints with
/// an unknown or repeated agent.
System make_swarm(const SwarmLaw& law, long agents, int dimension, std::vector<AgentConstraint> constraints);
System make_swarm(const SwarmLaw& law, long agents, int dimension = 2);

/// Default `swarm`: five agents in the plane under the paper's law.
const System& default_swarm();

/// Radius of the disk or ball in which the agents of such a system start, m.
double swarm_radius(const System& swarm);

/// Places agents evenly in a disk or ball around the origin, without random numbers: a sunflower spiral in the plane,
/// Fibonacci directions at well-mixed radii in space. q: [axis][agent], m.
void place_on_spiral(long agents, int dimension, double radius, double* q);

}  // namespace kalaba
