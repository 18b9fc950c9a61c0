#pragma once

#include <string>
#include <vector>

#include "kalaba/run.hpp"

namespace kalaba {

/// Facts about the members of a scenario that readers of its files need.
struct DesignFacts {
  std::vector<std::string> varied_starts;  ///< keys of [initial] that are tables, and those of [[correlated]]
  std::vector<GridAxis> grid;              ///< axes, the last one fastest; empty if the axes are varied one at a time
  /// Variables that the design saltelli draws, "parameters.L" or "initial.x", in the order of its members.
  std::vector<std::string> saltelli;
};

/// Facts in an effective scenario (Scenario::text); none if the text is not TOML.
DesignFacts design_facts(const std::string& scenario_text);

}  // namespace kalaba
