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

/// The values of time.save_every, solver.stabilization and output.fields as TOML.
std::string toml_save_every(const TimeGrid& time);
std::string toml_stabilization(const Stabilization& stabilization);
std::string toml_fields(FieldSet fields);

}  // namespace kalaba
