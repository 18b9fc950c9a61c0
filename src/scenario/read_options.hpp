#pragma once

#include <span>
#include <string>
#include <vector>

#include "kalaba/option_table.hpp"
#include "kalaba/starts.hpp"
#include "kalaba/system.hpp"
#include "scenario/document/document.hpp"

namespace kalaba {

/// Reads the options of the table, and the events; the system's defaults apply otherwise.
Options read_options(Document& document, const System& system, std::span<const RunOption> rows = option_table());

/// Fails at output.trajectories if a run with these options, which have the events of the model, would write nothing.
void check_output(Document& document, const Options& options);

/// Reads initial.project, and sets options.project_start from it. A system with servo-constraints has no projection.
StartRule read_start_rule(Document& document, bool servo, Options& options);

/// Names of the fields that can be saved for a system.
std::vector<std::string> field_names(const SystemInfo& system);

/// Reads "projection", "none", { baumgarte = [alpha, beta] } or { feedback = kappa }. Servo-constraints have no
/// projection.
Stabilization read_stabilization(const Node& node, bool servo);

}  // namespace kalaba
