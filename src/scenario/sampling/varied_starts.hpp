#pragma once

#include <string>
#include <vector>

namespace kalaba {

/// The coordinates and rates that a scenario's text spreads over the members: the keys of [initial] that are tables,
/// and those of [[correlated]]. None where the text is no TOML.
std::vector<std::string> varied_starts(const std::string& scenario_text);

}  // namespace kalaba
