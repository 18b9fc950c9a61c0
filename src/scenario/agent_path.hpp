#pragma once

#include <string>
#include <vector>

#include "scenario/document/document.hpp"

namespace kalaba {

/// Where an agent is at given times.
struct AgentPath {
  std::vector<double> times;                ///< s, ascending
  std::vector<std::vector<double>> points;  ///< [point][axis], m

  std::string to_toml() const;
};

/// Rows [t, x, y] (and z in space), or the name of a CSV file with columns t, x, y (and z). Throws Error unless there
/// are two rows or more, at ascending times.
AgentPath read_agent_path(const Node& node, int dimension);

}  // namespace kalaba
