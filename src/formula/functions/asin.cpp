#include <algorithm>
#include <cmath>

#include "formula/graph/functions.hpp"

namespace kalaba::formula {

/// asin'(x) = 1 / sqrt(1 - x^2)
const Function functions::asin = {
    .name = "asin",
    .meaning = "The inverse sine",
    .is_called = true,
    .parity = Parity::odd,
    .latex = "\\arcsin",
    .numpy = "arcsin",
    .value = [](double x, double) { return std::asin(x); },
    .derivative =
        [](Graph& g, const Applied& f) {
          return g.divide(f.dx, g.unary(Op::sqrt, g.subtract(g.number(1), g.raise(f.x, 2))));
        },
    .steepness = [](double x, double) { return 1 / std::sqrt(std::max(1 - x * x, 0.0)); },
    .has_unit_scale = true,
};

}  // namespace kalaba::formula
