// Order of the members of adaptive steps in packs.

#include "backend/pack_order.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace kalaba {
namespace {

constexpr int lanes = 4;

/// Block whose member i makes steps[i] steps between `begin` and `end` of an order.
PackOrder after(const std::vector<double>& steps, long grid_steps) {
  const auto members = static_cast<long>(steps.size());
  Block block(1, 1, 1, members);
  block.assign(0, members);
  PackOrder order(lanes);
  std::ranges::fill(block.accepted, 7.0);
  order.begin(block);
  for (std::size_t i = 0; i < steps.size(); ++i) block.accepted[i] += steps[i] - 1;
  for (std::size_t i = 0; i < steps.size(); ++i) block.rejected[i] += 1;
  order.end(block, grid_steps);
  return order;
}

TEST(PackOrder, PutsMembersOfSimilarStepsTogether) {
  PackOrder order = after({10, 90, 11, 91, 12, 92, 13, 93, 50}, 1);
  order.choose(1);
  ASSERT_FALSE(order.is_empty());
  EXPECT_EQ(std::vector<long>(order.members(0), order.members(0) + lanes), (std::vector<long>{7, 5, 3, 1}));
  EXPECT_EQ(std::vector<long>(order.members(1), order.members(1) + lanes), (std::vector<long>{8, 6, 4, 2}));
  EXPECT_EQ(std::vector<long>(order.members(2), order.members(2) + lanes), (std::vector<long>{0, 0, 0, 0}));
  order.reset();
  order.choose(1);
  EXPECT_TRUE(order.is_empty());
}

TEST(PackOrder, StaysWhereItGainsLittle) {
  PackOrder similar = after({50, 51, 52, 53, 50, 51, 52, 53}, 1);
  similar.choose(1);
  EXPECT_TRUE(similar.is_empty());
  PackOrder sorted = after({10, 11, 12, 13, 90, 91, 92, 93}, 1);
  sorted.choose(1);
  EXPECT_TRUE(sorted.is_empty());
  PackOrder idle = after({1, 9, 1, 9, 1, 9, 1, 9}, 16);
  idle.choose(8);  // 2.5 steps of a member are not worth a copy
  EXPECT_TRUE(idle.is_empty());
  idle.choose(160);
  EXPECT_FALSE(idle.is_empty());
}

TEST(PackCopy, LoadsAndStoresTheRowsOfItsMembers) {
  const long members = 6;
  Block block(2, 1, 1, members, lanes);
  block.assign(0, members);
  for (std::size_t i = 0; i < block.parameters.size(); ++i) block.parameters[i] = static_cast<double>(i);
  PackCopy::RowCounts counts = {};
  counts[static_cast<std::size_t>(Part::parameters)] = 2;
  MemberRows rows = {{}, block.status.data(), block.failure_time.data(), block.stride};
  rows.parts[static_cast<int>(Part::parameters)] = block.parameters.data();
  PackCopy copy(rows, counts, lanes);
  const long chosen[] = {5, 1, 3, 3};
  copy.load(chosen);
  double* const here = copy.rows().parts[static_cast<int>(Part::parameters)];
  const auto stride = static_cast<double>(block.stride);
  EXPECT_EQ(std::vector<double>(here, here + 2 * lanes),
            (std::vector<double>{5, 1, 3, 3, stride + 5, stride + 1, stride + 3, stride + 3}));
  here[1] = -1;
  copy.rows().status[0] = Status::non_finite;
  copy.rows().failure_time[0] = 0.5;
  copy.store(chosen);
  EXPECT_EQ(block.parameters[1], -1);
  EXPECT_EQ(block.status[5], Status::non_finite);
  EXPECT_EQ(block.failure_time[5], 0.5);
  EXPECT_EQ(block.status[0], Status::ok);
}

}  // namespace
}  // namespace kalaba
