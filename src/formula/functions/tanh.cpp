#include <cmath>

#include "formula/graph/functions.hpp"

namespace kalaba::formula {

/// tanh' = 1 - tanh^2
const Function functions::tanh = {
    .name = "tanh",
    .meaning = "The hyperbolic tangent",
    .is_called = true,
    .parity = Parity::odd,
    .latex = "\\tanh",
    .value = [](double x, double) { return std::tanh(x); },
    .derivative = [](Graph& g,
                     const Applied& f) { return g.multiply(g.subtract(g.number(1), g.raise(f.value, 2)), f.dx); },
    .steepness = [](double, double value) { return 1 - value * value; },
    .has_unit_scale = true,
};

}  // namespace kalaba::formula
