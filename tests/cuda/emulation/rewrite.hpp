#pragma once

#include <string>

namespace kalaba::emulated {

/// Converts preprocessed CUDA to C++ for the host's compiler: removes __global__ and __launch_bounds__, converts
/// `extern __shared__` arrays to pointers to the driver's allocation for the block and `__shared__` variables to
/// thread_local ones (a block runs on one thread of the host), and appends the code that the driver needs to call each
/// `extern "C" __global__` function.
std::string rewrite(std::string text);

}  // namespace kalaba::emulated
