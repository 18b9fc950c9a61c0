#pragma once

#include <limits>

#include "kalaba/options.hpp"

namespace kalaba {

/// Smallest relative tolerance; below it the estimated error of an adaptive step is rounding error.
constexpr double least_relative_tolerance(Precision precision) {
  return 100 * (precision == Precision::single_precision ? double{std::numeric_limits<float>::epsilon()}
                                                         : std::numeric_limits<double>::epsilon());
}

}  // namespace kalaba
