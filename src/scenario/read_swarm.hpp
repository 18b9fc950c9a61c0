#pragma once

#include <memory>
#include <string>
#include <vector>

#include "kalaba/swarm.hpp"
#include "scenario/document/document.hpp"
#include "scenario/read_system.hpp"
#include "scenario/sampling/sampler.hpp"

namespace kalaba {

/// Returns the swarm that structure.agents, structure.dimension and structure.law describe, and the tables [[agents]]
/// of its constrained agents.
NamedSystem read_swarm(Document& document);

/// Initial placement of all agents: initial.agents.
struct Placement {
  enum class Kind { spiral, disk, grid, normal };
  Kind kind = Kind::spiral;
  double size = 0;  ///< m: radius of spiral and disk (a ball in space), spacing of the grid, standard deviation

  std::string to_toml() const;
};

/// Initial state of the agents of every member: their placement, then the coordinates and rates that the document
/// gives, drawn per agent; and the constrained agents, as tables of TOML.
struct AgentStart {
  Placement placement;
  std::string held;
  std::vector<SampledVariable> variables;
};
AgentStart read_agent_start(Document& document, const System& system, std::string held);

/// Members of a swarm's scenario. Every number depends on the seed, the member, the agent and the variable's name only.
class SwarmSampler final : public MemberSource {
 public:
  /// `parameters` must hold every parameter; `system` must outlive the sampler.
  SwarmSampler(const System& system, std::vector<SampledVariable> parameters, AgentStart start, const UnitCube& cube);

  long members() const override { return cube_.members; }
  void fill(Block& block) const override;

 private:
  void place(Block& block, long member) const;
  double coordinate(long draw, long agent, int axis) const;

  const System& system_;
  std::vector<SampledVariable> parameters_;
  AgentStart start_;
  UnitCube cube_;               ///< of the members; agents are drawn independently
  std::vector<double> spiral_;  ///< [axis][agent], positions on a spiral; empty for other placements
};

}  // namespace kalaba
