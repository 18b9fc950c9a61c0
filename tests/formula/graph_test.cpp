#include <gtest/gtest.h>

#include <cmath>
#include <ctime>
#include <limits>
#include <vector>

#include "formula/graph/program.hpp"
#include "formula/graph/traverse.hpp"
#include "kalaba/error.hpp"
#include "words.hpp"

namespace kalaba::formula {
namespace {

class TheGraph : public ::testing::Test {
 protected:
  Draft draft;
  Word p = draft.parameter("p", 1);
  Word x = draft.coordinate("x");
  Word y = draft.coordinate("y");
  Word v = draft.rate("v");
  Word zero = draft.number(0);
  Word one = draft.number(1);
};

TEST_F(TheGraph, FindsWhatFewNodesReachInATimeThatTheOthersHardlyAddTo) {
  const Word first = sin(x);
  Word other = y;
  for (int i = 0; i < 400'000; ++i) other = i % 2 == 0 ? cos(other) : other * 1.5;
  const Word last = first + cos(v);
  const auto begin = std::clock();
  for (int i = 0; i < 10'000; ++i) ASSERT_FALSE(depends_on(draft.graph, last.id, Op::parameter));
  EXPECT_LT(static_cast<double>(std::clock() - begin), 2.0 * CLOCKS_PER_SEC);
  const std::vector<Id> all = reachable(draft.graph, std::vector<Id>{last.id, first.id});
  EXPECT_EQ(all, (std::vector<Id>{x.id, v.id, first.id, last.id - 1, last.id}));
  EXPECT_EQ(reachable(draft.graph, std::vector<Id>{other.id}).size(), 400'002U);
}

TEST_F(TheGraph, MakesEqualExpressionsOneNode) {
  EXPECT_EQ(x * y, y * x);
  EXPECT_EQ(x + y, y + x);
  EXPECT_NE(x - y, y - x);
  EXPECT_NE(x / y, y / x);
  const std::size_t before = draft.graph.size();
  const Word again = (x + y) * sin(x);
  const std::size_t first = draft.graph.size();
  EXPECT_GT(first, before);
  EXPECT_EQ((y + x) * sin(x), again);
  EXPECT_EQ(draft.graph.size(), first);
}

TEST_F(TheGraph, DropsNeutralElements) {
  EXPECT_EQ(x + 0, x);
  EXPECT_EQ(0 + x, x);
  EXPECT_EQ(x - 0, x);
  EXPECT_EQ(0 - x, -x);
  EXPECT_EQ(x * 1, x);
  EXPECT_EQ(x * 0, zero);
  EXPECT_EQ(0 / x, zero);
  EXPECT_EQ(x / 1, x);
  EXPECT_EQ(x - x, zero);
  EXPECT_EQ(pow(x, 0), one);
  EXPECT_EQ(pow(x, 1), x);
  EXPECT_EQ(-(-x), x);
  EXPECT_EQ(-(x - y), y - x);
  EXPECT_EQ(x + -y, x - y);
  EXPECT_EQ((-x) * (-y), x * y);
}

TEST_F(TheGraph, FoldsConstantsWhereTheyAreFinite) {
  EXPECT_EQ(sin(draft.number(0.3)), draft.number(std::sin(0.3)));
  EXPECT_EQ(draft.number(2) * 3, draft.number(6));
  EXPECT_EQ(draft.number(-0.0), zero);
  const Word infinite = one / zero;
  EXPECT_EQ(draft.graph[infinite].op, Op::divide);
  EXPECT_TRUE(std::isinf(Program(draft.graph, std::vector<Id>{infinite})({})[0]));
}

TEST_F(TheGraph, HasNoNumberThatIsNotFinite) {
  const double infinity = std::numeric_limits<double>::infinity();
  for (const double value : {infinity, -infinity, std::nan("")}) {
    const Id id = draft.graph.number(value);
    EXPECT_EQ(draft.graph[id].op, Op::divide);
    const double found = Program(draft.graph, std::vector<Id>{id})({})[0];
    EXPECT_TRUE(std::isnan(value) ? std::isnan(found) : found == value);
  }
  const Word huge = draft.number(1e300);
  EXPECT_NE(draft.graph[huge * huge].op, Op::number);
  EXPECT_EQ(draft.graph[(0x1p400 * x) / (x / draft.number(0x1p400)) * 1e300].op, Op::multiply);
}

TEST_F(TheGraph, LooksIntoLongProductsForABoundedTime) {
  Word product = x;
  Word other = x;
  for (int i = 0; i < 200'000; ++i) {
    product = product * (i % 2 == 0 ? y : v);
    other = other * (i % 2 == 0 ? v : y);
  }
  EXPECT_EQ(draft.graph[product - other].op, Op::subtract);
}

TEST_F(TheGraph, TakesPowersOfTwoOutOfProductsAndSums) {
  EXPECT_EQ(p * (2 * v) / 2, p * v);
  EXPECT_EQ(x + x, 2 * x);
  EXPECT_EQ((2 * x) * (0.5 * y), x * y);
  EXPECT_EQ(2 * x + 2 * y, 2 * (x + y));
  EXPECT_EQ(square(2 * x), 4 * square(x));
  EXPECT_EQ(x / 4, 0.25 * x);
  // Another factor would round.
  EXPECT_NE(3 * x + 3 * y, 3 * (x + y));
  EXPECT_NE((3 * x) / 3, x);
}

TEST_F(TheGraph, KnowsPythagoras) {
  EXPECT_EQ(square(sin(x)) + square(cos(x)), one);
  EXPECT_EQ(p * square(cos(x)) + p * square(sin(x)), p);
  EXPECT_EQ(square(p * sin(x)) + square(p * cos(x)), square(p));
  EXPECT_EQ(cos(x) * (p * cos(x)) + sin(x) * (p * sin(x)), p);
  EXPECT_NE(square(sin(x)) + square(cos(y)), one);
  EXPECT_NE(p * square(cos(x)) + y * square(sin(x)), p);
}

TEST_F(TheGraph, CancelsProductsOfTheSameFactors) {
  EXPECT_EQ(cos(x) * (p * sin(x)) - sin(x) * (p * cos(x)), zero);
  EXPECT_EQ(x * (y * x) - square(x) * y, zero);
  EXPECT_NE(cos(x) * (p * sin(x)) - sin(x) * (v * cos(x)), zero);
}

TEST_F(TheGraph, DoesNotReassociate) {
  EXPECT_NE((x + y) + v, x + (y + v));
  EXPECT_NE((x * y) * v, x * (y * v));
  EXPECT_NE((x + y) - y, x);
  EXPECT_NE(x * y + x * v, x * (y + v));
}

TEST_F(TheGraph, DecidesComparisonsOfConstants) {
  Graph& graph = draft.graph;
  const Word holds = draft.number(1) < draft.number(2);
  EXPECT_EQ(graph.select(holds, x, y), x.id);
  EXPECT_EQ(graph.select(graph.unary(Op::negation, holds), x, y), y.id);
  EXPECT_EQ(graph.select(x < y, v, v), v.id);
  EXPECT_EQ(graph.binary(Op::both, holds, x < y), (x < y).id);
  EXPECT_TRUE(graph.is_mask(x < y));
  EXPECT_FALSE(graph.is_mask(x));
}

TEST_F(TheGraph, KnowsDegrees) {
  EXPECT_EQ(degree(draft.graph, p * v * v / x + v, Op::rate), 2);
  EXPECT_EQ(degree(draft.graph, pow(v, 4) / (2 * p), Op::rate), 4);
  EXPECT_EQ(degree(draft.graph, sin(v), Op::rate), not_polynomial);
  EXPECT_EQ(degree(draft.graph, x / v, Op::rate), not_polynomial);
  EXPECT_EQ(degree(draft.graph, sin(x), Op::rate), 0);
  EXPECT_EQ(degree_in(draft.graph, x * x * y, x), 2);
}

TEST_F(TheGraph, KnowsItsAddends) {
  EXPECT_EQ(addends(draft.graph, x - (y - p * v) / 2), (std::vector<Id>{x, -y / 2, p * v / 2}));
  EXPECT_EQ(addends(draft.graph, x * y), std::vector<Id>{x * y});
}

TEST_F(TheGraph, Substitutes) {
  const Word f = sin(x) * v + square(x);
  EXPECT_EQ(substitute(draft.graph, f, {{x, y}}), (sin(y) * v + square(y)).id);
  EXPECT_EQ(substitute(draft.graph, f, {{x, zero}}), zero.id);
}

TEST_F(TheGraph, SharesRegistersThatAreNoLongerNeeded) {
  Word sum = x;
  for (int i = 0; i < 100; ++i) sum = sin(sum) + y;
  const Program program(draft.graph, std::vector<Id>{sum});
  EXPECT_GT(program.operations(), 200);
  EXPECT_LE(program.registers(), 4);
}

TEST_F(TheGraph, RunsManyMembersAsOne) {
  const Word f = p * sin(x) + v / (square(y) + 1);
  const Program program(draft.graph, std::vector<Id>{f, x});
  constexpr long members = 150;
  std::vector<double> parameters(members), q(2 * members), w(members), t(members), out(2 * members);
  for (long k = 0; k < members; ++k) {
    const auto i = static_cast<std::size_t>(k);
    parameters[i] = 0.1 * static_cast<double>(k);
    q[i] = 0.01 * static_cast<double>(k);
    q[i + members] = 2.0 - 0.03 * static_cast<double>(k);
    w[i] = 1.0 / static_cast<double>(k + 1);
  }
  program.run({parameters.data(), q.data(), w.data(), nullptr, t.data(), members}, members, out.data(), members);
  for (std::size_t i = 0; i < members; ++i) {
    const double own[2] = {q[i], q[i + members]};
    EXPECT_EQ(program({&parameters[i], own, &w[i], nullptr, &t[i]}), (std::vector{out[i], out[i + members]}));
    EXPECT_EQ(out[i], parameters[i] * std::sin(own[0]) + w[i] / (own[1] * own[1] + 1.0));
  }
}

}  // namespace
}  // namespace kalaba::formula
