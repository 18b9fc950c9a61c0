#pragma once

#include <memory>
#include <utility>

#include "kalaba/make_system.hpp"
#include "kalaba/swarm/agent_constraint.hpp"
#include "kalaba/swarm/agent_laws.hpp"
#include "kalaba/swarm/morse_law.hpp"
#include "kalaba/swarm/pair_kernel.hpp"
#include "kalaba/swarm/paper_law.hpp"

namespace kalaba {

/// A pair law with its type erased, in the plane and in space.
struct SwarmLaw {
  std::string name;
  std::string summary;
  std::string equations;
  std::vector<Variable> parameters;  ///< the law's own
  std::shared_ptr<const PairKernel<2>> plane;
  std::shared_ptr<const PairKernel<3>> space;
  DeviceCode device_code;  ///< the law as a GPU compiles it at run time; empty: on the CPU alone
};

/// `device_code`: a header that includes no standard library, and the law's name; see SwarmLaw.
template <PairLaw L>
SwarmLaw swarm_law(DeviceCode device_code = {}) {
  return {L::name,
          L::summary,
          L::equations,
          detail::variables(L::parameters),
          std::make_shared<LawKernel<L, 2>>(),
          std::make_shared<LawKernel<L, 3>>(),
          std::move(device_code)};
}

/// The laws that come with Kalaba, the paper's first.
const std::vector<SwarmLaw>& swarm_laws();

inline constexpr long most_agents = 100'000'000;

/// A swarm of any number of agents, held to q' = -strength sum grad G, a first-order flocking law, as a constraint
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
System make_swarm(const SwarmLaw& law, long agents, int dimension = 2, std::vector<AgentConstraint> constraints = {});

/// m: of the disk or ball over which the agents of such a system start.
double swarm_radius(const System& swarm);

/// Agents evenly over a disk or ball around the origin, without chance: a sunflower's spiral in the plane, Fibonacci's
/// directions at well-mixed radii in space. q: [axis][agent], m.
void place_on_spiral(long agents, int dimension, double radius, double* q);

}  // namespace kalaba
