#pragma once

#include <span>

#include "check/verdict.hpp"
#include "kalaba/system.hpp"

namespace kalaba::check {

/// Compares the default run of a system, on each of these backends and with each pseudo-inverse, with everything that
/// is known of it: its figures, closed form and invariants, its constraints, the reference backend's run, what single
/// precision makes of it, and derivatives of its motion.
/// Figures beyond the default end, and runs that take the reference longer than some 10 s, are run `with_long` only;
/// without it their verdicts are "not run".
Verdicts check_system(const System& system, std::span<const Backend> backends, bool with_long);

}  // namespace kalaba::check
