#pragma once

#include <string>
#include <vector>

#include "kalaba/run.hpp"

namespace kalaba {

/// Names of the possible variables of differentiation of a system: "parameters.L" for every parameter, "initial.x" for
/// every coordinate and rate.
std::vector<std::string> sensitivity_names(const SystemInfo& system);

/// Returns the names, with "initial.*" replaced by the names of all coordinates and rates.
std::vector<std::string> with_all_starts(const SystemInfo& system, const std::vector<std::string>& names);

/// Returns the system with sensitivity columns along these variables; "initial.*" stands for all initial values. Its
/// runs have the fields q_sensitivity and w_sensitivity, derivatives of the members' motions (docs/mechanics.md,
/// "Sensitivities"), and for events the derivatives of the time and the state. The bits of the motions do not change.
/// Throws Error(bad_input) for an unknown or repeated name, an empty list, more than Sensitivities::most, and a swarm.
System with_sensitivities(const System& system, const std::vector<std::string>& of);

/// Returns the system with the field lyapunov_exponents, for as many directions as those initial values ("initial.x"
/// each) are independent (docs/mechanics.md, "Lyapunov exponents"), and without derivatives: at every saved time the
/// columns are orthonormalized. Throws like with_sensitivities, and for a parameter.
System with_lyapunov_exponents(const System& system, const std::vector<std::string>& of);

/// Reason why a run has no Lyapunov exponents with these options; empty if it has them.
std::string fault_of_exponents(const SystemInfo& system, const Options& options);

/// Reason why the expression of an event cannot be differentiated; empty if it can.
std::string fault_of_differentiated(const Expression& expression, const SystemInfo& system);

/// Plan of the sensitivities for a run of these members: an initial value that was not given follows from the
/// parameters, and so does its derivative.
SensitivityPlan sensitivity_plan(const System& system, const MemberSource& source);

}  // namespace kalaba
