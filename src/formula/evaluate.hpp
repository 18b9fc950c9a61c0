#pragma once

#include "formula/graph.hpp"

namespace kalaba::formula {

/// The value of one operation on doubles; masks are 0 and 1. What constants are folded by and programs are interpreted
/// with. Emitted code says the same in C++.
double evaluate(Op op, double a, double b, double c, int index);

/// x^exponent by products: the square-and-multiply order that emitted code repeats; 1 / x^-exponent where negative.
double whole_power(double x, int exponent);

}  // namespace kalaba::formula
