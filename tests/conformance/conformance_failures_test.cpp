#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <tuple>

#include "conformance/reference_simulation.hpp"
#include "conformance/small_models.hpp"
#include "support/affordable_code.hpp"
#include "support/pseudo_inverses.hpp"

// On every backend a member fails with the same status, at the same time, and keeps its last finite state.

namespace kalaba {
namespace {

using namespace conformance;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

class Failures : public testing::TestWithParam<std::tuple<Backend, PseudoInverse>> {
 protected:
  template <Model M>
  Simulation simulation(long members, Stabilization stabilization = Stabilization::none()) const {
    static const System system = make_system<M>();
    Options options = default_options(system);
    std::tie(options.backend, options.method.pseudo_inverse) = GetParam();
    options.method.stabilization = stabilization;
    return simulate(system, test::with_affordable_code(system, options), members);
  }

  /// Runs three default members of M; all must fail with this status.
  template <Model M>
  Simulation failed(Status expected, double at, bool project, Stabilization stabilization = Stabilization::none()) {
    Simulation simulation = this->simulation<M>(3, stabilization);
    simulation.start(project);
    simulation.finish();
    for (long member = 0; member < 3; ++member) {
      EXPECT_EQ(simulation.status(member), expected) << status_name(simulation.status(member));
      EXPECT_EQ(simulation.block.failure_time[static_cast<std::size_t>(member)], at);
      EXPECT_TRUE(simulation.q(member).allFinite() && simulation.w(member).allFinite());
    }
    return simulation;
  }
};

TEST_P(Failures, NanForceStopsOneMemberOnly) {
  Simulation pair = simulation<NanForce>(2);
  pair.block.parameter(1)[0] = 0.5;
  pair.block.parameter(1)[1] = 100.0;
  pair.start(true);
  pair.advance(32);
  const Vector good = pair.q();
  EXPECT_EQ(pair.status(), Status::ok);
  pair.finish();
  EXPECT_EQ(pair.status(), Status::non_finite) << status_name(pair.status());
  EXPECT_EQ(pair.block.failure_time[0], 0.5);
  EXPECT_EQ(pair.q(), good);

  Simulation alone = simulation<NanForce>(1);
  alone.block.parameter(1)[0] = 100.0;
  alone.start(true);
  alone.finish();
  EXPECT_EQ(pair.status(1), Status::ok);
  EXPECT_TRUE(std::isnan(pair.block.failure_time[1]));
  EXPECT_EQ(pair.q(1), alone.q());
}

TEST_P(Failures, MetricNotPositiveDefinite) {
  const Simulation end = failed<VanishingMass>(Status::singular_constraints, 63.0 / 64, false);
  EXPECT_LE((end.q() - Eigen::Vector2d(63.0 / 64, 126.0 / 64)).norm(), 1e-14);
}

TEST_P(Failures, MetricBadAtTheStart) {
  for (const bool project : {false, true}) {
    Simulation bad = simulation<VanishingMass>(1);
    bad.block.parameter(1)[0] = -1.0;
    bad.start(project);
    EXPECT_EQ(bad.status(), Status::singular_constraints) << status_name(bad.status());
    EXPECT_EQ(bad.block.failure_time[0], 0.0);
  }
}

TEST_P(Failures, ContradictoryAccelerations) {
  failed<TwoAccelerations>(Status::inconsistent_constraints, 0.0, false);
  failed<TwoAccelerations>(Status::inconsistent_constraints, 0.0, true);
}

TEST_P(Failures, ContradictoryPlaces) {
  failed<TwoPlaces>(Status::not_assembled, 0.0, true);
  failed<TwoPlaces>(Status::inconsistent_constraints, 0.0, false, Stabilization::baumgarte(1, 1));
}

TEST_P(Failures, ContradictoryPlacesWithinAStep) {
  // The corrections vanish midway between the two positions, where neither constraint holds.
  failed<TwoPlaces>(Status::not_converged, 0.0, false, Stabilization::projection());
}

TEST_P(Failures, UnreachableStart) {
  const Simulation end = failed<NowhereCircle>(Status::not_assembled, 0.0, true);
  EXPECT_EQ(end.q(), Eigen::Vector2d(0, 0));
  EXPECT_EQ(end.w(), Eigen::Vector2d(1, 2));
}

TEST_P(Failures, ValidityLeft) {
  // x = t reaches the limit 1 with the last step.
  const Simulation end = failed<ShortTable>(Status::singular_constraints, 63.0 / 64, false);
  EXPECT_EQ(end.q()[0], 63.0 / 64);
}

TEST_P(Failures, NonFiniteStart) {
  Simulation start = simulation<Projectile>(4);
  start.block.coordinate(1)[0] = nan;
  start.block.rate(1)[1] = std::numeric_limits<double>::infinity();
  start.block.parameter(0)[2] = nan;
  start.start(true);
  for (long member = 0; member < 3; ++member) EXPECT_EQ(start.status(member), Status::non_finite) << member;
  EXPECT_EQ(start.status(3), Status::ok);
  EXPECT_EQ(start.block.failure_time[0], 0.0);
}

TEST_P(Failures, ANonIdealForceBreaksNoConstraint) {
  Simulation rail = simulation<PushedRail>(1);
  rail.start(true);
  EXPECT_LE((rail.member(rail.observe(Field::constraint_force), 0) - Eigen::Vector2d(0, 5)).norm(), 1e-14);
  EXPECT_LE(rail.observe(Field::residual)[0], 1e-15);
  rail.finish();
  EXPECT_EQ(rail.status(), Status::ok) << status_name(rail.status());
  EXPECT_LE((rail.q() - Eigen::Vector2d(0, 2 + 5.0 / 2)).norm(), 1e-13);
}

TEST_P(Failures, ConstraintsWhoseAccelerationsCancelToRounding) {
  Simulation sines = simulation<SinesAtRest>(1);
  sines.start(false);
  sines.finish();
  EXPECT_EQ(sines.status(), Status::ok) << status_name(sines.status());
  EXPECT_LE(std::abs(sines.q()[0] + std::sin(1.0)), 1e-8);
}

TEST_P(Failures, AServoThatItsActuatorsCannotMeet) {
  const Simulation end = failed<LostActuator>(Status::inconsistent_constraints, 0.5, false);
  // The constraint holds until the last stage of the previous step.
  EXPECT_LE(std::abs(end.q()[1] - 1.0), 9.81 / 64 / 64);
}

TEST_P(Failures, ASingularMetricThatTheConstraintsCover) {
  Simulation half = simulation<HalfMass>(1);
  half.start(true);
  half.finish();
  EXPECT_EQ(half.status(), Status::ok) << status_name(half.status());
  EXPECT_LE((half.q() - Eigen::Vector2d(1 + 3.0 / 2, 2)).norm(), 1e-13);
}

TEST_P(Failures, ASingularMetricThatTheConstraintsDoNotCover) {
  failed<UncoveredMass>(Status::singular_constraints, 63.0 / 64, false);
  for (const bool project : {false, true}) {
    Simulation bad = simulation<UncoveredMass>(1);
    bad.block.parameter(1)[0] = 0.0;
    bad.start(project);
    EXPECT_EQ(bad.status(), Status::singular_constraints) << status_name(bad.status());
    EXPECT_EQ(bad.block.failure_time[0], 0.0);
  }
}

TEST_P(Failures, RankChangesAreCountedNotFailed) {
  for (const long chunk : {64L, 1L}) {
    Simulation passing = simulation<SingularPose>(2);
    passing.start(false);
    while (passing.step < passing.time.steps()) passing.advance(chunk);
    EXPECT_EQ(passing.status(), Status::ok) << status_name(passing.status());
    EXPECT_EQ(passing.block.rank_changes[0], 2.0);
    EXPECT_EQ(passing.block.rank_changes[1], 2.0);
  }
}

INSTANTIATE_TEST_SUITE_P(Backends, Failures,
                         testing::Combine(testing::Values(Backend::reference, Backend::cpu),
                                          testing::ValuesIn(test::all_pseudo_inverses())),
                         [](const auto& test) {
                           return std::string(backend_name(std::get<0>(test.param))) + "_" +
                                  std::string(pseudo_inverse_name(std::get<1>(test.param)));
                         });

}  // namespace
}  // namespace kalaba
