#pragma once

#include <string>

#include "kalaba/system.hpp"

namespace kalaba {

/// Returns a C++ source of the compiled form of one system for these options (integrator, pseudo-inverse,
/// stabilisation, precision, event detection, sensitivity columns); it needs no header. A program that is linked with
/// the source runs such an ensemble on machines without a compiler; with other options the formulas are interpreted.
/// The source is valid for packs of the width of this machine. Throws Error (bad_input) for a swarm, and for a system
/// whose formulas are not known.
std::string compiled_source(const System& system, const Options& options);

}  // namespace kalaba
