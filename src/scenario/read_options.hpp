#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "kalaba/starts.hpp"
#include "kalaba/system.hpp"
#include "scenario/document/document.hpp"

namespace kalaba {

/// The run's options: [time], [solver], [output] but for its file, over the system's defaults.
Options read_options(Document& document, const System& system);

/// initial.project, into options.project_start too. A servo-constraint is not projected on.
StartRule read_start_rule(Document& document, bool servo, Options& options);

/// "dopri5 or dop853", with " or " between: the integrators whose steps are as long as tolerances allow.
std::string adaptive_names(std::string_view between);

/// The fields that can be saved of a system.
std::vector<std::string> field_names(const SystemInfo& system);

/// "projection", "none", { baumgarte = [alpha, beta] } or { feedback = kappa }; of a servo-constraint no projection.
Stabilization read_stabilization(const Node& node, bool servo);

}  // namespace kalaba
