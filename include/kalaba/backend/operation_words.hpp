#pragma once

#include <cstdint>

namespace kalaba::formula {

/// What a node of a formula is, or a step on registers does.
enum class Op : std::uint8_t {
  // leaves
  number,
  parameter,
  coordinate,
  rate,
  time,
  ideal,     ///< the ideal constraint force along a rate, known where C is formed
  observed,  ///< a row of WatchedRows, known to who watches a motion
  named,     ///< what a function of derivatives gets, called as its writer says (FunctionWriter::call)
  // of two numbers, of one, of one and a constant whole number (Node::index)
  add,
  subtract,
  multiply,
  divide,
  negate,
  raise,  ///< to a whole power, by multiplication
  power,
  sqrt,
  sin,
  cos,
  tan,
  asin,
  acos,
  atan,
  atan2,
  exp,
  log,
  abs,
  min,
  max,
  sign,   ///< -1, 0 or 1
  table,  ///< a derivative of a table (TableUse in Node::index)
  // masks, to steps 0 and 1
  less,
  less_equal,
  both,
  either,
  negation,
  // of a mask and two numbers
  select,
  // steps alone
  copy,
  multiply_add,         ///< a b + c, rounded twice
  multiply_subtract,    ///< a b - c
  subtract_multiplied,  ///< c - a b
  fused_add,            ///< a b + c, rounded once
  fused_subtract,       ///< a b - c
  subtract_fused,       ///< c - a b
};

}  // namespace kalaba::formula
