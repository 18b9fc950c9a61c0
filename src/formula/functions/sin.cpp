#include <cmath>

#include "formula/graph/functions.hpp"

namespace kalaba::formula {

/// sin' = cos
const Function functions::sin = {
    .name = "sin",
    .meaning = "The sine",
    .is_called = true,
    .parity = Parity::odd,
    .latex = "\\sin",
    .value = [](double x, double) { return std::sin(x); },
    .derivative = [](Graph& g, const Applied& f) { return g.multiply(g.unary(Op::cos, f.x), f.dx); },
    .steepness = [](double x, double) { return std::abs(std::cos(x)); },
    .has_unit_scale = true,
};

}  // namespace kalaba::formula
