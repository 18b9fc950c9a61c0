#pragma once

#include <cmath>
#include <functional>
#include <optional>

namespace kalaba::conformance {

/// Observed order of error(steps), from the finest pair of step counts with errors above the rounding floor; no value
/// if the error of the second coarsest is at the floor (the caller then checks the coarsest).
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
