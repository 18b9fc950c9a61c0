#include "report/text/text.hpp"

#include <fmt/format.h>

#include <cmath>

namespace kalaba {

std::string grouped(long number) {
  std::string digits = std::to_string(number);
  const std::size_t first = number < 0 ? 1 : 0;
  for (std::size_t i = digits.size(); i > first + 3; i -= 3) digits.insert(i - 3, 1, ',');
  return digits;
}

std::string scaled(double number) {
  constexpr const char* suffixes[] = {"", " k", " M", " G", " T"};
  int step = 0;
  // 999.5 would be printed as 1e+03.
  for (; step < 4 && std::abs(number) >= 999.5; ++step) number /= 1000;
  return fmt::format("{:.3g}{}", number, suffixes[step]);
}

std::string duration(double seconds) {
  if (!(seconds < 59.5)) {
    if (!(seconds < 1e9)) return "?";
    const auto whole = static_cast<long>(std::lround(seconds));
    const long hours = whole / 3600;
    if (hours > 0) return fmt::format("{}:{:02}:{:02}", hours, whole / 60 % 60, whole % 60);
    return fmt::format("{}:{:02}", whole / 60, whole % 60);
  }
  return seconds < 10 ? fmt::format("{:.2g} s", seconds) : fmt::format("{:.0f} s", seconds);
}

}  // namespace kalaba
