#pragma once

#include "kalaba/core/base/real.hpp"

namespace kalaba::detail {

// Refinement of approximate hardware results of at least 14 bits: two Newton steps in double precision and one in
// single; each doubles the correct bits.

template <class X>
inline constexpr unsigned newton_steps = sizeof(Scalar<X>) / 4;

/// 1/sqrt(a) to about 2 epsilon, for normal a > 0, from an approximation of it.
template <class X>
KALABA_FN X refined_root(const X& a, X rough) {
  for (unsigned step = 0; step < newton_steps<X>; ++step) {
    rough = fma(rough * X(0.5), fma(-(a * rough), rough, X(1)), rough);
  }
  return rough;
}

/// a/b to 1 ulp from an approximation of 1/b, in a quarter of the time of a division. b must be normal; zero or
/// infinite b gives NaN.
template <class X>
KALABA_FN X quotient(const X& a, const X& b, X rough) {
  for (unsigned step = 0; step < newton_steps<X>; ++step) rough = fma(fma(-b, rough, X(1)), rough, rough);
  const X first = a * rough;
  return fma(fma(-b, first, a), rough, first);
}

}  // namespace kalaba::detail
