#pragma once

#include <cuda.h>

#include <string>

namespace kalaba::emulated {

/// Thrown within a call of the driver: the call returns the code and prints the message, if any, on stderr. Messages
/// report mistakes of the caller; errors that a correct program may encounter (insufficient memory) have none.
struct Failure {
  CUresult code;
  std::string words;
};

}  // namespace kalaba::emulated
