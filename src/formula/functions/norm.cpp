#include "formula/graph/functions.hpp"

namespace kalaba::formula {

/// sqrt(a^2 + b^2 + ...)
const Function functions::norm = {
    .name = "norm",
    .meaning = "The square root of the sum of the squares",
    .most = most_arguments,
    .arguments = "a, b, ...",
    .measure = Measure::same,
    .numpy = "hypot",
    .compose =
        [](Graph& g, const std::vector<Id>& values) {
          Id total = g.multiply(values[0], values[0]);
          for (std::size_t i = 1; i < values.size(); ++i) total = g.add(total, g.multiply(values[i], values[i]));
          return g.unary(Op::sqrt, total);
        },
};

}  // namespace kalaba::formula
