#pragma once

#include <span>

#include "check/default_run.hpp"
#include "check/verdict.hpp"
#include "kalaba/system.hpp"

namespace kalaba::check {

/// Compares the default run of a system, on each of these backends and with each pseudo-inverse, with all known facts:
/// its figures, closed form and invariants, its constraints, the reference backend's run, the run in single precision,
/// and derivatives of its motion.
/// The runs make the given changes, and those of the system's contacts; comparisons without a meaning then are "not
/// run". Figures beyond the default end, and runs that take the reference more than about 10 s, are included only
/// `with_long`; otherwise their verdicts are "not run".
Verdicts check_system(const System& system, std::span<const Backend> backends, bool with_long,
                      const Changes& changes = {});

}  // namespace kalaba::check
