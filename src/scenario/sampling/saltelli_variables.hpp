#pragma once

#include <string>
#include <vector>

namespace kalaba {

/// Variables that an effective scenario (Scenario::text) of the design saltelli draws, "parameters.L" or "initial.x",
/// in the order of its members. Empty for another design, or if the text is not TOML.
std::vector<std::string> saltelli_variables(const std::string& scenario_text);

}  // namespace kalaba
