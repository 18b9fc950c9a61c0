// Number of members held at once, and growth of blocks.

#include "engine/run/block_size.hpp"

#include <gtest/gtest.h>

#include "kalaba/block.hpp"

namespace kalaba {
namespace {

SystemInfo info_of(int parameters, int coordinates, int rates, int constraints) {
  SystemInfo info;
  info.parameters.resize(static_cast<std::size_t>(parameters));
  info.coordinates.resize(static_cast<std::size_t>(coordinates));
  info.rates.resize(static_cast<std::size_t>(rates));
  info.constraints.resize(static_cast<std::size_t>(constraints));
  return info;
}

Options with_budget(double bytes, Backend backend = Backend::cpu) {
  Options options;
  options.memory_budget = bytes;
  options.backend = backend;
  return options;
}

TEST(BlockCapacityTest, IsWhatTheBudgetHoldsInWholePaddings) {
  const SystemInfo info = info_of(3, 3, 3, 2);
  const long capacity = block_capacity(info, with_budget(1e6), 1'000'000);
  EXPECT_EQ(capacity % Block::alignment, 0);
  EXPECT_LT(capacity, 1'000'000);
  // 8 bytes a number: parameters, q, w and what is observed of them.
  EXPECT_LE(static_cast<double>(capacity) * 8 * (3 + 2 * 3 + 3 * 3), 1e6);
  EXPECT_NEAR(static_cast<double>(block_capacity(info, with_budget(4e6), 1'000'000)) / static_cast<double>(capacity), 4,
              0.3);
  EXPECT_EQ(block_capacity(info, with_budget(1), 1'000'000), Block::alignment) << "at least one padding";
  EXPECT_LT(block_capacity(info_of(3, 30, 30, 20), with_budget(1e6), 1'000'000), capacity);
}

TEST(BlockCapacityTest, HoldsFewerMembersOfAnAdaptiveIntegrator) {
  Options adaptive = with_budget(1e6);
  adaptive.method.integrator = Integrator::dopri5;
  const SystemInfo info = info_of(3, 3, 3, 2);
  EXPECT_LT(block_capacity(info, adaptive, 1'000'000), block_capacity(info, with_budget(1e6), 1'000'000));
}

TEST(BlockCapacityTest, IsNoMoreThanThereAreOrAreAskedFor) {
  const SystemInfo info = info_of(1, 1, 1, 0);
  EXPECT_EQ(block_capacity(info, with_budget(1e9), 100), 100);
  Options asked = with_budget(1e9);
  asked.block_members = 17;
  EXPECT_EQ(block_capacity(info, asked, 100), 17);
  EXPECT_EQ(block_capacity(info, asked, 5), 5);
  Options many = with_budget(1e12);
  many.threads = 64;
  EXPECT_EQ(block_capacity(info, many, 1L << 30), 1L << 16);
  EXPECT_EQ(block_capacity(info, with_budget(1e12, Backend::cuda), 1L << 30), 1L << 22);
}

TEST(BlockCapacityTest, IsNoMoreThanTheCachesHold) {
  Options adaptive = with_budget(1e9);
  adaptive.method.integrator = Integrator::taylor;
  adaptive.threads = 1;
  const SystemInfo info = info_of(3, 3, 3, 1);
  const long one = block_capacity(info, adaptive, 1L << 30);
  EXPECT_LE(static_cast<double>(one) * member_bytes(info, adaptive), 1 << 23);
  EXPECT_GT(static_cast<double>(one) * member_bytes(info, adaptive), 0.9 * (1 << 23));
  adaptive.threads = 2;
  EXPECT_NEAR(static_cast<double>(block_capacity(info, adaptive, 1L << 30)), 2.0 * static_cast<double>(one),
              Block::alignment);
  EXPECT_EQ(block_capacity(info_of(300, 300, 300, 200), adaptive, 1L << 30), 2048) << "enough for each thread";
}

TEST(BlockCapacityTest, CountsEveryAgentOfASwarm) {
  SystemInfo info = info_of(5, 2, 2, 0);
  info.agents = 1000;
  const long capacity = block_capacity(info, with_budget(1e6), 1'000'000);
  EXPECT_GE(capacity, 1);
  EXPECT_LE(static_cast<double>(capacity) * 8 * 1000 * (2 * 2 + 3 * 2), 1e6);
  EXPECT_EQ(padding_of(info), 1);
}

TEST(BlockSizesTest, GrowAtMostFourfoldUntilABlockTakesSomeSeconds) {
  Options options = with_budget(1e9);
  options.threads = 1;
  BlockSizes sizes(info_of(1, 1, 1, 0), options, 65536);
  const long first = sizes.next();
  EXPECT_EQ(first, 4 * Block::alignment);
  sizes.took(first, 1e-3);
  EXPECT_EQ(sizes.next(), 4 * first);
  sizes.took(sizes.next(), 5.0);
  EXPECT_EQ(sizes.next(), 4 * first);
  sizes.took(sizes.next(), 500.0);
  EXPECT_EQ(sizes.next(), first) << "no fewer than keep the threads busy";
  sizes.took(1 << 20, 1e-9);
  EXPECT_EQ(sizes.next(), 65536);
}

}  // namespace
}  // namespace kalaba
