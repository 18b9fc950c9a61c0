#pragma once

#include "kalaba/options.hpp"
#include "kalaba/system.hpp"

namespace kalaba {

/// Throws Error(bad_input) with the reason on options for which no backend can run the system.
void check_options(const System& system, const Options& options);

}  // namespace kalaba
