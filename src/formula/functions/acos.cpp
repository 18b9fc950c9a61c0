#include <algorithm>
#include <cmath>

#include "formula/graph/functions.hpp"

namespace kalaba::formula {

/// acos'(x) = -1 / sqrt(1 - x^2)
const Function functions::acos = {
    .name = "acos",
    .meaning = "The inverse cosine",
    .is_called = true,
    .latex = "\\arccos",
    .numpy = "arccos",
    .value = [](double x, double) { return std::acos(x); },
    .derivative =
        [](Graph& g, const Applied& f) {
          return g.negate(g.divide(f.dx, g.unary(Op::sqrt, g.subtract(g.number(1), g.raise(f.x, 2)))));
        },
    .steepness = [](double x, double) { return 1 / std::sqrt(std::max(1 - x * x, 0.0)); },
    .has_unit_scale = true,
};

}  // namespace kalaba::formula
