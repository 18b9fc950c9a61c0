#include "formula/graph/gather_factors.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "formula/graph/program.hpp"
#include "random_expressions.hpp"
#include "words.hpp"

namespace kalaba::formula {
namespace {

class Gathering : public testing::Test {
 protected:
  Graph graph_;
  FactorGatherer factors_{graph_};
  Word m_{&graph_, graph_.symbol(Op::parameter, 0)};
  Word g_{&graph_, graph_.symbol(Op::parameter, 1)};
  Word x_{&graph_, graph_.symbol(Op::coordinate, 0)};
  Word y_{&graph_, graph_.symbol(Op::coordinate, 1)};
};

TEST_F(Gathering, CancelsParametersOverAProduct) {
  EXPECT_EQ(factors_.gathered(x_ * (1 / m_) * m_), x_.id);
  EXPECT_EQ(factors_.gathered(m_ * square(x_ / m_)), graph_.multiply(1 / m_, square(x_)));
  EXPECT_EQ(factors_.gathered(-(x_ * m_) / (y_ * m_)), graph_.negate(x_ / y_));
}

TEST_F(Gathering, TakesACommonFactorBeforeASum) {
  EXPECT_EQ(factors_.gathered(m_ * x_ + y_ * m_), graph_.multiply(m_, x_ + y_));
  EXPECT_EQ(factors_.gathered(m_ * x_ - y_ * m_), graph_.multiply(m_, x_ - y_));
  EXPECT_EQ(factors_.gathered(3 * (m_ * x_) + -3 * (m_ * y_)), graph_.multiply(3 * m_, x_ - y_));
  EXPECT_EQ(factors_.gathered(m_ * x_ + g_ * y_), (m_ * x_ + g_ * y_).id) << "none is common";
}

TEST_F(Gathering, KeepsTheValueOfEveryExpression) {
  for (unsigned seed = 0; seed < 40; ++seed) {
    Graph graph;
    RandomExpressions random(graph, seed);
    const Id before = random.number(4);
    const Id after = FactorGatherer(graph).gathered(before);
    const auto p = random.point(2), q = random.point(3), w = random.point(2), t = random.point(1);
    const Inputs at{p.data(), q.data(), w.data(), nullptr, t.data()};
    const double expected = Program(graph, std::span(&before, 1))(at)[0];
    const double found = Program(graph, std::span(&after, 1))(at)[0];
    if (!std::isfinite(expected)) continue;
    EXPECT_NEAR(found, expected, 1e-11 * std::max(1.0, std::abs(expected))) << "seed " << seed;
  }
}

}  // namespace
}  // namespace kalaba::formula
