// Properties of every Team (core/base/team.hpp), checked for one worker and for teams of threads.

#include "kalaba/core/base/team.hpp"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <thread>

#include "support/thread_team.hpp"

namespace kalaba {
namespace {

constexpr int most = 37;  // more than any team here has workers

/// Runs work(team, worker index) on all workers of a team.
template <int L>
struct Threads {
  static constexpr int size = L;
  template <class Work>
  static void run(const Work& work) {
    std::atomic<int> next{0};
    test::run_team<L>([&](const test::ThreadTeam<L>& team) { work(team, next++); });
  }
};
struct Alone {
  static constexpr int size = 1;
  template <class Work>
  static void run(const Work& work) {
    work(Solo{}, 0);
  }
};

template <class Place>
class TeamLaws : public testing::Test {};
using Places = testing::Types<Alone, Threads<2>, Threads<5>, Threads<16>>;
TYPED_TEST_SUITE(TeamLaws, Places);

template <class Place, int N>
void expect_every_index_once() {
  std::array<std::atomic<int>, N + 1> times{};
  Place::run([&](const auto& team, int) { team.template for_each<N>([&](int i) { ++times[i]; }); });
  for (int i = 0; i < N; ++i) EXPECT_EQ(times[i], 1) << i << " of " << N;
  EXPECT_EQ(times[N], 0);
}

TYPED_TEST(TeamLaws, ForEachHandsEveryIndexToOneWorker) {
  expect_every_index_once<TypeParam, 0>();
  expect_every_index_once<TypeParam, 1>();
  expect_every_index_once<TypeParam, 5>();
  expect_every_index_once<TypeParam, most>();
}

TYPED_TEST(TeamLaws, SingleRunsOnOneWorker) {
  std::atomic<int> times{0};
  TypeParam::run([&](const auto& team, int) { team.single([&] { ++times; }); });
  EXPECT_EQ(times, 1);
}

TYPED_TEST(TeamLaws, WorkStartsWhenAllHaveArrivedAndReturnsWhenAllIsDone) {
  for (int repeat = 0; repeat < 20; ++repeat) {
    std::array<int, most> shared{};  // written inside for_each alone, read by everyone behind it
    std::array<int, TypeParam::size> sums{};
    std::atomic<int> arrived{0};
    bool all_were_there = false;
    TypeParam::run([&](const auto& team, int worker) {
      if (worker == 0) std::this_thread::yield();
      ++arrived;
      team.single([&] { all_were_there = arrived == TypeParam::size; });
      team.template for_each<most>([&](int i) { shared[static_cast<std::size_t>(i)] = i + 1; });
      for (const int x : shared) sums[static_cast<std::size_t>(worker)] += x;
    });
    EXPECT_TRUE(all_were_there);
    for (const int sum : sums) EXPECT_EQ(sum, most * (most + 1) / 2);
  }
}

TYPED_TEST(TeamLaws, AnyIsTrueForAllIfItIsForOne) {
  for (int odd = -1; odd < TypeParam::size; ++odd) {
    std::atomic<int> yes{0};
    TypeParam::run([&](const auto& team, int worker) { yes += team.any(worker == odd) ? 1 : 0; });
    EXPECT_EQ(yes, odd < 0 ? 0 : TypeParam::size) << odd;
  }
}

}  // namespace
}  // namespace kalaba
