#pragma once

#include <optional>

#include "kalaba/backend/member_functions.hpp"
#include "kalaba/system.hpp"

namespace kalaba::bench {

/// What the backend cpu does for one member in one step, on average over the first 64 steps of a run from the default
/// start: counted in the very program that it would run, compiled once more with numbers that count. None of adaptive
/// steps, swarms of any number, and where nothing can be compiled.
std::optional<Operations> operations_of_step(const System& system, const Options& options);

}  // namespace kalaba::bench
