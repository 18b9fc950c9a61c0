#pragma once

#include <string>
#include <vector>

#include "kalaba/block.hpp"
#include "kalaba/system.hpp"

namespace kalaba {

/// Variable names of the parameters in files: their names, or "parameter_NAME" if some file, possibly of another run,
/// has a variable of that name for another purpose.
std::vector<std::string> parameter_names(const SystemInfo& system);

/// Returns true if files use this variable name for another purpose, for any system.
bool is_own_name(const std::string& name);

/// Returns the counters that files contain with this integrator.
std::vector<BlockCounter> saved_counters(Integrator integrator);

}  // namespace kalaba
