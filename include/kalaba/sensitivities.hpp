#pragma once

#include <string>
#include <vector>

#include "kalaba/run.hpp"

namespace kalaba {

/// What sensitivities of a system can be along: "parameters.L" of every parameter, "initial.x" of every coordinate and
/// rate.
std::vector<std::string> sensitivity_names(const SystemInfo& system);

/// The system with columns of sensitivities along those variables: runs of it have the fields q_sensitivity and
/// w_sensitivity, derivatives of its members' motions (docs/mechanics.md, "Sensitivities"), and of their events those
/// of the time and the state. The motions keep their bits. Throws Error(bad_input): an unknown name, one twice, none,
/// more than Sensitivities::most, a swarm of any number of agents.
System with_sensitivities(const System& system, const std::vector<std::string>& of);

/// Why the expression of an event cannot be differentiated; empty where it can.
std::string fault_of_differentiated(const Expression& expression, const SystemInfo& system);

/// What sensitivities are along in numbers, for a run of these members: where a start was not given it follows from the
/// parameters, and so does its derivative.
SensitivityPlan sensitivity_plan(const System& system, const MemberSource& source);

}  // namespace kalaba
