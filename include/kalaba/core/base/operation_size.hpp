#pragma once

#include "kalaba/core/base/operation.hpp"
#include "kalaba/core/base/real.hpp"

namespace kalaba {

/// Size of the rounding error of the result `value` of an operation on numbers v with the sizes s: the error is at most
/// some epsilon times this.
template <class X>
KALABA_FN X rounding_size(Operation operation, int index, const X& value, const X* v, const X* s) {
  const X size = abs(value);
  // The size of the base of a power relative to the base, less 1.
  const auto excess = [&]() KALABA_LAMBDA {
    const X base = abs(v[0]);
    return select(X(0) < base, s[0] / select(X(0) < base, base, X(1)) - X(1), X(0));
  };
  switch (operation) {
    case Operation::add:
    case Operation::subtract:
      return s[0] + s[1];
    case Operation::negate:
    case Operation::abs:
      return s[0];
    case Operation::multiply:
      return abs(v[0]) * s[1] + s[0] * abs(v[1]) - size;
    case Operation::divide:
      return (s[0] + size * s[1]) / abs(v[1]) - size;
    case Operation::raise:
      return size * fma(X(index < 0 ? -index : index), excess(), X(1));
    case Operation::power:
      return size * fma(abs(v[1]), excess(), X(1)) + size * s[1];
    case Operation::sqrt:
      return size * fma(X(0.5), excess(), X(1));
    case Operation::tan:
      return size + fma(value, value, X(1)) * s[0];
    case Operation::asin:
    case Operation::acos:
      return size + s[0] / sqrt(max_of(X(1) - v[0] * v[0], X(Limits<Scalar<X>>::epsilon)));
    case Operation::exp:
      return size * (X(1) + s[0]);
    case Operation::log:
      return size + s[0] / abs(v[0]);
    case Operation::atan2:
      return size +
             (abs(v[0]) * s[1] + abs(v[1]) * s[0]) / max_of(v[0] * v[0] + v[1] * v[1], X(Limits<Scalar<X>>::small));
    case Operation::min:
    case Operation::max:
      return max_of(s[0], s[1]);
    case Operation::select:
      return select(X(0) < v[0], s[1], s[2]);
    default:
      return argument_count(operation) == 1 ? size + s[0] : size;
  }
}

}  // namespace kalaba
