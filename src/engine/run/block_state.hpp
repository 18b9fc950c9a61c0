#pragma once

#include <string>

#include "engine/run/energy_drift.hpp"
#include "engine/run/lyapunov_exponents.hpp"
#include "kalaba/block.hpp"

namespace kalaba {

/// What of a block its runner and its source do not know anew, everything but the parameters, and the drift of its
/// energies and the growth of its directions so far.
std::string state_of(const Block& block, const EnergyDrift& drift, const LyapunovExponents& exponents);
/// Puts it back, into a block of the same members. Throws Error(file_error) where it is not of this block.
void restore(Block& block, EnergyDrift& drift, LyapunovExponents& exponents, const std::string& state);

}  // namespace kalaba
