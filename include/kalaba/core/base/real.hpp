#pragma once

#include "kalaba/core/base/portable.hpp"

namespace kalaba {

// Interface of a Real: + - * / and comparisons, sqrt, rsqrt, fma, abs and the elementary functions, and the functions
// below. A comparison gives a mask (bool, or one bool per lane); algorithms branch on a Real only through select, any
// and all, and combine masks by both, either and !.

KALABA_FN bool any(bool mask) { return mask; }
KALABA_FN bool all(bool mask) { return mask; }
KALABA_FN bool both(bool a, bool b) { return a && b; }
KALABA_FN bool either(bool a, bool b) { return a || b; }

/// Number in one lane; a plain number itself.
KALABA_FN double lane_of(double x, int) { return x; }
KALABA_FN float lane_of(float x, int) { return x; }

/// `a` where the mask holds, else `b`. Valid for any copyable X; packs have their own overload.
template <class X>
KALABA_FN X select(bool mask, const X& a, const X& b) {
  return mask ? a : b;
}

/// Floating-point type of a Real, and the limits of that type.
template <class X>
struct ScalarOf {
  using type = X;
};
template <class X>
using Scalar = typename ScalarOf<X>::type;

template <class S>
struct Limits;

template <>
struct Limits<double> {
  static constexpr double epsilon = 2.220446049250313e-16;
  /// Squared norms in [small, large] can be squared and multiplied once more without leaving the range.
  static constexpr double small = 1e-140;
  static constexpr double large = 1e140;
  static constexpr double reciprocal_range = 1e300;  ///< 1/x is finite and normal for x within [1/this, this]
  /// Smallest scale of coordinates: differences of larger numbers may be rounding error below it.
  static constexpr double least_size = 1e-6;
  /// Smallest scale of rates. Its square times a squared tolerance is still a normal number.
  static constexpr double least_rate = 1e-140;
};

template <>
struct Limits<float> {
  static constexpr float epsilon = 1.1920929e-07F;
  static constexpr float small = 1e-17F;
  static constexpr float large = 1e17F;
  static constexpr float reciprocal_range = 1e37F;
  static constexpr float least_size = 1;
  static constexpr float least_rate = 1;
};

/// True if a mask is a plain bool.
template <class Mask>
inline constexpr bool is_bool = false;
template <>
inline constexpr bool is_bool<bool> = true;

template <class X>
using MaskOf = decltype(X(0) < X(0));

/// a b + c, fused if X has fma.
template <class X>
KALABA_FN X multiply_add(const X& a, const X& b, const X& c) {
  if constexpr (requires { fma(a, b, c); }) {
    return fma(a, b, c);
  } else {
    return a * b + c;
  }
}

template <class X>
KALABA_FN X max_of(const X& a, const X& b) {
  return select(a < b, b, a);
}

template <class X>
KALABA_FN X min_of(const X& a, const X& b) {
  return select(b < a, b, a);
}

/// -1, 0 or 1
template <class X>
KALABA_FN X sign_of(const X& x) {
  return select(X(0) < x, X(1), select(x < X(0), X(-1), X(0)));
}

/// Returns true if x is finite: x - x is zero for every finite x, and NaN for infinities and NaN.
template <class X>
KALABA_FN auto is_finite(const X& x) {
  return x - x == X(0);
}

/// 1/x where the mask holds, else 0; never divides by zero.
template <class X, class Mask>
KALABA_FN X reciprocal_where(const Mask& mask, const X& x) {
  return select(mask, X(1) / select(mask, x, X(1)), X(0));
}

}  // namespace kalaba
