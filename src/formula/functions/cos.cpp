#include <cmath>

#include "formula/graph/functions.hpp"

namespace kalaba::formula {

/// cos' = -sin
const Function functions::cos = {
    .name = "cos",
    .meaning = "The cosine",
    .is_called = true,
    .parity = Parity::even,
    .latex = "\\cos",
    .value = [](double x, double) { return std::cos(x); },
    .derivative = [](Graph& g, const Applied& f) { return g.negate(g.multiply(g.unary(Op::sin, f.x), f.dx)); },
    .steepness = [](double x, double) { return std::abs(std::sin(x)); },
    .has_unit_scale = true,
};

}  // namespace kalaba::formula
