#pragma once

#include <string>

#include "kalaba/backend/member_functions.hpp"

namespace kalaba {

/// The library's elementary functions, for models that are compiled when they run, by one set of instructions: the
/// registers of numbers that they take are its own.
struct PackLevel {
  std::string name;  ///< of the instructions: "avx512bw"
  int lanes;         ///< doubles in a register; of single precision twice as many
  const PackMathematics<double>* double_mathematics;
  const PackMathematics<float>* single_mathematics;
};

/// What this CPU has, of what the library was built for: of a build for one CPU (KALABA_ARCH) that; of one for all of
/// x86-64 the widest that runs here.
const PackLevel& pack_level();

/// What models are compiled for, as -march takes it.
const char* model_architecture();

// The levels that a build may have, each a compilation of pack_mathematics.cpp.
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
