#pragma once

#include <string>

#include "formula/mechanics/derive.hpp"
#include "kalaba/system.hpp"

namespace kalaba::formula {

/// Text of a condition of the formulas at which the rate of the motion jumps, such as "sign(x_dot)" or "x < 0"; empty
/// if none is found. Each condition is crossed along lines between pseudo-random states, and the terms of the equation
/// of motion on both sides of the crossing are compared: a kink, as of where(x < 0, -k*x, 0), is no jump.
std::string find_jump(const Graph& graph, const Terms& terms, const SystemInfo& info);

}  // namespace kalaba::formula
