#include <cmath>

#include "formula/graph/functions.hpp"

namespace kalaba::formula {

/// atan'(x) = 1 / (1 + x^2)
const Function functions::atan = {
    .name = "atan",
    .meaning = "The inverse tangent",
    .is_called = true,
    .parity = Parity::odd,
    .latex = "\\arctan",
    .numpy = "arctan",
    .value = [](double x, double) { return std::atan(x); },
    .derivative = [](Graph& g, const Applied& f) { return g.divide(f.dx, g.add(g.number(1), g.raise(f.x, 2))); },
    .steepness = [](double x, double) { return 1 / (1 + x * x); },
    .has_unit_scale = true,
};

}  // namespace kalaba::formula
