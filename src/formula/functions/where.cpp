#include "formula/graph/functions.hpp"

namespace kalaba::formula {

/// a if the mask holds, else b.
const Function functions::where = {
    .name = "where",
    .meaning = "a where the condition holds, else b",
    .least = 3,
    .most = 3,
    .arguments = "mask, a, b",
    .measure = Measure::same,
    .kinked = true,
    .compose = [](Graph& g, const std::vector<Id>& values) { return g.select(values[0], values[1], values[2]); },
};

}  // namespace kalaba::formula
