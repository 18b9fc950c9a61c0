#pragma once

#include <memory>
#include <string>
#include <vector>

#include "kalaba/system.hpp"

namespace kalaba {

template <int D>
class PairKernel;
struct AgentConstraint;

/// A pair law with its type erased, in the plane and in space; make_swarm_law.hpp makes one of a struct.
struct SwarmLaw {
  std::string name;
  std::string summary;
  std::string equations;
  std::vector<Variable> parameters;  ///< the law's own
  std::shared_ptr<const PairKernel<2>> plane;
  std::shared_ptr<const PairKernel<3>> space;
  DeviceCode device_code;  ///< the law as a GPU compiles it at run time; empty: on the CPU alone
};

/// The laws that come with Kalaba, the paper's first.
const std::vector<SwarmLaw>& swarm_laws();

inline constexpr long most_agents = 100'000'000;

/// A swarm, held to q' = -strength sum grad G, a first-order flocking law, as a constraint
/// [ZCZD section 8.2]:
///
///     beta_i = q_i' + strength sum_j (q_i - q_j) G'(r_ij)/r_ij = 0,   A = I,   b = -d(beta - q')/dt - kappa beta
///
/// A is the identity, agent by agent, and so is its pseudo-inverse: the constrained acceleration is b itself. A member
/// is a whole swarm; its q and w are [axis][agent]. On the CPU in double precision; on a GPU in both, by all
/// pairs. Agents that a constraint of their own holds have that in the place of beta_i = 0 and keep to the swarm's law
/// along it; the block of A of each agent stands alone, and so does its pseudo-inverse. held_agent.hpp states their
/// equation. They are put on it after every step, whatever the stabilisation. Throws Error(bad_input) for fewer than 1
/// or more than most_agents agents, a dimension other than 2 and 3, and constraints of another dimension, of agents
/// that there are not, or of an agent twice.
System make_swarm(const SwarmLaw& law, long agents, int dimension, std::vector<AgentConstraint> constraints);
System make_swarm(const SwarmLaw& law, long agents, int dimension = 2);

/// What `swarm` is where nothing more is said: five agents in the plane under the paper's law.
const System& default_swarm();

/// m: of the disk or ball over which the agents of such a system start.
double swarm_radius(const System& swarm);

/// Agents evenly over a disk or ball around the origin, without chance: a sunflower's spiral in the plane, Fibonacci's
/// directions at well-mixed radii in space. q: [axis][agent], m.
void place_on_spiral(long agents, int dimension, double radius, double* q);

}  // namespace kalaba
