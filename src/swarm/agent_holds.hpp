#pragma once

#include <string>
#include <vector>

#include "kalaba/swarm/agent_constraint.hpp"
#include "swarm/agent_arrays.hpp"

namespace kalaba::swarm {

/// Throws Error(bad_input) on constraints that do not fit these agents in this dimension.
void check_constraints(const std::vector<AgentConstraint>& constraints, long agents, int dimension);

/// Agents of one swarm with individual constraints, and their violations.
template <int D>
class AgentHolds {
 public:
  explicit AgentHolds(const std::vector<AgentConstraint>& constraints) : constraints_(constraints) {}

  /// Begins a swarm of the first `agents` agents.
  void begin(long agents, int threads);

  /// State of a swarm at one instant, [axis][agent].
  struct State {
    AgentArrays<D>& x;
    AgentArrays<D>& w;
    AgentArrays<D>& beta;
    AgentArrays<D>& rate;
  };
  /// See AgentKernel. Returns ok, or the failure of the first agent that failed; see failed().
  Status hold(double t, const Method& method, const State& state);
  Status project(double t, const Method& method, int corrections, const State& state);

  double violation() const { return violation_; }  ///< at the last hold: max |phi|, |phi'|
  double residual() const { return residual_; }    ///< likewise: max |A w' - b|
  /// "agent 3, which a circle holds"
  const std::string& failed() const { return failed_; }

 private:
  /// Calls the function with the kernel and the agents of every constraint, a chunk of agents at a time.
  template <class Ask>
  Status each(const State& state, const Ask& ask);
  static const AgentKernel<D>& kernel_of(const AgentConstraint& constraint);

  const std::vector<AgentConstraint>& constraints_;
  long agents_ = 0;
  int threads_ = 1;
  double violation_ = 0;
  double residual_ = 0;
  std::string failed_;
  std::vector<double> violations_, residuals_, statuses_;  // of the agents of one constraint
};

}  // namespace kalaba::swarm
