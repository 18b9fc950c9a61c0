#include "formula/graph/functions.hpp"

namespace kalaba::formula {

/// -1, 0 or 1; its derivative is 0 on both sides of the jump.
const Function functions::sign = {
    .name = "sign",
    .meaning = "The sign: -1, 0 or 1",
    .measure = Measure::ratio,
    .kinked = true,
    .parity = Parity::odd,
    .value = [](double x, double) { return 0.0 < x ? 1.0 : (x < 0.0 ? -1.0 : 0.0); },
    .derivative = [](Graph& g, const Applied&) { return g.number(0); },
};

}  // namespace kalaba::formula
