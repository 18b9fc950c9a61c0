#pragma once

#include <string>

#include "report/data/agents.hpp"
#include "report/figure/page.hpp"

namespace kalaba {

// Each function returns the gnuplot text of one panel, like those in panels.hpp.

/// Paths of the agents over all times, each from a ring to a dot.
std::string agent_paths_panel(const Agents& agents, const PanelFrame& frame);

/// Agents at one of the times. All times have one scale, unless the agents would be too close to distinguish; then the
/// panel is magnified.
std::string snapshot_panel(const Agents& agents, std::size_t time, const PanelFrame& frame);

/// Agents at one of the times within the fixed `box`, with their paths up to then if there are few agents.
std::string animation_panel(const Agents& agents, std::size_t time, const Box& box, const PanelFrame& frame);

}  // namespace kalaba
