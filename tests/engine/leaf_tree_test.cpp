// Reduction tree over an ensemble's leaves: its total does not depend on the order in which leaves arrive.

#include "engine/statistics/leaf_tree.hpp"

#include <gtest/gtest.h>

#include <string>

namespace kalaba {
namespace {

/// Records the order in which leaves are combined.
struct Bracket {
  std::string operator()(const std::string& left, const std::string& right, long) const {
    return "(" + left + right + ")";
  }
};
using Tree = LeafTree<std::string, Bracket>;

std::string leaf(long i) { return std::string(1, static_cast<char>('a' + i)); }

std::string total_of(long count) {
  Tree tree;
  for (long i = 0; i < count; ++i) tree.add(0, i, leaf(i));
  return tree.take_total();
}

TEST(LeafTreeTest, PutsNeighboursTogetherLevelByLevel) {
  EXPECT_EQ(total_of(0), "");
  EXPECT_EQ(total_of(1), "a");
  EXPECT_EQ(total_of(2), "(ab)");
  EXPECT_EQ(total_of(3), "((ab)c)");
  EXPECT_EQ(total_of(7), "(((ab)(cd))((ef)g))");
  EXPECT_EQ(total_of(8), "(((ab)(cd))((ef)(gh)))");
}

TEST(LeafTreeTest, AnEmptyLeafIsNobodysSibling) {
  Tree tree;
  for (const long i : {0L, 2L, 3L, 5L}) tree.add(0, i, leaf(i));
  EXPECT_EQ(tree.take_total(), "((a(cd))f)");
}

TEST(LeafTreeTest, HoldsOneNodeALevel) {
  Tree tree;
  for (long i = 0; i < 23; ++i) tree.add(0, i, leaf(i));
  std::string levels;
  tree.for_nodes([&](int level, long, const std::string&) { levels += std::to_string(level); });
  EXPECT_EQ(levels, "4210");  // 23 = 16 + 4 + 2 + 1
}

TEST(LeafTreeTest, NodesMadeElsewhereGiveTheSameTotal) {
  Tree tree;
  tree.add(2, 0, "((ab)(cd))");
  tree.add(1, 2, "(ef)");
  tree.add(0, 6, "g");
  EXPECT_EQ(tree.take_total(), total_of(7));
}

/// Parts of an ensemble with arbitrary boundaries, joined by their open nodes.
TEST(LeafTreeTest, PartsJoinToTheWhole) {
  constexpr long count = 13;
  for (long cut = 0; cut <= count; ++cut) {
    for (long second = cut; second <= count; ++second) {
      Tree joined;
      for (const auto& [from, to] : {std::pair{0L, cut}, std::pair{cut, second}, std::pair{second, count}}) {
        Tree part({}, from);
        for (long i = from; i < to; ++i) part.add(0, i, leaf(i));
        part.for_nodes([&](int level, long index, const std::string& node) { joined.add(level, index, node); });
      }
      EXPECT_EQ(joined.take_total(), total_of(count)) << cut << " " << second;
    }
  }
}

}  // namespace
}  // namespace kalaba
