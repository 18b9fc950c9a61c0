#pragma once

#include "kalaba/core/base/portable.hpp"

namespace kalaba {

// Elementary functions of expressions, one per line: F(NAME, REAL, ARGUMENTS) with the name of the operation, the
// function of a Real that computes it and its number of arguments. The file src/formula/functions/NAME.cpp states the
// rest of a function: units, derivative, notation, its name in Python.
#define KALABA_FUNCTIONS(F) \
  F(sqrt, sqrt, 1)          \
  F(sin, sin, 1)            \
  F(cos, cos, 1)            \
  F(tan, tan, 1)            \
  F(asin, asin, 1)          \
  F(acos, acos, 1)          \
  F(atan, atan, 1)          \
  F(atan2, atan2, 2)        \
  F(tanh, tanh, 1)          \
  F(exp, exp, 1)            \
  F(log, log, 1)            \
  F(abs, abs, 1)            \
  F(min, min_of, 2)         \
  F(max, max_of, 2)         \
  F(sign, sign_of, 1)

/// Operation of a node of a formula, of an instruction of an event's expression, or of a step on registers.
enum class Operation : unsigned char {
  // leaves
  number,
  parameter,
  coordinate,
  rate,
  time,
  ideal,     ///< ideal constraint force along a rate, an input of C
  observed,  ///< a row of WatchedRows
  named,     ///< argument of a function of derivatives, named by its writer (FunctionWriter::call)
  // arithmetic; `raise` has a constant whole exponent
  add,
  subtract,
  multiply,
  divide,
  negate,
  raise,
  power,
  table,  ///< a derivative of a table (formula::TableUse)
#define KALABA_ENUMERATOR(name, real, arguments) name,
  KALABA_FUNCTIONS(KALABA_ENUMERATOR)
#undef KALABA_ENUMERATOR
  // masks; as numbers 1 (true) and 0 (false)
  less,
  less_equal,
  both,
  either,
  negation,
  select,  ///< of a mask and two numbers
  // steps on registers only
  copy,
  multiply_add,         ///< a b + c, rounded twice
  multiply_subtract,    ///< a b - c
  subtract_multiplied,  ///< c - a b
  fused_add,            ///< a b + c, rounded once
  fused_subtract,       ///< a b - c
  subtract_fused,       ///< c - a b
};

/// Number of arguments of an operation of a formula.
KALABA_FN constexpr int argument_count(Operation operation) {
  switch (operation) {
    case Operation::add:
    case Operation::subtract:
    case Operation::multiply:
    case Operation::divide:
    case Operation::power:
    case Operation::less:
    case Operation::less_equal:
    case Operation::both:
    case Operation::either:
      return 2;
    case Operation::negate:
    case Operation::raise:
    case Operation::table:
    case Operation::negation:
    case Operation::copy:
      return 1;
#define KALABA_COUNT(name, real, arguments) \
  case Operation::name:                     \
    return arguments;
      KALABA_FUNCTIONS(KALABA_COUNT)
#undef KALABA_COUNT
    case Operation::select:
    case Operation::multiply_add:
    case Operation::multiply_subtract:
    case Operation::subtract_multiplied:
    case Operation::fused_add:
    case Operation::fused_subtract:
    case Operation::subtract_fused:
      return 3;
    default:
      return 0;
  }
}

}  // namespace kalaba
