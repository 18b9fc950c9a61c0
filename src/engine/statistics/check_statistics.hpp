#pragma once

#include "kalaba/options.hpp"
#include "kalaba/system.hpp"

namespace kalaba {

/// Throws Error(bad_input) where the statistics that are asked for have no meaning for the system and the fields.
void check_statistics(const SystemInfo& system, const Options& options);

}  // namespace kalaba
