#pragma once

#include "kalaba/core/event.hpp"
#include "kalaba/core/operation_value.hpp"
#include "kalaba/core/real.hpp"

namespace kalaba {

/// State of a member (or of one per lane) at one instant.
template <class X>
struct StateView {
  X t;
  const X* q;
  const X* w;
  const X* observed = nullptr;  ///< WatchedRows, if an expression uses them
};

namespace detail {

/// Executes one instruction: `top` numbers are on the stack before it; returns the number after it.
template <class X>
KALABA_NOINLINE int carry_out(const Instruction& now, X* stack, int top, const X* p, const StateView<X>& state) {
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
    default:
      break;
  }
  const int count = argument_count(now.operation);
  const int first = top > count ? top - count : 0;
  const X& a = stack[first];
  const X& b = stack[count > 1 ? first + 1 : first];
  const X& c = stack[count > 2 ? first + 2 : first];
  stack[first] = operation_value(now.operation, now.index, a, b, c);
  return first + 1;
}

}  // namespace detail

/// Value of an expression: every lane executes the same program.
template <class X>
KALABA_FN X value_of(const Expression& expression, const X* p, const StateView<X>& state) {
  X stack[Expression::most_numbers];
  int top = 0;
  KALABA_UNROLL
  for (int i = 0; i < expression.size; ++i) top = detail::carry_out(expression.code[i], stack, top, p, state);
  return stack[0];
}

}  // namespace kalaba
