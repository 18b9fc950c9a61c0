#pragma once

#include <cstdio>
#include <string>

namespace kalaba {

/// Returns the number with at most `digits` digits.
inline std::string short_text(double value, int digits) {
  char text[32];
  std::snprintf(text, sizeof text, "%.*g", digits, value);
  return text;
}

}  // namespace kalaba
