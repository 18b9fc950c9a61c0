#pragma once

#include <string>
#include <vector>

namespace kalaba {

/// Coordinates and rates whose starts a scenario's text varies over the members: keys of [initial] that are tables, and
/// those of [[correlated]]. Empty if the text is not TOML.
std::vector<std::string> varied_starts(const std::string& scenario_text);

}  // namespace kalaba
