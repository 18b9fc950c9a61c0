// Workers that share a member pass a singular position with the same result as one worker.

#include <gtest/gtest.h>

#include <memory>

#include "core/default_member.hpp"
#include "kalaba/core/loop/integrators.hpp"
#include "kalaba/systems/four_bar_windows.hpp"
#include "support/thread_team.hpp"

namespace kalaba {
namespace {

/// Member before a singular position, with nearly flat cranks: its stages are projected on the constraints, and its
/// steps are divided.
template <class Loop>
void expect_same_passage() {
  using M = FourBarWindows<2>;
  using State = typename Loop::PersistentState;
  constexpr int crank = 2;  // its angle
  const Method method{.stabilization = default_stabilization<M>()};
  const TimeGrid time{.start = 0, .end = 10, .dt = 1e-3};
  const auto loop = std::make_unique<Loop>();
  auto near = default_member<State, M>();
  loop->start(Solo{}, near, method, 0.0, true);
  long step = 0;
  while (near.q[crank] > 0.006 && step < time.steps()) loop->advance(Solo{}, near, method, time, step++, 1);
  ASSERT_GT(near.approach, 0.0);

  constexpr long steps = 4;
  auto alone = near;
  loop->advance(Solo{}, alone, method, time, step, steps);
  ASSERT_LT(alone.q[crank], 0.0);
  auto together = near;
  const auto shared = std::make_unique<Loop>();
  test::run_team<3>([&](const auto& team) { shared->advance(team, together, method, time, step, steps); });
  EXPECT_EQ(together.status, 0);
  for (int i = 0; i < M::extent; ++i) EXPECT_NEAR(together.q[i], alone.q[i], 1e-8) << i;
  for (int i = 0; i < M::extent; ++i) EXPECT_NEAR(together.w[i], alone.w[i], 1e-7) << i;
}

TEST(Team, PassesASingularPosition) { expect_same_passage<MemberLoop<FourBarWindows<2>, double, JacobiSvd>>(); }
TEST(Team, PassesASingularPositionAdaptively) {
  expect_same_passage<LoopOf<Integrator::dopri5>::Loop<FourBarWindows<2>, double, JacobiSvd>>();
}

}  // namespace
}  // namespace kalaba
