#pragma once

#include <limits>
#include <string>
#include <vector>

#include "kalaba/core/model/model.hpp"
#include "kalaba/swarm.hpp"
#include "kalaba/swarm/agent_constraint.hpp"
#include "scenario/document/document.hpp"

namespace kalaba {

/// Constrained agents of a swarm: the tables [[agents]] of a document.
struct HeldAgentTables {
  struct Path {
    Node node;  ///< place of the table in the document
    double first;
    double last;  ///< of its times, s
  };

  std::vector<AgentConstraint> constraints;
  std::vector<Path> paths;
  std::string toml;  ///< the tables as TOML, with the contents of their files
};

/// Reads them for a swarm of `agents` agents in `dimension` dimensions. Throws Error naming the line and key for: an
/// agent that does not exist or that two tables name, an unknown constraint, a number out of range.
HeldAgentTables read_agents(Document& document, long agents, int dimension);

/// Throws Error if a path of these tables does not cover the run from start to end.
void check_paths(const HeldAgentTables& held, const TimeGrid& time);

}  // namespace kalaba
