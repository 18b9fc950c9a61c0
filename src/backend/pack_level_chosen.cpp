// Pack level of a build for all CPUs of x86-64 (KALABA_ARCH = x86-64-v2), chosen at run time by the CPU's features.

#include "backend/pack_mathematics.hpp"

namespace kalaba {
namespace {

bool has_v3() {
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi") &&
         __builtin_cpu_supports("bmi2");
}

bool has_v4() {
  return has_v3() && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
         __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
}

}  // namespace

const PackLevel& pack_level() {
  static const PackLevel& chosen = has_v4() ? x86_64_v4::level() : has_v3() ? x86_64_v3::level() : built::level();
  return chosen;
}

const char* model_architecture() { return "native"; }

}  // namespace kalaba
