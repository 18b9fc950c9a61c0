#include "formula/graph/differentiate.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <map>

#include "formula/graph/evaluate.hpp"
#include "formula/graph/program.hpp"
#include "formula/graph/traverse.hpp"
#include "random_expressions.hpp"
#include "words.hpp"

namespace kalaba::formula {
namespace {

using Complex = std::complex<double>;

/// One operation on numbers with an infinitesimal imaginary part: comparisons use the real parts.
Complex evaluate_complex(const Node& node, const Complex& a, const Complex& b, const Complex& c) {
  const double real = evaluate(node.op, a.real(), b.real(), c.real(), node.index);
  switch (node.op) {
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
      return {real, node.index * whole_power(a.real(), node.index - 1) * a.imag()};
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
      return {real, a.imag() / std::sqrt(1 - a.real() * a.real())};
    case Op::acos:
      return {real, -a.imag() / std::sqrt(1 - a.real() * a.real())};
    case Op::atan:
      return {real, a.imag() / (1 + a.real() * a.real())};
    case Op::atan2:
      return {real, (b.real() * a.imag() - a.real() * b.imag()) / std::norm(Complex(a.real(), b.real()))};
    case Op::tanh:
      return std::tanh(a);
    case Op::exp:
      return std::exp(a);
    case Op::log:
      return std::log(a);
    case Op::abs:
      return a.real() < 0 ? -a : a;
    case Op::min:
      return b.real() < a.real() ? b : a;
    case Op::max:
      return a.real() < b.real() ? b : a;
    case Op::select:
      return a.real() != 0 ? b : c;
    default:
      return real;
  }
}

/// df/ds by a complex step, for symbol values that `value` gives.
template <class Value>
double complex_step(const Graph& graph, Id f, Id symbol, const Value& value) {
  constexpr double h = 1e-100;
  std::map<Id, Complex> known;
  for (const Id id : reachable(graph, std::vector<Id>{f})) {
    const Node& node = graph[id];
    if (node.op == Op::number) {
      known[id] = node.value;
    } else if (is_symbol(node.op)) {
      known[id] = {value(node), id == symbol ? h : 0.0};
    } else {
      const auto argument = [&](std::size_t i) {
        return node.arguments[i] < 0 ? Complex() : known.at(node.arguments[i]);
      };
      known[id] = evaluate_complex(node, argument(0), argument(1), argument(2));
    }
  }
  return known.at(f).imag() / h;
}

TEST(Derivatives, AreThoseOfAComplexStep) {
  long compared = 0;
  for (unsigned seed = 0; seed < 600; ++seed) {
    Graph graph;
    RandomExpressions random(graph, seed);
    const Id f = random.number(5);
    const auto p = random.point(2);
    const auto q = random.point(3);
    const auto w = random.point(2);
    const double t = random.point(1)[0];
    const auto value = [&](const Node& node) {
      const auto i = static_cast<std::size_t>(node.index);
      return node.op == Op::parameter ? p[i] : node.op == Op::coordinate ? q[i] : node.op == Op::rate ? w[i] : t;
    };
    for (const Id symbol : {graph.symbol(Op::coordinate, 0), graph.symbol(Op::coordinate, 1), graph.symbol(Op::rate, 0),
                            graph.symbol(Op::time, 0)}) {
      const Id slope = derivative(graph, f, symbol);
      const double found = Program(graph, std::vector<Id>{slope})({p.data(), q.data(), w.data(), nullptr, &t})[0];
      const double expected = complex_step(graph, f, symbol, value);
      if (!std::isfinite(expected) || std::abs(expected) > 1e6) continue;
      EXPECT_NEAR(found, expected, 1e-10 * (1 + std::abs(expected))) << "seed " << seed;
      compared += expected != 0;
      // and the second, of an expression that is itself a derivative
      const double second = Program(
          graph, std::vector<Id>{derivative(graph, slope, symbol)})({p.data(), q.data(), w.data(), nullptr, &t})[0];
      const double step = complex_step(graph, slope, symbol, value);
      if (std::isfinite(step) && std::abs(step) < 1e6) {
        EXPECT_NEAR(second, step, 1e-9 * (1 + std::abs(step))) << "seed " << seed;
      }
    }
  }
  EXPECT_GT(compared, 500);
}

TEST(Derivatives, AreSmall) {
  Draft draft;
  const Word m = draft.parameter("m", 1);
  const Word a = draft.parameter("a", 1);
  const Word x = draft.coordinate("x");
  const Word v = draft.rate("v");
  const auto d = [&](Id f, Id s) { return derivative(draft.graph, f, s); };
  EXPECT_EQ(d(m * square(v) / 2, v), (m * v).id);
  EXPECT_EQ(d(d(m * square(v) / 2, v), v), m.id);
  EXPECT_EQ(d(a * x + v, x), a.id);
  EXPECT_EQ(d(sin(x), x), cos(x).id);
  EXPECT_EQ(d(cos(x), x), (-sin(x)).id);
  EXPECT_EQ(d(sqrt(x), x), (1 / (2 * sqrt(x))).id);
  EXPECT_EQ(d(x / a, x), (1 / a).id);
  EXPECT_EQ(d(exp(m), x), draft.number(0).id);
}

TEST(Derivatives, StayOnTheBranchThatHolds) {
  Draft draft;
  const Word x = draft.coordinate("x");
  const Word y = draft.coordinate("y");
  const auto at = [&](Id f, double value, double other) {
    const double q[] = {value, other};
    return Program(draft.graph, std::vector<Id>{derivative(draft.graph, f, x)})({nullptr, q, nullptr})[0];
  };
  const Id absolute = draft.graph.unary(Op::abs, x);
  EXPECT_EQ(at(absolute, -2, 0), -1);
  EXPECT_EQ(at(absolute, 2, 0), 1);
  EXPECT_EQ(at(max(square(x), y), 3, 4), 6);
  EXPECT_EQ(at(max(square(x), y), 1, 4), 0);
  EXPECT_EQ(at(min(square(x), y), 1, 4), 2);
  EXPECT_EQ(at(draft.graph.unary(Op::sign, x), 1, 0), 0);
  EXPECT_EQ(at(draft.graph.select(x < y, square(x), -x), 3, 4), 6);
  EXPECT_EQ(at(draft.graph.select(x < y, square(x), -x), 5, 4), -1);
}

TEST(Derivatives, OfADeepExpressionNeedNoStack) {
  Draft draft;
  Word f = draft.coordinate("x");
  const Word x = f;
  for (int i = 0; i < 300'000; ++i) f = f * 1.5 + x;
  const Id slope = derivative(draft.graph, f, x);
  EXPECT_GT(slope, 0);
}

}  // namespace
}  // namespace kalaba::formula
