#pragma once

#include <string>

#include "bench/json.hpp"

namespace kalaba::bench {

/// How this program was compiled, as its compiler was told.
extern const char* const compiler_flags;

/// Of this program and moment.
Origin origin();

/// "Intel(R) Xeon(R) Processor @ 2.50GHz, 1 thread, 8 lanes (avx512bw)"
std::string device_text(int threads = 1);

}  // namespace kalaba::bench
