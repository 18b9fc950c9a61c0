#include "swarm/agent_holds.hpp"

#include <algorithm>
#include <set>

#include "kalaba/backend/parallel.hpp"
#include "kalaba/error.hpp"

namespace kalaba::swarm {
namespace {

constexpr long held_at_once = 256;

}  // namespace

void check_constraints(const std::vector<AgentConstraint>& constraints, long agents, int dimension) {
  std::set<long> held;
  for (const AgentConstraint& constraint : constraints) {
    const auto refuse = [&](const std::string& why) {
      throw Error(ExitCode::bad_input, "a swarm's constraint " + constraint.name + ": " + why);
    };
    if (dimension == 2 ? constraint.plane == nullptr : constraint.space == nullptr) {
      refuse("expected one in " + std::to_string(dimension) + " dimensions");
    }
    for (const long agent : constraint.agents) {
      if (agent < 0 || agent >= agents) {
        refuse("expected agents from 0 to " + std::to_string(agents - 1) + ", found " + std::to_string(agent));
      }
      if (!held.insert(agent).second) refuse("agent " + std::to_string(agent) + " is held twice");
    }
  }
}

template <int D>
const AgentKernel<D>& AgentHolds<D>::kernel_of(const AgentConstraint& constraint) {
  if constexpr (D == 2) {
    return *constraint.plane;
  } else {
    return *constraint.space;
  }
}

template <int D>
void AgentHolds<D>::begin(long agents, int threads) {
  agents_ = agents;
  threads_ = threads;
  violation_ = residual_ = 0;
}

template <int D>
template <class Ask>
Status AgentHolds<D>::each(const State& state, const Ask& ask) {
  violation_ = residual_ = 0;
  for (const AgentConstraint& constraint : constraints_) {
    const std::vector<long>& all = constraint.agents;
    const long count = std::lower_bound(all.begin(), all.end(), agents_) - all.begin();  // agents that are active
    for (auto* each : {&violations_, &residuals_, &statuses_}) each->assign(static_cast<std::size_t>(count), 0.0);
    HeldAgents<D> agents{all.data(), 0, count, {}, {}, {}, {}, violations_.data(), residuals_.data(), statuses_.data()};
    for (int d = 0; d < D; ++d) {
      agents.x[d] = state.x[d];
      agents.w[d] = state.w[d];
      agents.beta[d] = state.beta[d];
      agents.rate[d] = state.rate[d];
    }
    parallel_for(count, held_at_once, threads_, [&](long begin, long end) {
      HeldAgents<D> some = agents;
      some.first = begin;
      some.last = end;
      ask(kernel_of(constraint), some);
    });
    for (long k = 0; k < count; ++k) {
      violation_ = std::max(violation_, violations_[k]);
      residual_ = std::max(residual_, residuals_[k]);
      if (statuses_[k] == 0) continue;
      failed_ = "agent " + std::to_string(all[k]) + ", which a " + constraint.name + " holds";
      return static_cast<Status>(static_cast<int>(statuses_[k]));
    }
  }
  return Status::ok;
}

template <int D>
Status AgentHolds<D>::hold(double t, const Method& method, const State& state) {
  return each(state,
              [&](const AgentKernel<D>& kernel, const HeldAgents<D>& agents) { kernel.hold(t, method, agents); });
}

template <int D>
Status AgentHolds<D>::project(double t, const Method& method, int corrections, const State& state) {
  return each(state, [&](const AgentKernel<D>& kernel, const HeldAgents<D>& agents) {
    kernel.project(t, method, corrections, agents);
  });
}

template class AgentHolds<2>;
template class AgentHolds<3>;

}  // namespace kalaba::swarm
