#pragma once

#include <string>
#include <vector>

namespace kalaba {

/// The variables that an effective scenario (Scenario::text) of the design saltelli draws, "parameters.L" or
/// "initial.x", in the order of its members. None of another design, or where the text is no TOML.
std::vector<std::string> saltelli_variables(const std::string& scenario_text);

}  // namespace kalaba
