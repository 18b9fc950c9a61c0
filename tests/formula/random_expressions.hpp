#pragma once

#include <random>
#include <vector>

#include "formula/graph/graph.hpp"

namespace kalaba::formula {

/// Random expressions of 2 parameters, 3 coordinates, 2 rates and the time, with every operation. Arguments are
/// restricted to ranges in which functions are smooth and finite, so that values can be compared.
class RandomExpressions {
 public:
  RandomExpressions(Graph& graph, unsigned seed) : g_(graph), random_(seed) {}

  Id number(int depth) {
    if (depth == 0) return leaf();
    const Id a = number(depth - 1);
    switch (pick(22)) {
      case 0:
        return g_.add(a, number(depth - 1));
      case 1:
        return g_.subtract(a, number(depth - 1));
      case 2:
        return g_.multiply(a, number(depth - 1));
      case 3:
        return g_.divide(a, positive(number(depth - 1)));
      case 4:
        return g_.negate(a);
      case 5:
        return g_.raise(a, pick(7) - 2 == 0 ? 2 : pick(4) + 1);
      case 6:
        return g_.raise(positive(a), -pick(3) - 1);
      case 7:
        return g_.binary(Op::power, positive(a), bounded(number(depth - 1)));
      case 8:
        return g_.binary(Op::power, positive(a), g_.number(1.5));
      case 9:
        return g_.unary(Op::sqrt, positive(a));
      case 10:
        return g_.unary(pick(2) == 0 ? Op::sin : Op::cos, a);
      case 11:
        return g_.unary(Op::tan, bounded(a));
      case 12:
        return g_.unary(pick(2) == 0 ? Op::asin : Op::acos, g_.multiply(g_.number(0.9), bounded(a)));
      case 13:
        return g_.unary(pick(2) == 0 ? Op::atan : Op::tanh, a);
      case 14:
        return g_.binary(Op::atan2, a, positive(number(depth - 1)));
      case 15:
        return g_.unary(Op::exp, bounded(a));
      case 16:
        return g_.unary(Op::log, positive(a));
      case 17:
        return g_.unary(pick(2) == 0 ? Op::abs : Op::sign, a);
      case 18:
        return g_.binary(Op::min, a, number(depth - 1));
      case 19:
        return g_.binary(Op::max, a, number(depth - 1));
      case 20:
        return g_.add(g_.raise(g_.unary(Op::sin, a), 2), g_.raise(g_.unary(Op::cos, leaf()), 2));
      default:
        return g_.select(mask(depth - 1), a, number(depth - 1));
    }
  }

  Id mask(int depth) {
    const Id a = number(depth > 2 ? 2 : depth);
    const Id b = number(depth > 2 ? 2 : depth);
    const Id simple = g_.binary(pick(2) == 0 ? Op::less : Op::less_equal, a, b);
    if (depth == 0) return simple;
    switch (pick(4)) {
      case 0:
        return g_.binary(Op::both, simple, mask(depth - 1));
      case 1:
        return g_.binary(Op::either, simple, mask(depth - 1));
      case 2:
        return g_.unary(Op::negation, simple);
      default:
        return simple;
    }
  }

  std::vector<double> point(int count) {
    std::uniform_real_distribution<double> uniform(-2, 2);
    std::vector<double> result;
    for (int i = 0; i < count; ++i) result.push_back(uniform(random_));
    return result;
  }

  int pick(int count) { return std::uniform_int_distribution<int>(0, count - 1)(random_); }

 private:
  Id leaf() {
    switch (pick(9)) {
      case 0:
        return g_.number(0.25 * (pick(21) - 10));
      case 1:
        return g_.number(0.1 * (pick(21) - 10));
      case 2:
      case 3:
        return g_.symbol(Op::parameter, pick(2));
      case 4:
        return g_.symbol(Op::time, 0);
      case 5:
      case 6:
        return g_.symbol(Op::rate, pick(2));
      default:
        return g_.symbol(Op::coordinate, pick(3));
    }
  }
  /// 0.5 + x^2 / (1 + x^2), in [0.5, 1.5).
  Id positive(Id x) {
    const Id square = g_.raise(x, 2);
    return g_.add(g_.number(0.5), g_.divide(square, g_.add(g_.number(1), square)));
  }
  Id bounded(Id x) { return g_.unary(Op::sin, x); }

  Graph& g_;
  std::mt19937 random_;
};

}  // namespace kalaba::formula
