#pragma once

#include <fmt/compile.h>
#include <fmt/format.h>

#include <cmath>
#include <iterator>
#include <string>

namespace kalaba {

/// Appends a comma and the number in the format of all tables: 17 significant digits, or NaN, Inf and -Inf, which R,
/// pandas and Kalaba read. (The sign of a NaN is omitted: it has no meaning and differs between machines.)
inline void append_number(std::string& text, double value) {
  if (std::isfinite(value)) {
    fmt::format_to(std::back_inserter(text), FMT_COMPILE(",{}"), value);
  } else {
    text += std::isnan(value) ? ",NaN" : value > 0 ? ",Inf" : ",-Inf";
  }
}

}  // namespace kalaba
