#pragma once

#include <string>
#include <vector>

#include "kalaba/run.hpp"

namespace kalaba {

/// What sensitivities of a system can be along: "parameters.L" of every parameter, "initial.x" of every coordinate and
/// rate.
std::vector<std::string> sensitivity_names(const SystemInfo& system);

/// The names with those of every coordinate and rate in the place of "initial.*".
std::vector<std::string> with_all_starts(const SystemInfo& system, const std::vector<std::string>& names);

/// The system with columns of sensitivities along those variables, "initial.*" being every start: runs of it have the
/// fields q_sensitivity and w_sensitivity, derivatives of its members' motions (docs/mechanics.md, "Sensitivities"),
/// and of their events those of the time and the state. The motions keep their bits. Throws Error(bad_input): an
/// unknown name, one twice, none, more than Sensitivities::most, a swarm.
System with_sensitivities(const System& system, const std::vector<std::string>& of);

/// The system whose runs have the field lyapunov_exponents, of as many directions as those starts, "initial.x" each,
/// are independent (docs/mechanics.md, "Lyapunov exponents"), and no derivatives: at every saved time the columns are
/// made orthonormal anew. Throws as with_sensitivities, and where a variable is a parameter.
System with_lyapunov_exponents(const System& system, const std::vector<std::string>& of);

/// Why a run has no Lyapunov exponents with these options; empty where it has.
std::string fault_of_exponents(const SystemInfo& system, const Options& options);

/// Why the expression of an event cannot be differentiated; empty where it can.
std::string fault_of_differentiated(const Expression& expression, const SystemInfo& system);

/// What sensitivities are along in numbers, for a run of these members: where a start was not given it follows from the
/// parameters, and so does its derivative.
SensitivityPlan sensitivity_plan(const System& system, const MemberSource& source);

}  // namespace kalaba
