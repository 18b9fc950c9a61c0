#include <cmath>

#include "formula/graph/functions.hpp"

namespace kalaba::formula {

/// atan2(y, x)' = (x y' - y x') / (x^2 + y^2). The first argument, f.x, is y; the second, f.y, is x.
const Function functions::atan2 = {
    .name = "atan2",
    .meaning = "The angle of the point (x, y), given y and x",
    .least = 2,
    .most = 2,
    .arguments = "y, x",
    .measure = Measure::ratio,
    .is_called = true,
    .numpy = "arctan2",
    .value = [](double y, double x) { return std::atan2(y, x); },
    .derivative =
        [](Graph& g, const Applied& f) {
          return g.divide(g.subtract(g.multiply(f.y, f.dx), g.multiply(f.x, f.dy)),
                          g.add(g.raise(f.x, 2), g.raise(f.y, 2)));
        },
};

}  // namespace kalaba::formula
