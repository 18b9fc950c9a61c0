#pragma once

#include "kalaba/core/real.hpp"

namespace kalaba::detail {

// What packs make of the rough guesses of a machine, of 14 bits at least: two of Newton's steps in double precision and
// one in single, each of which doubles the correct bits.

template <class X>
inline constexpr unsigned newton_steps = sizeof(Scalar<X>) / 4;

/// 1/sqrt(a) to about 2 epsilon, for normal a > 0, from a guess of it.
template <class X>
KALABA_FN X refined_root(const X& a, X rough) {
  for (unsigned step = 0; step < newton_steps<X>; ++step) {
    rough = fma(rough * X(0.5), fma(-(a * rough), rough, X(1)), rough);
  }
  return rough;
}

/// a/b to 1 ulp from a guess of 1/b, in a quarter of the time of a division; b must be normal, and a zero or infinite
/// one gives NaN.
template <class X>
KALABA_FN X quotient(const X& a, const X& b, X rough) {
  for (unsigned step = 0; step < newton_steps<X>; ++step) rough = fma(fma(-b, rough, X(1)), rough, rough);
  const X first = a * rough;
  return fma(fma(-b, first, a), rough, first);
}

}  // namespace kalaba::detail
