#pragma once

#include <string>

#include "swarm/agent_holds.hpp"
#include "swarm/pair_summation.hpp"
#include "swarm/swarm_law.hpp"

namespace kalaba::swarm {

/// Model and method of a swarm's motion, without its parameters.
template <int D>
struct SwarmRules {
  const PairKernel<D>* kernel = nullptr;
  ParameterPlaces places{0};
  Method method;
  PairSum pair_sum = PairSum::automatic;
  double pair_tolerance = 1e-6;
  std::vector<AgentConstraint> constraints = {};  ///< of single agents; their agents ascend
};

/// A swarm in motion: its state, and memory for a step. Reused for all members to avoid allocations.
template <int D>
class SwarmMotion {
 public:
  explicit SwarmMotion(const SwarmRules<D>& rules)
      : rules_(rules), pairs_(*rules.kernel, rules.pair_sum, rules.pair_tolerance), holds_(rules.constraints) {}

  /// Allocates memory for a swarm of these parameters; its state is then written into x() and w().
  void begin(std::vector<double> parameters, long agents, int threads);

  AgentArrays<D>& x() { return x_; }
  AgentArrays<D>& w() { return w_; }
  Cloud<D> cloud() const { return cloud_of(x_, w_, size_); }

  /// Computes beta [axis][agent] (of a held agent, that along its constraint) and the constrained acceleration at the
  /// present state, which is at t. Returns false if it has none: see status() and reason().
  bool evaluate(double t) { return accelerate(t, x_, w_); }
  const AgentArrays<D>& beta() const { return beta_; }
  const AgentArrays<D>& acceleration() const { return acceleration_; }
  double beta_norm() const;
  /// Violation of held agents at the last evaluation, max |phi|, |phi'|, and max |A w' - b|.
  double held_violation() const { return holds_.violation(); }
  double held_residual() const { return holds_.residual(); }

  /// Puts the state on the constraints: held agents on theirs, then w - beta. Returns false as evaluate does.
  bool project(double t);
  /// Makes one step of RK4 from t; then held agents are put on their constraints, and all agents on beta = 0 if the
  /// method projects. Returns false as evaluate does; the state is then unchanged. `evaluated`: evaluate(t) was called
  /// for the present state.
  bool step(double t, double dt, bool evaluated);

  Status status() const { return status_; }
  /// In words, e.g. "agents 3 and 8 are at the same place".
  const std::string& reason() const { return reason_; }

 private:
  bool accelerate(double t, AgentArrays<D>& x, AgentArrays<D>& w);
  bool put_held(double t, int corrections, AgentArrays<D>& x, AgentArrays<D>& w);
  bool fail_held(Status status, const char* what);
  bool fail_step(double dt);
  const double* law_parameters() const { return parameters_.data() + rules_.places.law; }
  double beta_gain() const;
  bool finite(const AgentArrays<D>& x, const AgentArrays<D>& w);
  bool apart(const AgentArrays<D>& x);
  bool all_stages(double t, double dt);
  /// to = base + factor * slope, agent by agent.
  void shift(AgentArrays<D>& to, const AgentArrays<D>& base, const AgentArrays<D>& slope, double factor);

  const SwarmRules<D>& rules_;
  PairSummation<D> pairs_;
  AgentHolds<D> holds_;
  std::vector<double> parameters_;
  long size_ = 0;
  int threads_ = 1;
  AgentArrays<D> x_, w_, beta_, acceleration_;
  AgentArrays<D> stage_x_, stage_w_, next_x_, next_w_;
  SumArrays<D> sums_;
  Status status_ = Status::ok;
  std::string reason_;
};

}  // namespace kalaba::swarm
