#pragma once

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "kalaba/backend/pack.hpp"
#include "kalaba/swarm/held_agent.hpp"

namespace kalaba {

/// Agents of a swarm that have a constraint, and their numbers: x[axis][agent] etc., for a whole swarm. A call of a
/// kernel processes agent[first] … agent[last - 1]; the results of agent[k] are stored at [k].
template <int D>
struct HeldAgents {
  const long* agent;
  long first, last;
  double* x[D];     ///< m
  double* w[D];     ///< m/s
  double* beta[D];  ///< m/s
  double* rate[D];  ///< m/s^2
  double* violation;
  double* residual;
  double* status;  ///< a Status as a number
};

/// An agent's constraint with its type erased.
template <int D>
class AgentKernel {
 public:
  virtual ~AgentKernel() = default;
  /// In: beta and the rate that the swarm's law prescribes. Out: beta along the constraint, the constrained rate, the
  /// constraint violation (max |phi|, |phi'|), and max |A w' - b|.
  virtual void hold(double t, const Method& method, const HeldAgents<D>& agents) const = 0;
  /// Projects x and w onto the constraint, with at most `corrections` corrections.
  virtual void project(double t, const Method& method, int corrections, const HeldAgents<D>& agents) const = 0;
};

/// Kernel of a law, for packs of agents.
template <int D, AgentLaw<D> C>
class AgentLawKernel final : public AgentKernel<D> {
 public:
  explicit AgentLawKernel(C law) : law_(std::move(law)) {}

  void hold(double t, const Method& method, const HeldAgents<D>& agents) const override {
    const auto law = law_at(law_, t);
    each_pack(agents, [&](const Places& at) {
      HeldState<decltype(law), D, X> state{.q = at.load(agents.x), .w = at.load(agents.w)};
      Vec<X, D> beta = at.load(agents.beta);
      Vec<X, D> rate = at.load(agents.rate);
      at.store(state.hold(law, method, X(t), beta, rate), agents.status);
      at.store(beta, agents.beta);
      at.store(rate, agents.rate);
      at.store(state.constrained.at.constraint.violation(), agents.violation);
      at.store(state.residual(), agents.residual);
    });
  }

  void project(double t, const Method& method, int corrections, const HeldAgents<D>& agents) const override {
    const auto law = law_at(law_, t);
    each_pack(agents, [&](const Places& at) {
      HeldState<decltype(law), D, X> state{.q = at.load(agents.x), .w = at.load(agents.w)};
      at.store(state.project(law, method, X(t), corrections), agents.status);
      at.store(state.q, agents.x);
      at.store(state.w, agents.w);
    });
  }

 private:
  using X = Pack<double>;

  /// Agents of a pack; the last one is repeated as padding.
  struct Places {
    const long* agent;
    long first, count;

    Vec<X, D> load(double* const (&from)[D]) const {
      Vec<X, D> all;
      double values[X::lanes];
      for (int d = 0; d < D; ++d) {
        for (long k = 0; k < X::lanes; ++k) values[k] = from[d][agent[first + std::min(k, count - 1)]];
        all[d] = X::load(values);
      }
      return all;
    }
    void store(const Vec<X, D>& all, double* const (&to)[D]) const {
      double values[X::lanes];
      for (int d = 0; d < D; ++d) {
        all[d].store(values);
        for (long k = 0; k < count; ++k) to[d][agent[first + k]] = values[k];
      }
    }
    void store(const X& each, double* to) const {
      double values[X::lanes];
      each.store(values);
      std::copy_n(values, count, to + first);
    }
  };

  template <class Work>
  static void each_pack(const HeldAgents<D>& agents, const Work& work) {
    for (long k = agents.first; k < agents.last; k += X::lanes) {
      work(Places{agents.agent, k, std::min<long>(X::lanes, agents.last - k)});
    }
  }

  C law_;
};

/// Agents (by number, from 0) with a constraint of their own, in the plane or in space.
struct AgentConstraint {
  std::string name;  ///< "circle"
  std::vector<long> agents;
  std::shared_ptr<const AgentKernel<2>> plane;
  std::shared_ptr<const AgentKernel<3>> space;
};

/// Example: hold_agents<2>({0}, OnCircle<2>{.radius = 3})
template <int D, AgentLaw<D> C>
requires(D == 2 || D == 3) AgentConstraint hold_agents(std::vector<long> agents, C law) {
  AgentConstraint constraint{C::name, std::move(agents), nullptr, nullptr};
  auto kernel = std::make_shared<AgentLawKernel<D, C>>(std::move(law));
  if constexpr (D == 2) {
    constraint.plane = std::move(kernel);
  } else {
    constraint.space = std::move(kernel);
  }
  return constraint;
}

}  // namespace kalaba
