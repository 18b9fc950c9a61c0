#pragma once

#include <string>

#include "bench/json.hpp"

namespace kalaba::bench {

/// Compiler flags of this program.
extern const char* const compiler_flags;

/// Origin of a measurement: this program and the current time.
Origin origin();

/// Description of the device: "Intel(R) Xeon(R) Processor @ 2.50GHz, 1 thread, 8 lanes (avx512bw)".
std::string device_text(int threads = 1);

}  // namespace kalaba::bench
