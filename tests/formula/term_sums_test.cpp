// Sums of the magnitudes of the terms of expressions.

#include "formula/graph/term_sums.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "formula/graph/program.hpp"
#include "models.hpp"
#include "random_expressions.hpp"

namespace kalaba::formula {
namespace {

double value_of(const Graph& graph, Id id, const std::vector<double>& p, const std::vector<double>& q,
                const std::vector<double>& w, double t) {
  const Id roots[] = {id};
  return Program(graph, roots)({p.data(), q.data(), w.data(), nullptr, &t})[0];
}

TEST(TermSums, AreThoseOfTheTermsInAnyUnits) {
  Graph graph;
  const auto symbol = [&](Op op, int index) { return Word{&graph, graph.symbol(op, index)}; };
  const Word A = symbol(Op::parameter, 0);
  const Word k = symbol(Op::parameter, 1);
  const Word L = symbol(Op::parameter, 2);
  const Word m = symbol(Op::parameter, 3);
  const Word x = symbol(Op::coordinate, 0);
  const Word y = symbol(Op::coordinate, 1);
  for (const double unit : {1.0, 1e6, 1e-6}) {  // of lengths
    const auto size = [&](const Word& word) {
      const Id roots[] = {word.id};
      return value_of(graph, term_sums(graph, roots)[0], {0.5 * unit, 7 / unit, 2 * unit, 3}, {1.3 * unit, 2 * unit},
                      {}, 0) /
             unit;
    };
    EXPECT_NEAR(size(y - A * sin(k * x)), 2 + 0.5 * std::abs(std::sin(9.1)), 1e-12);
    EXPECT_NEAR(size(m * (y - L)), 3 * 4, 1e-12);
    EXPECT_NEAR(size((y - L) * (x - L) / L), (0 * 3.3 + 4 * 0.7) / 2, 1e-12);
    EXPECT_NEAR(size(sqrt(square(x) + square(y)) - L), std::hypot(1.3, 2) + 2, 1e-12);
    EXPECT_NEAR(size(x * y / L), 1.3, 1e-12);
    EXPECT_NEAR(size(square(x - y) / L), (0.49 + 2 * 0.7 * 2.6) / 2, 1e-12);
    EXPECT_NEAR(size(max(x, y - L)), 4, 1e-12);
  }
}

/// They are at least the absolute values, and finite.
TEST(TermSums, BoundRandomExpressions) {
  for (unsigned seed = 0; seed < 600; ++seed) {
    Graph graph;
    RandomExpressions random(graph, seed);
    const Id id = random.number(static_cast<int>(seed % 5));
    const Id roots[] = {id};
    const Id size = term_sums(graph, roots)[0];
    for (int i = 0; i < 3; ++i) {
      const std::vector<double> p = random.point(2);
      const std::vector<double> q = random.point(3);
      const std::vector<double> w = random.point(2);
      const double t = random.point(1)[0];
      const double value = std::abs(value_of(graph, id, p, q, w, t));
      const double found = value_of(graph, size, p, q, w, t);
      EXPECT_GE(found, value * (1 - 1e-12)) << seed;
      EXPECT_TRUE(std::isfinite(found) || !std::isfinite(value)) << seed;
    }
  }
}

}  // namespace
}  // namespace kalaba::formula
