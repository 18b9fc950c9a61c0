#pragma once

#include "kalaba/core/base/operation.hpp"
#include "kalaba/core/base/real.hpp"

namespace kalaba {

/// x^exponent by repeated squaring, from the leading binary digit of the exponent on; 1 / x^-exponent if it is
/// negative. Emitted code multiplies in the same order.
template <class X>
KALABA_FN X whole_power(const X& x, int exponent) {
  const unsigned power = exponent < 0 ? 0U - static_cast<unsigned>(exponent) : static_cast<unsigned>(exponent);
  if (power == 0) return X(1);
  unsigned digit = 1;
  while (digit <= power / 2) digit *= 2;
  X result = x;
  for (digit /= 2; digit > 0; digit /= 2) {
    result = result * result;
    if ((power & digit) != 0) result = result * x;
  }
  return exponent < 0 ? X(1) / result : result;
}

namespace detail {

template <class X>
KALABA_FN X truth(const MaskOf<X>& mask) {
  return select(mask, X(1), X(0));
}

}  // namespace detail

/// Value of an operation that has arguments; unused arguments may be anything. Masks are numbers: 1 and 0.
template <class X>
KALABA_FN X operation_value(Operation operation, int index, const X& a, const X& b, const X& c) {
  switch (operation) {
    case Operation::add:
      return a + b;
    case Operation::subtract:
      return a - b;
    case Operation::multiply:
    case Operation::both:
      return a * b;
    case Operation::divide:
      return a / b;
    case Operation::negate:
      return -a;
    case Operation::raise:
      return whole_power(a, index);
    case Operation::power:
      return pow(a, b);
    case Operation::less:
      return detail::truth<X>(a < b);
    case Operation::less_equal:
      return detail::truth<X>(a <= b);
    case Operation::either:
      return max_of(a, b);
    case Operation::negation:
      return X(1) - a;
    case Operation::select:
      return select(X(0) < a, b, c);
#define KALABA_CALL_1(real) real(a)
#define KALABA_CALL_2(real) real(a, b)
#define KALABA_VALUE(name, real, arguments) \
  case Operation::name:                     \
    return KALABA_CALL_##arguments(real);
      KALABA_FUNCTIONS(KALABA_VALUE)
#undef KALABA_VALUE
#undef KALABA_CALL_1
#undef KALABA_CALL_2
    default:  // leaves, tables and fused steps have no value here
      return a;
  }
}

}  // namespace kalaba
