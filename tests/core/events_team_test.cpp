// Members shared by several workers have the same events and motion as members of one worker.

#include <gtest/gtest.h>

#include <limits>
#include <memory>

#include "events/models.hpp"
#include "kalaba/core/loop/integrators.hpp"
#include "support/thread_team.hpp"

namespace kalaba {
namespace {

using adaptive::Bead;

struct Rows {
  double* data;
  bool keeps() const { return true; }
  double get(int row) const { return data[row]; }
  void put(int row, double value) const { data[row] = value; }
};

/// y falls through zero at pi, x at pi/2.
Watch bead_watch() {
  Watch watch;
  watch.count = 2;
  watch.events[0] = {Crossing::falling, EventAction::stop, {1, {{Operation::coordinate, 1}}}};
  watch.events[1] = {Crossing::any, EventAction::record, {1, {{Operation::coordinate, 0}}}};
  return watch;
}

template <template <class, class, template <class, int, int> class> class LoopTemplate>
struct Moved {
  using Loop = LoopTemplate<Bead, double, JacobiSvd>;
  typename Loop::PersistentState member{};
  double rows[EventRows{2, 2}.rows(2)] = {};
};

template <template <class, class, template <class, int, int> class> class LoopTemplate, class Run>
Moved<LoopTemplate> moved(const Run& run_workers) {
  using Loop = typename Moved<LoopTemplate>::Loop;
  Moved<LoopTemplate> result;
  auto& member = result.member;
  member.p[0] = 1;
  Bead::start(member.p, member.q, member.w);
  member.rank = -1;
  const Watch watch = bead_watch();
  const auto loop = std::make_unique<Loop>();
  typename Loop::Space watched;
  watched.ends = std::numeric_limits<double>::quiet_NaN();
  Method method;
  const TimeGrid time = {.start = 0, .end = 4, .dt = 0.25, .save_every = 1};
  run_workers([&](const auto& team) {
    loop->start(team, member, method, 0.0, true);
    loop->advance_watching(team, member, method, time, 0, time.steps(), watch, watched, Rows{result.rows});
  });
  return result;
}

template <template <class, class, template <class, int, int> class> class LoopTemplate>
void expect_same() {
  const auto alone = moved<LoopTemplate>([](const auto& work) { work(Solo{}); });
  const auto shared = moved<LoopTemplate>([](const auto& work) { test::run_team<3>(work); });
  constexpr EventRows at{2, 2};
  EXPECT_EQ(alone.member.status, static_cast<double>(Status::stopped));
  EXPECT_EQ(alone.rows[at.count(0)], 1);
  EXPECT_EQ(alone.rows[at.count(1)], 1);
  EXPECT_NEAR(alone.rows[at.q(1) + 1], 1, 1e-9);
  for (int row = 1; row < at.rows(2); ++row) EXPECT_EQ(alone.rows[row], shared.rows[row]) << row;
  EXPECT_EQ(alone.member.status, shared.member.status);
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(alone.member.q[i], shared.member.q[i]);
    EXPECT_EQ(alone.member.w[i], shared.member.w[i]);
  }
}

TEST(TeamEvents, OfEqualSteps) { expect_same<MemberLoop>(); }
TEST(TeamEvents, OfAdaptiveSteps) { expect_same<LoopOf<Integrator::dopri5>::Loop>(); }
TEST(TeamEvents, OfAdaptiveStepsOfOrderEight) { expect_same<LoopOf<Integrator::dop853>::Loop>(); }

}  // namespace
}  // namespace kalaba
