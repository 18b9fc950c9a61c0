#pragma once

#include <memory>

#include "kalaba/swarm.hpp"
#include "kalaba/swarm/agent_constraint.hpp"
#include "kalaba/swarm/pair_kernel.hpp"
#include "kalaba/system.hpp"

namespace kalaba::swarm {

/// Moves whole swarms on all cores: members in parallel if there are enough, else the agents of one at a time. Throws
/// Error(bad_input) on options that swarms do not support.
template <int D>
std::unique_ptr<Runner> make_runner(std::shared_ptr<const PairKernel<D>> kernel, const SystemInfo& info,
                                    std::vector<AgentConstraint> constraints, const Options& options);

}  // namespace kalaba::swarm
