#pragma once

#include <string>

#include "report/figure/plot_data.hpp"

namespace kalaba {

/// Whether the agents shown are those of the file's only swarm.
bool is_one_swarm(const PlotData& data);

/// Coordinates with their rates, as names tell: x with x_dot or p_x; at most six of them.
std::vector<PlanePair> phase_planes(const Contents& contents);

/// The planes of paths and phase portraits, of PlotData::variables. Throws Error where a phase portrait is asked for of
/// variables that are no pairs, or paths of more than four.
void choose_planes(const std::string& path, const PlotOptions& options, PlotData& data);

/// The kinds that are asked for, of `auto` all that the data has. Throws Error on an unknown one, and on one that the
/// data cannot give, and says why.
void choose_kinds(const std::string& path, const PlotOptions& options, PlotData& data);

}  // namespace kalaba
