#include "formula/graph/functions.hpp"

namespace kalaba::formula {

/// a1 b1 + a2 b2 + ...
const Function functions::dot = {
    .name = "dot",
    .meaning = "The sum of the products a1 b1 + a2 b2 + ...",
    .least = 2,
    .most = most_arguments,
    .arguments = "a1, a2, ..., b1, b2, ...",
    .measure = Measure::square,
    .compose =
        [](Graph& g, const std::vector<Id>& values) {
          const std::size_t half = values.size() / 2;
          Id total = g.multiply(values[0], values[half]);
          for (std::size_t i = 1; i < half; ++i) total = g.add(total, g.multiply(values[i], values[half + i]));
          return total;
        },
};

}  // namespace kalaba::formula
