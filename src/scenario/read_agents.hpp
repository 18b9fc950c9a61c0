#pragma once

#include <limits>
#include <string>
#include <vector>

#include "kalaba/core/model.hpp"
#include "kalaba/swarm.hpp"
#include "kalaba/swarm/agent_constraint.hpp"
#include "scenario/document/document.hpp"

namespace kalaba {

/// Agents of a swarm that constraints of their own hold: the tables [[agents]] of a document.
struct HeldAgentTables {
  struct Path {
    Node node;  ///< where it was written
    double first;
    double last;  ///< of its times, s
  };

  std::vector<AgentConstraint> constraints;
  std::vector<Path> paths;
  std::string toml;  ///< the tables again, without files
};

/// Reads them for a swarm of so many agents in so many dimensions. Throws Error naming the line and key: of an agent
/// that there is not or that is held twice, a word that is no constraint, a number that is none of the constraint's.
HeldAgentTables read_agents(Document& document, long agents, int dimension);

/// Throws Error where a path of these tables does not last from the start to the end of the run.
void check_paths(const HeldAgentTables& held, const TimeGrid& time);

}  // namespace kalaba
