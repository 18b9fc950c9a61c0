#pragma once

#include "kalaba/core/base/operation_value.hpp"
#include "kalaba/core/base/real.hpp"
#include "kalaba/core/events/event.hpp"

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

/// Number of a state that an instruction without arguments reads.
template <class X>
KALABA_FN X leaf_of(const Instruction& now, const X* p, const StateView<X>& state) {
  switch (now.operation) {
    case Operation::time:
      return state.t;
    case Operation::parameter:
      return p[now.index];
    case Operation::coordinate:
      return state.q[now.index];
    case Operation::rate:
      return state.w[now.index];
    case Operation::observed:
      return state.observed[now.index];
    default:
      return X(now.value);
  }
}

KALABA_FN constexpr bool is_leaf(Operation operation) {
  return operation == Operation::number || operation == Operation::time || operation == Operation::parameter ||
         operation == Operation::coordinate || operation == Operation::rate || operation == Operation::observed;
}

/// Executes an operation on the last numbers of the stack: `top` numbers are on it before; returns the number after.
template <class X>
KALABA_FN int operate(const Instruction& now, X* stack, int top) {
  const int count = argument_count(now.operation);
  const int first = top > count ? top - count : 0;
  const X& a = stack[first];
  const X& b = stack[count > 1 ? first + 1 : first];
  const X& c = stack[count > 2 ? first + 2 : first];
  stack[first] = operation_value(now.operation, now.index, a, b, c);
  return first + 1;
}

/// Executes one instruction: `top` numbers are on the stack before it; returns the number after it.
template <class X>
KALABA_NOINLINE int carry_out(const Instruction& now, X* stack, int top, const X* p, const StateView<X>& state) {
  if (!is_leaf(now.operation)) return operate(now, stack, top);
  stack[top] = leaf_of(now, p, state);
  return top + 1;
}

}  // namespace detail

/// Value of an expression: every lane executes the same program.
template <class X>
KALABA_FN X value_of(const Instruction* code, int size, const X* p, const StateView<X>& state) {
  X stack[Expression::most_numbers];
  int top = 0;
  KALABA_UNROLL
  for (int i = 0; i < size; ++i) top = detail::carry_out(code[i], stack, top, p, state);
  return stack[0];
}
template <class X>
KALABA_FN X value_of(const Expression& expression, const X* p, const StateView<X>& state) {
  return value_of(expression.code, expression.size, p, state);
}

}  // namespace kalaba
