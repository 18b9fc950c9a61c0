#include <cmath>

#include "formula/graph/functions.hpp"

namespace kalaba::formula {

/// log'(x) = 1 / x
const Function functions::log = {
    .name = "log",
    .meaning = "The natural logarithm",
    .is_called = true,
    .latex = "\\log",
    .value = [](double x, double) { return std::log(x); },
    .derivative = [](Graph& g, const Applied& f) { return g.divide(f.dx, f.x); },
    .steepness = [](double x, double) { return 1 / std::abs(x); },
};

}  // namespace kalaba::formula
