#pragma once

namespace kalaba {

/// Number of random cases of a test: fewer under sanitizers, whose unoptimized code takes minutes.
constexpr int trials(int count) {
#ifdef KALABA_SANITIZED
  return (count + 9) / 10;
#else
  return count;
#endif
}

}  // namespace kalaba
