#pragma once

#include <limits>

namespace kalaba {

/// A missing number.
inline constexpr double nan = std::numeric_limits<double>::quiet_NaN();

}  // namespace kalaba
