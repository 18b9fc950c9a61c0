#pragma once

#include "kalaba/options.hpp"

namespace kalaba::bench {

/// The most operations per second that `threads` threads (0: one a usable CPU) reach, all at once: independent fused
/// multiply-adds, two operations each, in the registers of the cpu backend. Takes about a tenth of a second.
double peak_flops(Precision precision, int threads);

}  // namespace kalaba::bench
