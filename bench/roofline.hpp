#pragma once

#include <string>

namespace kalaba::bench {

/// Table for a terminal: operations per step of the systems for which they are counted, by pseudo-inverse; the rate of
/// the cpu backend on one thread; and its share of the machine's peak.
std::string roofline_text();

}  // namespace kalaba::bench
