#pragma once

#include <string>

namespace kalaba::bench {

/// Operations of a step of the systems that are counted, by each pseudo-inverse, the rate of the cpu backend on one
/// thread, and the share of the machine's peak that makes; as a table for a terminal.
std::string roofline_text();

}  // namespace kalaba::bench
