#pragma once

#include <cmath>
#include <functional>
#include <optional>

namespace kalaba::conformance {

/// The order at which error(steps) falls, from the finest pair of step counts that still stands above the rounding
/// floor; nothing where already the second coarsest does not (the caller says what the coarsest must then be).
inline std::optional<double> observed_order(const std::function<double(long)>& error, double floor) {
  constexpr long coarsest = 8;
  constexpr long finest = 512;
  std::optional<double> order;
  double coarse = error(coarsest);
  for (long steps = 2 * coarsest; steps <= finest; steps *= 2) {
    const double fine = error(steps);
    if (!(fine > floor)) break;
    order = std::log2(coarse / fine);
    coarse = fine;
  }
  return order;
}

}  // namespace kalaba::conformance
