#pragma once

#include <string>

namespace kalaba {

/// Number with separators: 1234567 as "1,234,567".
std::string grouped(long number);

/// Number with three digits and k, M, G, T if it is large: 1.234e7 as "12.3 M".
std::string scaled(double number);

/// Seconds as "3.2 s", "4:07" or "2:15:30".
std::string duration(double seconds);

}  // namespace kalaba
