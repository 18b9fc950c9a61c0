#include <cmath>

#include "formula/graph/functions.hpp"

namespace kalaba::formula {

/// tan' = 1 + tan^2
const Function functions::tan = {
    .name = "tan",
    .meaning = "The tangent",
    .is_called = true,
    .parity = Parity::odd,
    .latex = "\\tan",
    .value = [](double x, double) { return std::tan(x); },
    .derivative = [](Graph& g, const Applied& f) { return g.multiply(g.add(g.number(1), g.raise(f.value, 2)), f.dx); },
    .steepness = [](double, double value) { return 1 + value * value; },
    .has_unit_scale = true,
};

}  // namespace kalaba::formula
