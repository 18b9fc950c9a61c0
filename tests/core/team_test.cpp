// Properties of a Team: the same algorithms, run by several threads with one workspace, give the same member. Under
// ThreadSanitizer the test also shows that workers synchronize only at the barriers.

#include "kalaba/core/base/team.hpp"

#include <gtest/gtest.h>

#include <memory>

#include "core/default_member.hpp"
#include "kalaba/core/loop/integrators.hpp"
#include "kalaba/systems/chaplygin_sleigh.hpp"
#include "kalaba/systems/spherical_pendulum.hpp"
#include "kalaba/systems/swarm_matrix.hpp"
#include "kalaba/systems/two_particles_incline.hpp"
#include "support/thread_team.hpp"

namespace kalaba {
namespace {

/// Start, 40 steps and an observation.
template <class M, class Loop>
struct Journey {
  typename Loop::PersistentState member = default_member<typename Loop::PersistentState, M>();
  Observed<M, double> seen{};
  Loop loop{};

  template <class Team>
  void go(const Team& team) {
    Method method;
    method.stabilization = default_stabilization<M>();
    const bool project = method.stabilization.kind == Stabilization::Kind::projection;
    const TimeGrid time{.start = 0, .end = 1, .dt = 1e-3};
    loop.start(team, member, method, 0.0, project);
    loop.advance(team, member, method, time, 0, 40);
    loop.observe(team, member, method, time.at(40), seen);
  }
};

template <class M, class Loop, int L>
void expect_same_member() {
  const auto alone = std::make_unique<Journey<M, Loop>>();
  alone->go(Solo{});
  const auto together = std::make_unique<Journey<M, Loop>>();
  test::run_team<L>([&](const auto& team) { together->go(team); });
  EXPECT_EQ(together->member.status, 0);
  EXPECT_EQ(together->seen.rank, alone->seen.rank);
  for (int i = 0; i < Dim<M>::q; ++i) EXPECT_NEAR(together->member.q[i], alone->member.q[i], 1e-13) << L << ' ' << i;
  for (int i = 0; i < Dim<M>::w; ++i) EXPECT_NEAR(together->member.w[i], alone->member.w[i], 1e-12) << L << ' ' << i;
  for (int i = 0; i < Dim<M>::constraints; ++i) {
    EXPECT_NEAR(together->seen.multipliers[i], alone->seen.multipliers[i], 1e-10) << L << ' ' << i;
  }
}

template <class M>
using BySvd = MemberLoop<M, double, JacobiSvd>;
template <class M>
using ByQr = MemberLoop<M, double, PivotedQr>;
template <class M>
using ByLdlt = MemberLoop<M, double, SparseLdlt>;
template <class M>
using ByDopri5 = LoopOf<Integrator::dopri5>::Loop<M, double, JacobiSvd>;
template <class M>
using ByDop853 = LoopOf<Integrator::dop853>::Loop<M, double, JacobiSvd>;

template <class M, template <class> class Loop, int workers>
void expect_same() {
  expect_same_member<M, Loop<M>, workers>();
}

// One row; rows of deficient rank; quasi-velocities; many rows.
TEST(Team, OfTwoBySvd) { expect_same<SphericalPendulum, BySvd, 2>(); }
TEST(Team, OfThreeBySvd) {
  expect_same<TwoParticlesIncline, BySvd, 3>();
  expect_same<ChaplyginSleigh, BySvd, 3>();
  expect_same<SwarmMatrix<3>, BySvd, 3>();
}
TEST(Team, OfFiveByQr) {
  expect_same<TwoParticlesIncline, ByQr, 5>();
  expect_same<SwarmMatrix<3>, ByQr, 5>();
}
TEST(Team, OfThreeByLdlt) {
  expect_same<TwoParticlesIncline, ByLdlt, 3>();
  expect_same<SwarmMatrix<3>, ByLdlt, 3>();
}
TEST(Team, OfTwoAdaptive) {
  expect_same<TwoParticlesIncline, ByDopri5, 2>();
  expect_same<ChaplyginSleigh, ByDopri5, 2>();
}
TEST(Team, OfThreeOfOrderEight) { expect_same<SphericalPendulum, ByDop853, 3>(); }

TEST(Tournament, EveryPairMeetsOnceInDisjointRounds) {
  for (int m = 1; m <= 33; ++m) {
    const Tournament pairs(m);
    std::vector<int> met(static_cast<std::size_t>(m * m), 0);
    for (int round = 0; round < pairs.rounds(); ++round) {
      std::vector<int> busy(static_cast<std::size_t>(m), 0);
      for (int table = 0; table < pairs.players / 2; ++table) {
        const int i = pairs.at(table, round);
        const int j = pairs.at(pairs.players - 1 - table, round);
        if (i >= m || j >= m) continue;
        ++met[static_cast<std::size_t>(std::min(i, j) * m + std::max(i, j))];
        ++busy[static_cast<std::size_t>(i)];
        ++busy[static_cast<std::size_t>(j)];
      }
      for (const int times : busy) EXPECT_LE(times, 1) << m;
    }
    for (int i = 0; i < m; ++i) {
      for (int j = i + 1; j < m; ++j) EXPECT_EQ(met[static_cast<std::size_t>(i * m + j)], 1) << m;
    }
  }
}

}  // namespace
}  // namespace kalaba
