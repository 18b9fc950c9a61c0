#include "formula/graph/functions.hpp"

namespace kalaba::formula {

/// The greatest argument, and its derivative.
const Function functions::max = {
    .name = "max",
    .meaning = "The greatest of two or more",
    .least = 2,
    .most = most_arguments,
    .arguments = "a, b, ...",
    .measure = Measure::same,
    .kinked = true,
    .latex = "\\max",
    .python = "maximum",
    .value = [](double a, double b) { return a < b ? b : a; },
    .derivative = [](Graph& g, const Applied& f) { return g.select(g.binary(Op::less, f.x, f.y), f.dy, f.dx); },
};

}  // namespace kalaba::formula
