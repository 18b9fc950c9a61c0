#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "kalaba/starts.hpp"
#include "kalaba/system.hpp"
#include "scenario/document/document.hpp"

namespace kalaba {

/// Reads the run's options from [time], [solver] and [output] (except its file); the system's defaults apply otherwise.
Options read_options(Document& document, const System& system);

/// Reads initial.project, and sets options.project_start from it. A system with servo-constraints has no projection.
StartRule read_start_rule(Document& document, bool servo, Options& options);

/// "dopri5 or dop853", with " or " as `between`: the integrators with adaptive steps.
std::string adaptive_names(std::string_view between);

/// Names of the fields that can be saved for a system.
std::vector<std::string> field_names(const SystemInfo& system);

/// Reads "projection", "none", { baumgarte = [alpha, beta] } or { feedback = kappa }. Servo-constraints have no
/// projection.
Stabilization read_stabilization(const Node& node, bool servo);

}  // namespace kalaba
