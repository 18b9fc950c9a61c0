#include "formula/graph/functions.hpp"

namespace kalaba::formula {

/// The least argument, and its derivative.
const Function functions::min = {
    .name = "min",
    .meaning = "The least of two or more",
    .least = 2,
    .most = most_arguments,
    .arguments = "a, b, ...",
    .measure = Measure::same,
    .kinked = true,
    .latex = "\\min",
    .python = "minimum",
    .value = [](double a, double b) { return b < a ? b : a; },
    .derivative = [](Graph& g, const Applied& f) { return g.select(g.binary(Op::less, f.y, f.x), f.dy, f.dx); },
};

}  // namespace kalaba::formula
