#pragma once

#include "kalaba/core/event.hpp"
#include "kalaba/core/real.hpp"

namespace kalaba {

/// A member (or one a lane) at one instant.
template <class X>
struct StateView {
  X t;
  const X* q;
  const X* w;
  const X* observed = nullptr;  ///< WatchedRows, where an expression asks for them
};

namespace detail {

template <class X>
KALABA_FN X raised(const X& x, int power) {
  X result(1);
  for (int i = 0; i < (power < 0 ? -power : power); ++i) result = result * x;
  return power < 0 ? X(1) / result : result;
}

template <class X>
KALABA_FN X truth(const MaskOf<X>& mask) {
  return select(mask, X(1), X(0));
}

/// Carries out one instruction; `top` numbers are on the stack, and as many as it returns afterwards.
template <class X>
KALABA_NOINLINE int carry_out(const Instruction& now, X* stack, int top, const X* p, const StateView<X>& state) {
  X& last = stack[top > 0 ? top - 1 : 0];
  X& below = stack[top > 1 ? top - 2 : 0];
  X& third = stack[top > 2 ? top - 3 : 0];
  switch (now.operation) {
    case Operation::number:
      stack[top] = X(now.value);
      return top + 1;
    case Operation::time:
      stack[top] = state.t;
      return top + 1;
    case Operation::parameter:
      stack[top] = p[now.index];
      return top + 1;
    case Operation::coordinate:
      stack[top] = state.q[now.index];
      return top + 1;
    case Operation::rate:
      stack[top] = state.w[now.index];
      return top + 1;
    case Operation::observed:
      stack[top] = state.observed[now.index];
      return top + 1;
    case Operation::add:
      below = below + last;
      return top - 1;
    case Operation::subtract:
      below = below - last;
      return top - 1;
    case Operation::multiply:
      below = below * last;
      return top - 1;
    case Operation::divide:
      below = below / last;
      return top - 1;
    case Operation::power:
      below = pow(below, last);
      return top - 1;
    case Operation::atan2:
      below = atan2(below, last);
      return top - 1;
    case Operation::min:
      below = min_of(below, last);
      return top - 1;
    case Operation::max:
      below = max_of(below, last);
      return top - 1;
    case Operation::less:
      below = truth<X>(below < last);
      return top - 1;
    case Operation::less_equal:
      below = truth<X>(below <= last);
      return top - 1;
    case Operation::both:
      below = below * last;
      return top - 1;
    case Operation::either:
      below = truth<X>(X(0) < below + last);
      return top - 1;
    case Operation::select:
      third = select(X(0) < third, below, last);
      return top - 2;
    case Operation::negation:
      last = X(1) - last;
      return top;
    case Operation::raise:
      last = raised(last, now.index);
      return top;
    case Operation::negate:
      last = -last;
      return top;
    case Operation::sqrt:
      last = sqrt(last);
      return top;
    case Operation::sin:
      last = sin(last);
      return top;
    case Operation::cos:
      last = cos(last);
      return top;
    case Operation::tan:
      last = tan(last);
      return top;
    case Operation::exp:
      last = exp(last);
      return top;
    case Operation::log:
      last = log(last);
      return top;
    case Operation::asin:
      last = asin(last);
      return top;
    case Operation::acos:
      last = acos(last);
      return top;
    case Operation::atan:
      last = atan(last);
      return top;
    case Operation::sign:
      last = sign_of(last);
      return top;
    default:
      last = abs(last);
      return top;
  }
}

}  // namespace detail

/// The value of an expression: every lane carries out the same program.
template <class X>
KALABA_FN X value_of(const Expression& expression, const X* p, const StateView<X>& state) {
  X stack[Expression::most_numbers];
  int top = 0;
  KALABA_UNROLL
  for (int i = 0; i < expression.size; ++i) top = detail::carry_out(expression.code[i], stack, top, p, state);
  return stack[0];
}

}  // namespace kalaba
