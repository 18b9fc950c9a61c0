#pragma once

#include <string>
#include <vector>

#include "kalaba/run.hpp"

namespace kalaba {

/// The axes of the grid that an effective scenario (Scenario::text) states, the last one fastest: member i sits at
/// point i mod (product of the points). None where there is no grid, or its axes are varied one at a time.
std::vector<GridAxis> grid_axes(const std::string& scenario_text);

}  // namespace kalaba
