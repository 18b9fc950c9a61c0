#pragma once

#include <limits>

namespace kalaba {

/// What there is no number for.
inline constexpr double nan = std::numeric_limits<double>::quiet_NaN();

}  // namespace kalaba
