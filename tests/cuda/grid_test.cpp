// Assignment of members to threads, and memory layout of their numbers: host functions, tested without a GPU.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <vector>

#include "kalaba/systems/spherical_pendulum.hpp"
#include "kalaba/systems/two_particles_incline.hpp"
#include "kernels/batch_place.hpp"

namespace kalaba {
namespace {

/// Number of threads per member in a launch over `members`; -1 for indices beyond the last member.
std::vector<int> threads_a_member(const Grid& grid, long members) {
  std::vector<int> threads(static_cast<std::size_t>(members), 0);
  for (long block = 0; block < grid.blocks(members); ++block) {
    for (int thread = 0; thread < grid.block_threads; ++thread) {
      const long member = grid.member(block, thread);
      if (member < members) ++threads[static_cast<std::size_t>(member)];
    }
  }
  return threads;
}

TEST(Grid, GivesEveryMemberItsThreadsOnce) {
  for (const int workers : {1, 4, 8, 16, 32}) {
    for (const int block_threads : {32, 96, 128}) {
      for (const long members : {1L, 7L, 31L, 32L, 33L, 127L, 128L, 129L, 1000L}) {
        const Grid grid{workers, block_threads};
        EXPECT_EQ(threads_a_member(grid, members), std::vector<int>(static_cast<std::size_t>(members), workers))
            << workers << ' ' << block_threads << ' ' << members;
        EXPECT_LT((grid.blocks(members) - 1) * grid.block_members(), members) << "an idle block";
      }
    }
  }
}

TEST(Grid, GivesTheMembersOfABlockTheirOwnPlace) {
  const Grid grid{8, 96};
  std::set<int> places;
  for (int thread = 0; thread < grid.block_threads; ++thread) {
    places.insert(grid.place(thread));
    EXPECT_EQ(grid.member(5, thread), 5 * grid.block_members() + grid.place(thread));
  }
  EXPECT_EQ(static_cast<int>(places.size()), grid.block_members());
  EXPECT_EQ(*places.rbegin(), grid.block_members() - 1);
}

TEST(BatchLayout, GroupsFollowEachOtherWithoutAGap) {
  const BatchLayout layout = layout_of<MemberWork<TwoParticlesIncline, double, JacobiSvd>>;
  EXPECT_EQ(layout.parameter(), 0);
  EXPECT_EQ(layout.q(), 5);
  EXPECT_EQ(layout.w(), 9);
  EXPECT_EQ(layout.status(), 13);
  EXPECT_EQ(layout.failure_time(), 14);
  const int first[part_count] = {0, 5, 9, 15, 16, 17, 18, 19, 20, 29, 29};
  for (int part = 0; part < part_count; ++part) EXPECT_EQ(layout.first(static_cast<Part>(part)), first[part]) << part;
  EXPECT_EQ(layout.rotation(), 20);
  EXPECT_EQ(layout.rows(), 20 + 9);
  EXPECT_EQ((layout_of<MemberWork<TwoParticlesIncline, double, PivotedQr>>.rows()), 20);  // it starts afresh
  const BatchLayout adaptive =
      layout_of<MemberWork<TwoParticlesIncline, double, JacobiSvd, LoopOf<Integrator::dopri5>::Loop>>;
  EXPECT_EQ(adaptive.persistent_number(), 20);
  EXPECT_EQ(adaptive.rows(), 20 + adaptive_scalars + 5 * 8);
  using OfOrder8 = MemberWork<TwoParticlesIncline, double, JacobiSvd, LoopOf<Integrator::dop853>::Loop>;
  EXPECT_EQ(layout_of<OfOrder8>.rows(), 20 + adaptive_scalars + 8 * 8);
  EXPECT_EQ(OfOrder8::persistent, persistent_numbers(Integrator::dop853, 4, 4));
}

/// Members of a batch, each at its default start with a different length.
std::vector<double> pendulums(const BatchLayout& layout, long members, long stride) {
  std::vector<double> data(static_cast<std::size_t>(layout.rows() * stride), 0.0);
  const Batch batch{data.data(), members, stride};
  for (long member = 0; member < members; ++member) {
    Vec<double, 3> p;
    Vec<double, 3> q;
    Vec<double, 3> w;
    for (int i = 0; i < 3; ++i) p[i] = SphericalPendulum::parameters[i].value * (1 + 0.1 * static_cast<double>(member));
    SphericalPendulum::start(p, q, w);
    for (int i = 0; i < 3; ++i) {
      batch.at(layout.parameter() + i, member) = p[i];
      batch.at(layout.q() + i, member) = q[i];
      batch.at(layout.w() + i, member) = w[i];
    }
  }
  return data;
}

TEST(MemberWork, IsTheMembersTimeLoop) {
  using Work = MemberWork<SphericalPendulum, double, JacobiSvd>;
  constexpr long members = 5;
  constexpr long stride = 8;
  std::vector<double> data = pendulums(layout_of<Work>, members, stride);
  const Batch batch{data.data(), members, stride};
  const Method method;
  const TimeGrid time{.start = 0, .end = 1, .dt = 1e-3};
  Work work{};
  for (long member = 0; member < members; ++member) {
    work.start(Solo{}, BatchPlace<Work>{batch, member}, method, 0.0, true);
    work.advance(Solo{}, BatchPlace<Work>{batch, member}, method, Unwatched{}, time, 0, 100);
  }
  for (long member = 0; member < members; ++member) {
    Member<SphericalPendulum, double> alone{};
    MemberLoop<SphericalPendulum, double, JacobiSvd> loop;
    std::vector<double> fresh = pendulums(layout_of<Work>, members, stride);
    const Batch start{fresh.data(), members, stride};
    for (int i = 0; i < 3; ++i) {
      alone.p[i] = start.at(layout_of<Work>.parameter() + i, member);
      alone.q[i] = start.at(layout_of<Work>.q() + i, member);
      alone.w[i] = start.at(layout_of<Work>.w() + i, member);
    }
    alone.rank = -1;
    loop.start(Solo{}, alone, method, 0.0, true);
    loop.advance(Solo{}, alone, method, time, 0, 100);
    EXPECT_EQ(alone.status, 0);
    for (int i = 0; i < 3; ++i) {
      EXPECT_EQ(batch.at(layout_of<Work>.q() + i, member), alone.q[i]);
      EXPECT_EQ(batch.at(layout_of<Work>.w() + i, member), alone.w[i]);
    }
    EXPECT_EQ(batch.at(layout_of<Work>.first(Part::rank), member), 1.0);
  }
}

TEST(MemberWork, KeepsAnAdaptiveMemberBetweenCalls) {
  using Work = MemberWork<SphericalPendulum, double, JacobiSvd, LoopOf<Integrator::dopri5>::Loop>;
  constexpr long members = 3;
  constexpr long stride = 8;
  constexpr BatchLayout layout = layout_of<Work>;
  Method method;
  method.integrator = Integrator::dopri5;
  const TimeGrid time{.start = 0, .end = 1, .dt = 1e-3};
  // In one call, in several, and with observations in between.
  const auto travel = [&](long call, double look_at) {
    std::vector<double> data = pendulums(layout, members, stride);
    const Batch batch{data.data(), members, stride};
    std::fill(data.begin() + layout.persistent_number() * stride, data.end(),
              std::nan(""));  // whatever the memory held
    Work work{};
    std::vector<double> seen(7 * stride);
    for (long member = 0; member < members; ++member) {
      work.start(Solo{}, BatchPlace<Work>{batch, member}, method, 0.0, true);
      for (long step = 0; step < 1000; step += call) {
        work.advance(Solo{}, BatchPlace<Work>{batch, member}, method, Unwatched{}, time, step, call);
        const unsigned q_and_w = 3;
        if (step == 0 && look_at > 0) {
          BatchOut out = {seen.data(), stride, member, q_and_w};
          work.observe_between(Solo{}, BatchPlace<Work>{batch, member}, method, Unwatched{}, time, call, look_at, out);
        }
      }
    }
    data.insert(data.end(), seen.begin(), seen.end());
    return data;
  };
  const std::vector<double> whole = travel(1000, 0);
  const std::vector<double> parts = travel(100, 0);
  const std::vector<double> watched = travel(100, 0.1234);
  const auto row = [&](const std::vector<double>& data, int number) { return data.begin() + number * stride; };
  for (int number = layout.q(); number < layout.status(); ++number) {
    EXPECT_TRUE(std::equal(row(whole, number), row(whole, number) + members, row(parts, number)));
    EXPECT_TRUE(std::equal(row(whole, number), row(whole, number) + members, row(watched, number)));
  }
  EXPECT_EQ(*row(whole, layout.status()), 0);
  EXPECT_GT(*row(whole, layout.persistent_number()), 10);  // steps
  Work alone{};
  std::vector<double> data = pendulums(layout, members, stride);
  const Batch batch{data.data(), members, stride};
  alone.start(Solo{}, BatchPlace<Work>{batch, 0}, method, 0.0, true);
  const TimeGrid shorter{.start = 0, .end = 0.1234, .dt = 1e-4};
  alone.advance(Solo{}, BatchPlace<Work>{batch, 0}, method, Unwatched{}, shorter, 0, 1234);
  EXPECT_NEAR(*row(data, layout.q()), *(row(watched, layout.rows()) + stride), 1e-7);
}

}  // namespace
}  // namespace kalaba
