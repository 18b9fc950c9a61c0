#include <cmath>

#include "formula/graph/functions.hpp"

namespace kalaba::formula {

/// exp' = exp
const Function functions::exp = {
    .name = "exp",
    .meaning = "The exponential",
    .is_called = true,
    .latex = "\\exp",
    .value = [](double x, double) { return std::exp(x); },
    .derivative = [](Graph& g, const Applied& f) { return g.multiply(f.value, f.dx); },
    .steepness = [](double, double value) { return value; },
    .has_unit_scale = true,
};

}  // namespace kalaba::formula
