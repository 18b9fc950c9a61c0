#pragma once

#include <cuda.h>

#include <string>

namespace kalaba::emulated {

/// Thrown within a call of the driver: the call returns the code and prints the words, if there are any, on stderr.
/// They are for mistakes of the caller; what a right program meets too (memory runs out) has none.
struct Failure {
  CUresult code;
  std::string words;
};

}  // namespace kalaba::emulated
