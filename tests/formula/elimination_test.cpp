// Elimination order of rows, and the resulting envelope.

#include "formula/mechanics/elimination.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace kalaba::formula {
namespace {

int widest(const Elimination& plan) {
  int width = 0;
  for (std::size_t i = 0; i < plan.first.size(); ++i) width = std::max(width, static_cast<int>(i) - plan.first[i]);
  return width;
}

TEST(AnElimination, OfAChainIsTridiagonalHoweverItsRowsStand) {
  RowPattern rows;
  for (const int link : {3, 0, 5, 1, 4, 2}) {
    rows.push_back(link == 0 ? std::vector{0, 1} : std::vector{2 * link - 2, 2 * link - 1, 2 * link, 2 * link + 1});
  }
  const Elimination plan = eliminate(rows);
  EXPECT_EQ(widest(plan), 1);
  EXPECT_EQ(plan.cost(), 5 * 4);
}

TEST(AnElimination, OfAStarTakesItsCentreBehindItsRays) {
  RowPattern rows = {{0, 1, 2, 3, 4}};
  for (int ray = 0; ray < 5; ++ray) rows.push_back({ray, 5 + ray});
  const Elimination plan = eliminate(rows);
  EXPECT_EQ(plan.order[4], 0) << "with one of them left it has no more neighbours than that one";
  EXPECT_EQ(plan.first, (std::vector{0, 1, 2, 3, 0, 4}));
}

TEST(AnElimination, OfALoopOfRowsFillsLessThanAsTheyStand) {
  RowPattern rows;
  const std::vector<int> shuffled = {0, 4, 8, 2, 6, 1, 5, 9, 3, 7};
  for (const int link : shuffled) {
    std::vector<int> columns = {link, (link + 1) % 10};
    std::ranges::sort(columns);
    rows.push_back(columns);
  }
  EXPECT_EQ(widest(eliminate(rows)), 2) << "there and back again";
}

TEST(AnElimination, KeepsAnOrderThatIsAsGoodAsAny) {
  const RowPattern dense(4, {0, 1, 2});
  EXPECT_EQ(eliminate(dense).order, (std::vector{0, 1, 2, 3}));
}

TEST(AnElimination, HasTheTablesThatTheCoreAsksFor) {
  const RowPlan plan = row_plan({{0, 1, 2}, {0, 3}, {2, 4}});  // the first row shares columns with both
  EXPECT_EQ(plan.rows, 3);
  EXPECT_EQ(plan.begin, (std::vector{0, 3, 5, 7}));
  EXPECT_EQ(plan.column, (std::vector{0, 1, 2, 0, 3, 2, 4}));
  EXPECT_EQ(plan.start.back(), 2) << "two entries of L";
  for (int i = 0; i < 3; ++i) {
    const auto at = static_cast<std::size_t>(i);
    EXPECT_EQ(plan.start[at + 1] - plan.start[at], i - plan.first[at]);
    EXPECT_GE(plan.last[at], i);
  }
}

TEST(APattern, IsWhatIsNotTheNumberZero) {
  Graph graph;
  const Id zero = graph.number(0);
  const Id x = graph.symbol(Op::coordinate, 0);
  const Matrix matrix = {2, 3, {x, zero, x, zero, graph.subtract(x, x), x}};
  EXPECT_EQ(pattern_of(graph, matrix, 2), (RowPattern{{0, 2}, {2}}));
  EXPECT_EQ(count_of(pattern_of(graph, matrix, 1)), 2);
}

}  // namespace
}  // namespace kalaba::formula
