#include <cmath>

#include "formula/graph/functions.hpp"

namespace kalaba::formula {

/// (√u)' = u' / (2 √u)
const Function functions::sqrt = {
    .name = "sqrt",
    .meaning = "The square root",
    .measure = Measure::root,
    .latex = "\\sqrt{#}",
    .value = [](double x, double) { return std::sqrt(x); },
    .derivative = [](Graph& g, const Applied& f) { return g.divide(f.dx, g.multiply(g.number(2), f.value)); },
    .steepness = [](double, double value) -> double { return value > 0 ? 0.5 / value : 0; },
};

}  // namespace kalaba::formula
