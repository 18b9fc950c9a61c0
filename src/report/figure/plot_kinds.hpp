#pragma once

#include <string>

#include "report/figure/plot_data.hpp"

namespace kalaba {

/// Returns true if the agents shown are those of the file's only swarm.
bool is_one_swarm(const PlotData& data);

/// Coordinates with their rates, matched by name: x with x_dot or p_x; at most six pairs.
std::vector<PlanePair> phase_planes(const Contents& contents);

/// Selects the planes of paths and phase portraits from PlotData::variables. Throws Error for a phase portrait of
/// variables that do not form pairs, and for paths of more than four variables.
void choose_planes(const std::string& path, const PlotOptions& options, PlotData& data);

/// Selects the requested kinds; for `auto` all that the data permits. Throws Error, with the reason, for an unknown
/// kind and for one that the data does not permit.
void choose_kinds(const std::string& path, const PlotOptions& options, PlotData& data);

}  // namespace kalaba
