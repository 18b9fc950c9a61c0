#pragma once

#include <string>

#include "report/data/agents.hpp"
#include "report/figure/page.hpp"

namespace kalaba {

// Each gives the gnuplot text of one panel, as those of panels.hpp do.

/// The agents' paths through all the times, each from a ring to a dot.
std::string agent_paths_panel(const Agents& agents, const PanelFrame& frame);

/// The agents at one of the times. All times share a scale, but where that would show a speck, which is magnified.
std::string snapshot_panel(const Agents& agents, std::size_t time, const PanelFrame& frame);

/// The same within `box` always, with the paths so far where there are few agents.
std::string animation_panel(const Agents& agents, std::size_t time, const Box& box, const PanelFrame& frame);

}  // namespace kalaba
