#pragma once

#include <string>
#include <vector>

#include "scenario/read_members.hpp"
#include "scenario/scenario.hpp"

namespace kalaba {

struct AgentStart;

/// Writes Scenario::text of a scenario whose other members are set. `agents`: initial state of the agents of a swarm,
/// else null.
std::string effective_text(const Scenario& scenario, const Members& members, const AgentStart* agents = nullptr);

}  // namespace kalaba
