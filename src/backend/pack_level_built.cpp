// Pack level of a build for one CPU.

#include "backend/pack_mathematics.hpp"

namespace kalaba {

const PackLevel& pack_level() { return built::level(); }

const char* model_architecture() { return KALABA_ARCH; }

}  // namespace kalaba
