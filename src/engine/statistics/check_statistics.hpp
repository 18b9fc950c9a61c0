#pragma once

#include "kalaba/options.hpp"
#include "kalaba/system.hpp"

namespace kalaba {

/// Throws Error(bad_input) if the requested statistics have no meaning for the system and the fields.
void check_statistics(const SystemInfo& system, const Options& options);

}  // namespace kalaba
