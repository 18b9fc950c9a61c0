#pragma once

#include <string>
#include <vector>

#include "scenario/document/document.hpp"

namespace kalaba {

/// Prescribed path of an agent: its position at given times.
struct AgentPath {
  std::vector<double> times;                ///< s, ascending
  std::vector<std::vector<double>> points;  ///< [point][axis], m

  std::string to_toml() const;
};

/// Reads rows [t, x, y] (and z in space), or the name of a CSV file with columns t, x, y (and z). Throws Error if there
/// are fewer than two rows or the times do not increase.
AgentPath read_agent_path(const Node& node, int dimension);

}  // namespace kalaba
