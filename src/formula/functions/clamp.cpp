#include "formula/graph/functions.hpp"

namespace kalaba::formula {

/// min(max(x, low), high)
const Function functions::clamp = {
    .name = "clamp",
    .meaning = "x limited to the interval from low to high",
    .least = 3,
    .most = 3,
    .arguments = "x, low, high",
    .measure = Measure::same,
    .kinked = true,
    .compose =
        [](Graph& g, const std::vector<Id>& values) {
          return g.binary(Op::min, g.binary(Op::max, values[0], values[1]), values[2]);
        },
};

}  // namespace kalaba::formula
