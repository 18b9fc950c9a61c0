#pragma once

#include "kalaba/options.hpp"
#include "kalaba/system.hpp"

namespace kalaba {

/// Throws Error(bad_input), saying why, on options that no backend could run the system with.
void check_options(const System& system, const Options& options);

}  // namespace kalaba
