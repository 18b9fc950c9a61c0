#include "formula/evaluate.hpp"

#include <cmath>

namespace kalaba::formula {

double whole_power(double x, int exponent) {
  if (exponent < 0) return 1.0 / whole_power(x, -exponent);
  if (exponent == 0) return 1.0;
  const double half = whole_power(x, exponent / 2);
  if (exponent == 1) return x;
  return exponent % 2 == 0 ? half * half : half * half * x;
}

double evaluate(Op op, double a, double b, double c, int index) {
  switch (op) {
    case Op::add:
      return a + b;
    case Op::subtract:
      return a - b;
    case Op::multiply:
      return a * b;
    case Op::divide:
      return a / b;
    case Op::negate:
      return -a;
    case Op::raise:
      return whole_power(a, index);
    case Op::power:
      return std::pow(a, b);
    case Op::sqrt:
      return std::sqrt(a);
    case Op::sin:
      return std::sin(a);
    case Op::cos:
      return std::cos(a);
    case Op::tan:
      return std::tan(a);
    case Op::asin:
      return std::asin(a);
    case Op::acos:
      return std::acos(a);
    case Op::atan:
      return std::atan(a);
    case Op::atan2:
      return std::atan2(a, b);
    case Op::exp:
      return std::exp(a);
    case Op::log:
      return std::log(a);
    case Op::abs:
      return std::abs(a);
    case Op::min:
      return b < a ? b : a;
    case Op::max:
      return a < b ? b : a;
    case Op::sign:
      return 0.0 < a ? 1.0 : (a < 0.0 ? -1.0 : 0.0);
    case Op::less:
      return a < b ? 1.0 : 0.0;
    case Op::less_equal:
      return a <= b ? 1.0 : 0.0;
    case Op::both:
      return a != 0.0 && b != 0.0 ? 1.0 : 0.0;
    case Op::either:
      return a != 0.0 || b != 0.0 ? 1.0 : 0.0;
    case Op::negation:
      return a == 0.0 ? 1.0 : 0.0;
    case Op::select:
      return a != 0.0 ? b : c;
    default:
      return std::nan("");  // leaves have no arguments
  }
}

}  // namespace kalaba::formula
