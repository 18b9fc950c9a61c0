#pragma once

#include <string>

#include "kalaba/backend/member_functions.hpp"

namespace kalaba {

/// The library's elementary functions for models compiled at run time, in one instruction set, for registers of that
/// set.
struct PackLevel {
  std::string name;  ///< of the instructions: "avx512bw"
  int lanes;         ///< doubles in a register; twice as many numbers in single precision
  const PackMathematics<double>* double_mathematics;
  const PackMathematics<float>* single_mathematics;
};

/// Returns the pack level of this CPU: in a build for one CPU (KALABA_ARCH) that level; in a build for all of x86-64
/// the widest that this CPU supports.
const PackLevel& pack_level();

/// Returns the architecture for which models are compiled, as an argument of -march.
const char* model_architecture();

// Levels that a build may have, each a compilation of pack_mathematics.cpp.
namespace built {
const PackLevel& level();
}
namespace x86_64_v3 {
const PackLevel& level();
}
namespace x86_64_v4 {
const PackLevel& level();
}

}  // namespace kalaba
