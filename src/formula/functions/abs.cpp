#include <cmath>

#include "formula/graph/functions.hpp"

namespace kalaba::formula {

/// |x|, differentiated on the side of 0 where x is.
const Function functions::abs = {
    .name = "abs",
    .meaning = "The absolute value",
    .measure = Measure::same,
    .kinked = true,
    .parity = Parity::even,
    .latex = "\\left|#\\right|",
    .value = [](double x, double) { return std::abs(x); },
    .derivative = [](Graph& g,
                     const Applied& f) { return g.select(g.binary(Op::less, f.x, g.number(0)), g.negate(f.dx), f.dx); },
    .steepness = [](double, double) { return 1.0; },
};

}  // namespace kalaba::formula
