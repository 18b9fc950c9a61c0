#pragma once

#include <string>

#include "kalaba/system.hpp"

namespace kalaba {

/// Returns a C++ source that holds the compiled form of one system for these options (integrator, pseudo-inverse,
/// stabilisation, precision, whether events are watched, columns of sensitivities), and needs no header. A program that
/// is linked with the source runs such an ensemble where there is no compiler; with other options the formulas are
/// interpreted. The source holds for packs of the width of this machine. Throws Error (bad_input) for a swarm, and for
/// a system whose formulas are not known.
std::string compiled_source(const System& system, const Options& options);

}  // namespace kalaba
