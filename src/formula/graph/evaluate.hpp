#pragma once

#include "formula/graph/graph.hpp"
#include "kalaba/core/base/operation_value.hpp"

namespace kalaba::formula {

/// The value of one operation on doubles; masks are 0 and 1. Constants are folded and programs interpreted with it. It
/// is written apart from the operation_value of the core, with which tests compare it.
double evaluate(Op op, double a, double b, double c, int index);

}  // namespace kalaba::formula
