// Linkages through singular positions, and redundant loops, checked by their energy.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <vector>

#include "kalaba/backend/pack.hpp"
#include "kalaba/core/loop/integrators.hpp"
#include "kalaba/core/loop/member.hpp"
#include "kalaba/systems/bricard_loop.hpp"
#include "kalaba/systems/four_bar_windows.hpp"

namespace kalaba {
namespace {

using X = Pack<double>;

struct Outcome {
  double drift = 0;  ///< the worst of the members, J
  int failed = 0;
  double least_passages = 1e9;
  double svd_stages = 0;      ///< of all
  double steps = 0;           ///< of dopri5, the most of a member
  std::vector<double> first;  ///< q[0] of every member
};

double lane(const X& x, int i) {
  double lanes[X::lanes];
  x.store(lanes);
  return lanes[i];
}

template <class M>
double energy_of(const Member<M, X>& member, int i) {
  Vec<double, Dim<M>::parameters> p;
  Vec<double, Dim<M>::q> q;
  Vec<double, Dim<M>::w> w;
  for (int k = 0; k < Dim<M>::parameters; ++k) p[k] = lane(member.p[k], i);
  for (int k = 0; k < Dim<M>::q; ++k) q[k] = lane(member.q[k], i);
  for (int k = 0; k < Dim<M>::w; ++k) w[k] = lane(member.w[k], i);
  return M::energy(p, 0.0, q, w);
}

/// One pack of members from their default start, with a parameter that varies over the lanes.
template <class Loop, class M>
Outcome run(const Method& method, double dt, double end, int parameter, double from, double by) {
  const auto loop = std::make_unique<Loop>();
  const auto member = std::make_unique<typename Loop::PersistentState>();
  *member = {};
  double p[Dim<M>::parameters][X::lanes];
  double q[Dim<M>::q][X::lanes];
  double w[Dim<M>::w][X::lanes];
  for (int i = 0; i < X::lanes; ++i) {
    Vec<double, Dim<M>::parameters> own_p;
    Vec<double, Dim<M>::q> own_q;
    Vec<double, Dim<M>::w> own_w;
    for (int k = 0; k < Dim<M>::parameters; ++k) own_p[k] = M::parameters[k].value;
    own_p[parameter] = from + by * i;
    M::start(own_p, own_q, own_w);
    for (int k = 0; k < Dim<M>::parameters; ++k) p[k][i] = own_p[k];
    for (int k = 0; k < Dim<M>::q; ++k) q[k][i] = own_q[k];
    for (int k = 0; k < Dim<M>::w; ++k) w[k][i] = own_w[k];
  }
  member->for_each_persistent([](X* numbers, int count) { std::fill_n(numbers, count, X(0)); });
  for (int k = 0; k < Dim<M>::parameters; ++k) member->p[k] = X::load(p[k]);
  for (int k = 0; k < Dim<M>::q; ++k) member->q[k] = X::load(q[k]);
  for (int k = 0; k < Dim<M>::w; ++k) member->w[k] = X::load(w[k]);
  member->status = member->rank_changes = member->approach = member->singular_passages = member->svd_stages = X(0);
  member->rank = X(-1);
  for (auto& each : member->rotation.data) each = X(0);
  const TimeGrid time = {.start = 0, .end = end, .dt = dt, .save_every = 0};
  loop->start(Solo{}, *member, method, X(0), true);
  Outcome outcome;
  std::vector<double> start;
  for (int i = 0; i < X::lanes; ++i) start.push_back(energy_of<M>(*member, i));
  const long steps = time.steps();
  for (long step = 0; step < steps; step += 50) {
    loop->advance(Solo{}, *member, method, time, step, std::min(50L, steps - step));
    for (int i = 0; i < X::lanes; ++i) {
      outcome.drift = std::fmax(outcome.drift, std::abs(energy_of<M>(*member, i) - start[static_cast<std::size_t>(i)]));
    }
  }
  for (int i = 0; i < X::lanes; ++i) {
    outcome.failed += lane(member->status, i) == 0 ? 0 : 1;
    outcome.least_passages = std::min(outcome.least_passages, lane(member->singular_passages, i));
    outcome.svd_stages += lane(member->svd_stages, i);
    outcome.first.push_back(lane(member->q[0], i));
    if constexpr (requires { member->accepted; }) {
      outcome.steps = std::max(outcome.steps, lane(member->accepted, i) + lane(member->rejected, i));
    }
  }
  return outcome;
}

using Windows = FourBarWindows<2>;

template <template <class, int, int> class Inverse>
void expect_equal_steps_pass() {
  Outcome before;
  for (const double dt : {4e-3, 2e-3}) {
    const Outcome found = run<MemberLoop<Windows, X, Inverse>, Windows>({}, dt, 3, 2, 9.81, 0.1);
    EXPECT_EQ(found.failed, 0);
    EXPECT_GE(found.least_passages, 3);
    EXPECT_LE(found.drift, dt > 3e-3 ? 1e-6 : 1e-7) << dt;
    if (dt < 3e-3) {
      EXPECT_LE(found.drift, before.drift / 8);
    }
    before = found;
  }
}

TEST(Passages, EqualStepsByTheSvd) { expect_equal_steps_pass<JacobiSvd>(); }
TEST(Passages, EqualStepsByTheQr) { expect_equal_steps_pass<PivotedQr>(); }
TEST(Passages, EqualStepsByTheLdlt) { expect_equal_steps_pass<SparseLdlt>(); }

/// Many rows, a few of which are nearly dependent at a time: no stage uses an SVD of all rows.
TEST(Passages, ManyWindowsWithoutTheSvd) {
  constexpr int windows = 10;
  double before = 0;
  for (const double dt : {4e-3, 2e-3}) {
    using Loop = MemberLoop<FourBarWindows<windows>, X, SparseLdlt>;
    const Outcome found = run<Loop, FourBarWindows<windows>>({}, dt, 0.8, 2, 9.81, 0.1);
    EXPECT_EQ(found.failed, 0);
    EXPECT_GE(found.least_passages, 1);
    EXPECT_EQ(found.svd_stages, 0);
    EXPECT_LE(found.drift, dt > 3e-3 ? 1e-5 : 1e-6) << dt;
    if (before > 0) {
      EXPECT_LE(found.drift, before / 8);
    }
    before = found.drift;
  }
}

template <Integrator By, template <class, int, int> class Inverse>
void expect_adaptive_steps_pass() {
  Method method;
  method.integrator = By;
  double before = 0;
  for (const double tolerance : {1e-7, 1e-9}) {
    method.relative_tolerance = tolerance;
    method.absolute_tolerance = tolerance;
    const Outcome found =
        run<typename LoopOf<By>::template Loop<Windows, X, Inverse>, Windows>(method, 1e-3, 3, 2, 9.81, 0.1);
    EXPECT_EQ(found.failed, 0);
    EXPECT_GE(found.least_passages, 3);
    EXPECT_LE(found.steps, 500);
    EXPECT_LE(found.drift, 1e4 * tolerance);
    if (before > 0) {
      EXPECT_LE(found.drift, before / 8);
    }
    before = found.drift;
  }
}

TEST(Passages, AdaptiveStepsByTheSvd) { expect_adaptive_steps_pass<Integrator::dopri5, JacobiSvd>(); }
TEST(Passages, AdaptiveStepsByTheLdlt) { expect_adaptive_steps_pass<Integrator::dopri5, SparseLdlt>(); }
TEST(Passages, StepsOfOrderEightByTheQr) { expect_adaptive_steps_pass<Integrator::dop853, PivotedQr>(); }

/// The passage of a member does not depend on its neighbours.
template <class Loop>
void expect_neighbours_do_not_matter() {
  const Outcome together = run<Loop, Windows>({}, 4e-3, 2, 2, 9.81, 0.1);
  const Outcome alone = run<Loop, Windows>({}, 4e-3, 2, 2, 9.81, 0);
  EXPECT_EQ(together.first[0], alone.first[0]);
}

TEST(Passages, NeighboursDoNotMatterToTheSvd) { expect_neighbours_do_not_matter<MemberLoop<Windows, X, JacobiSvd>>(); }
TEST(Passages, NeighboursDoNotMatterToTheQr) { expect_neighbours_do_not_matter<MemberLoop<Windows, X, PivotedQr>>(); }
TEST(Passages, NeighboursDoNotMatterToTheLdlt) {
  expect_neighbours_do_not_matter<MemberLoop<Windows, X, SparseLdlt>>();
}
TEST(Passages, NeighboursDoNotMatterToAdaptiveSteps) {
  expect_neighbours_do_not_matter<LoopOf<Integrator::dopri5>::Loop<Windows, X, JacobiSvd>>();
  expect_neighbours_do_not_matter<LoopOf<Integrator::dop853>::Loop<Windows, X, PivotedQr>>();
}

/// Rank 29 of 30, with dependent rows that are not copies.
template <template <class, int, int> class Inverse>
void expect_order_four() {
  using Loop = MemberLoop<BricardLoop, X, Inverse>;
  const Outcome coarse = run<Loop, BricardLoop>({}, 2e-3, 1, 3, 9.81, 0.1);
  const Outcome fine = run<Loop, BricardLoop>({}, 1e-3, 1, 3, 9.81, 0.1);
  EXPECT_EQ(coarse.failed + fine.failed, 0);
  EXPECT_LE(fine.drift, 1e-7);
  EXPECT_GE(std::log2(coarse.drift / fine.drift), 3);
}

TEST(NearlyRedundant, OrderFourByTheSvd) { expect_order_four<JacobiSvd>(); }
TEST(NearlyRedundant, OrderFourByTheQr) { expect_order_four<PivotedQr>(); }
TEST(NearlyRedundant, OrderFourByTheLdlt) { expect_order_four<SparseLdlt>(); }

}  // namespace
}  // namespace kalaba
