#pragma once

#include <string>
#include <vector>

#include "kalaba/run.hpp"

namespace kalaba {

/// Axes of the grid in an effective scenario (Scenario::text), the last one fastest: member i is at point i mod
/// (product of the points). Empty without a grid, or if the axes are varied one at a time.
std::vector<GridAxis> grid_axes(const std::string& scenario_text);

}  // namespace kalaba
