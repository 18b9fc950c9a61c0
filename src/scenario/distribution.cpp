#include "scenario/distribution.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "scenario/limits.hpp"
#include "scenario/toml_text.hpp"

namespace kalaba {
namespace {

/// a + u (b - a), without overflow, within [a, b], and the same with and without contraction by the compiler.
double between(double a, double b, double u) {
  return std::clamp(std::fma(u, b, std::fma(-u, a, a)), std::min(a, b), std::max(a, b));
}

std::string pair_of(const char* name, double first, double second) {
  return fmt::format("{{ {} = [{}, {}] }}", name, toml_number(first), toml_number(second));
}

}  // namespace

long Distribution::points() const {
  if (kind == Kind::values) return static_cast<long>(values.size());
  return kind == Kind::linspace ? count : 1;
}

double Distribution::at_point(long point) const {
  if (kind == Kind::values) return values[static_cast<std::size_t>(point)];
  return count == 1 ? first : between(first, second, static_cast<double>(point) / static_cast<double>(count - 1));
}

double Distribution::draw(double u1, double u2) const {
  switch (kind) {
    case Kind::uniform:
      return between(first, second, u1);
    case Kind::normal:
      return std::fma(second, std::sqrt(-2 * std::log(u1)) * std::cos(2 * std::numbers::pi * u2), first);
    case Kind::log_uniform:
      return std::clamp(std::exp(between(std::log(first), std::log(second), u1)), first, second);
    default:
      return first;
  }
}

std::string Distribution::to_toml() const {
  switch (kind) {
    case Kind::constant:
      return toml_number(first);
    case Kind::uniform:
      return pair_of("uniform", first, second);
    case Kind::normal:
      return pair_of("normal", first, second);
    case Kind::log_uniform:
      return pair_of("log_uniform", first, second);
    case Kind::linspace:
      return fmt::format("{{ linspace = [{}, {}, {}] }}", toml_number(first), toml_number(second), count);
    case Kind::values: {
      std::vector<std::string> numbers(values.size());
      std::transform(values.begin(), values.end(), numbers.begin(), toml_number);
      return fmt::format("{{ values = [{}] }}", fmt::join(numbers, ", "));
    }
    case Kind::file:
      return fmt::format("{{ file = {}, column = {} }}", toml_string(path), toml_string(column));
  }
  return "";
}

}  // namespace kalaba
