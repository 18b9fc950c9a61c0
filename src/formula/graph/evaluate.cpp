#include "formula/graph/evaluate.hpp"

#include <cmath>

#include "formula/graph/functions.hpp"

namespace kalaba::formula {

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
      break;
  }
  const Function* const function = function_of(op);
  return function != nullptr ? function->value(a, b) : std::nan("");  // leaves have no arguments
}

}  // namespace kalaba::formula
