#include "kalaba/block.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <utility>

#include "kalaba/error.hpp"

namespace kalaba {
namespace {

TEST(BlockTest, RoundsUpAndStartsAfresh) {
  Block block(2, 3, 1, 100);
  block.assign(40, 65);
  EXPECT_EQ(block.stride, 128);
  EXPECT_EQ(block.first, 40);
  EXPECT_EQ(block.coordinate(2).size(), 65U);
  EXPECT_EQ(block.coordinate(2).data() - block.coordinate(0).data(), 2 * block.stride);
  block.status[3] = Status::stopped;
  block.failure_time[3] = 1.0;
  for (const BlockCounter& counter : block_counters) (block.*counter.values)[3] = 2.0;
  block.backend_state.assign(5, 1.0);
  block.assign(105, 3);
  EXPECT_EQ(block.stride, Block::alignment);
  EXPECT_EQ(block.status[3], Status::ok);
  EXPECT_TRUE(std::isnan(block.failure_time[3]));
  for (const BlockCounter& counter : block_counters) EXPECT_EQ((block.*counter.values)[3], 0.0);
  EXPECT_TRUE(block.backend_state.empty());
  EXPECT_THROW(block.assign(0, 129), Error);
  EXPECT_THROW(block.assign(0, -1), Error);
}

/// Rows a multiple of a page apart share the sets of the caches: 100,000 pendulums by taylor took twice the time.
TEST(BlockTest, DoesNotSpaceItsRowsByPages) {
  Block block(2, 3, 1, 65536);
  for (const long members : {500L, 512L, 4096L, 5000L, 65536L}) {
    block.assign(0, members);
    EXPECT_GE(block.stride, members);
    EXPECT_EQ(block.stride % Block::alignment, 0);
    EXPECT_NE(block.stride % 512, 0) << members;
  }
  Block swarm(0, 2, 2, 512, 1);
  swarm.assign(0, 512);
  EXPECT_EQ(swarm.stride, 512);
}

TEST(BlockCounters, HaveListsRowsAndNamesOfTheirOwn) {
  for (const BlockCounter& one : block_counters) {
    EXPECT_EQ(one.name == nullptr, one.meaning == nullptr);
    EXPECT_TRUE(one.is_adaptive() || (one.part >= first_single_part && one.part <= last_single_part));
    for (const BlockCounter& other : block_counters) {
      if (&one == &other) continue;
      EXPECT_NE(one.values, other.values);
      EXPECT_NE(std::pair(one.part, one.row), std::pair(other.part, other.row));
      EXPECT_TRUE(one.name == nullptr || other.name == nullptr || std::string(one.name) != other.name);
    }
  }
}

}  // namespace
}  // namespace kalaba
