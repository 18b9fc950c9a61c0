#pragma once

#include <fmt/compile.h>
#include <fmt/format.h>

#include <cmath>
#include <iterator>
#include <string>

namespace kalaba {

/// Appends a comma and the number as every table has it: with 17 significant digits; NaN, Inf and -Inf, the words that
/// R, pandas and we ourselves read, where it is not finite. (A NaN's sign means nothing and would differ between
/// machines.)
inline void append_number(std::string& text, double value) {
  if (std::isfinite(value)) {
    fmt::format_to(std::back_inserter(text), FMT_COMPILE(",{}"), value);
  } else {
    text += std::isnan(value) ? ",NaN" : value > 0 ? ",Inf" : ",-Inf";
  }
}

}  // namespace kalaba
