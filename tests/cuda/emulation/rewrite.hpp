#pragma once

#include <string>

namespace kalaba::emulated {

/// Turns preprocessed CUDA into C++ for the host's compiler: drops __global__ and __launch_bounds__, makes
/// `extern __shared__` arrays pointers to what the driver has placed for the block, `__shared__` variables
/// thread_local (a block runs on one thread of the host), and appends what the driver needs to call each
/// `extern "C" __global__` function.
std::string rewrite(std::string text);

}  // namespace kalaba::emulated
