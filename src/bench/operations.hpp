#pragma once

#include <optional>

#include "kalaba/backend/member_functions.hpp"
#include "kalaba/options.hpp"
#include "kalaba/system.hpp"

namespace kalaba::bench {

/// Operations of the backend cpu for one member and step, averaged over the first 64 steps of a run from the default
/// start. They are counted in the program of the run, compiled with counting numbers. No value for adaptive steps, for
/// swarms, and without a compiler.
std::optional<Operations> operations_of_step(const System& system, const Options& options);

/// The most operations per second that `threads` threads (0: one a usable CPU) reach, all at once: independent fused
/// multiply-adds, two operations each, in the registers of the cpu backend. Takes about a tenth of a second.
double peak_flops(Precision precision, int threads);

}  // namespace kalaba::bench
