#include <gtest/gtest.h>

#include <random>
#include <string>

#include "conformance/motion.hpp"
#include "kalaba/error.hpp"
#include "kalaba/run.hpp"

// Physical laws that hold at every instant for every system of the catalogue on every backend. A system is tested if it
// is in the catalogue.

namespace kalaba {
namespace {

using namespace conformance;

class Conformance : public testing::TestWithParam<Case> {
 protected:
  const SystemInfo& info = GetParam().system->info;
  Options options = options_for(GetParam());
  Oracle oracle{*GetParam().system, options.method};

  Simulation moving(long members = 5, long steps = 200) {
    Simulation simulation = started(*GetParam().system, options, members);
    simulation.advance(steps_within(GetParam(), options, steps));
    for (long i = 0; i < members; ++i) EXPECT_EQ(simulation.status(i), Status::ok) << status_name(simulation.status(i));
    return simulation;
  }

  /// Message if a law of virtual displacements has no displacement to be tested with.
  static constexpr const char* vacuous = "A has full column rank: no displacement is virtual";

  std::vector<Motion> moved() {
    Simulation simulation = moving();
    return motions(simulation, oracle);
  }
};

/// Properties of systems whose force may act in every direction; the force of a servo-constraint acts along its
/// actuators.
class IdealConformance : public Conformance {};
class ServoConformance : public Conformance {};

TEST_P(Conformance, AccelerationsMeetTheConstraints) {
  for (const Motion& m : moved()) {
    const double scale = m.b.norm() + m.A.norm() * (m.free_rate().norm() + m.w_dot.norm());
    EXPECT_LE((m.A * m.w_dot - m.b).norm(), 1e-12 * scale);
    EXPECT_LE(m.residual, 1e-12 * scale);
  }
}

TEST_P(Conformance, TheConstraintForceIsTheSumOfItsParts) {
  for (const Motion& m : moved()) {
    const double scale = m.ideal.norm() + m.non_ideal.norm();
    EXPECT_LE((m.force - m.ideal - m.non_ideal).norm(), 1e-14 * scale);
    EXPECT_LE(m.size_of_effort(m.effort(m.force) - m.pull()),
              1e-11 * (m.size_of_effort(m.given) + m.size_of_effort(m.pull())));
    EXPECT_TRUE(m.C.norm() > 0 || m.non_ideal.norm() <= 1e-14 * scale);
  }
}

TEST_P(Conformance, ConstraintsAreObservedAsTheModelStatesThem) {
  Simulation simulation = moving();
  const auto all = motions(simulation, oracle);
  for (long i = 0; i < simulation.block.members; ++i) {
    const Instant x = simulation.instant(i);
    const Motion& m = all[static_cast<std::size_t>(i)];
    Vector expected(m.A.rows());
    expected << oracle.model().phi(x), oracle.model().psi(x);
    EXPECT_LE(reference::max_norm(m.constraints - expected), 1e-14 * (1 + m.A.norm() * (1 + x.q.norm() + x.w.norm())));
  }
}

TEST_P(IdealConformance, ConstraintForcesDoTheVirtualWorkOfC) {
  // d'Alembert's principle; if the constraints are not ideal, only C does work [UK02 eq. 29].
  std::mt19937 generator(1);
  bool tested = false;
  for (const Motion& m : moved()) {
    const double scale = m.size_of_effort(m.given) + m.size_of_effort(m.pull());
    for (int k = 0; k < 10; ++k) {
      const Vector v = virtual_displacement(m, generator);
      tested = tested || v.norm() > 0;
      EXPECT_NEAR(v.dot(m.pull()), v.dot(m.C), 1e-11 * scale);
      EXPECT_NEAR(v.dot(m.effort(m.non_ideal)), v.dot(m.C), 1e-11 * scale);
      EXPECT_NEAR(v.dot(m.effort(m.ideal)), 0, 1e-11 * scale);
    }
  }
  if (!tested) GTEST_SKIP() << vacuous;
}

TEST_P(IdealConformance, GaussLeastConstraint) {
  std::mt19937 generator(2);
  bool tested = false;
  for (const Motion& m : moved()) {
    const double scale = 1 + m.size(m.w_dot) + m.size_of_effort(m.given + m.C);
    const double least = m.gauss(m.w_dot);
    for (int k = 0; k < 10; ++k) {
      const Vector v = virtual_displacement(m, generator);
      tested = tested || v.norm() > 0;
      for (const double length : {1e-4, 1e-2, 1.0}) EXPECT_GE(m.gauss(m.w_dot + length * scale * v), least);
    }
  }
  if (!tested) GTEST_SKIP() << vacuous;
}

TEST_P(IdealConformance, LeastMultipliersGiveTheIdealForce) {
  for (const Motion& m : moved()) {
    const Vector ideal = m.effort(m.ideal);
    EXPECT_LE(m.size_of_effort(m.A.transpose() * m.multipliers - ideal), 1e-11 * (1 + m.size_of_effort(ideal)));
    const Matrix spanned = m.A * reference::pseudo_inverse(m.A, PseudoInverse::svd, {1e-6, 1e-6}).matrix;
    EXPECT_LE((spanned * m.multipliers - m.multipliers).norm(), 1e-9 * m.multipliers.norm());
  }
}

TEST_P(IdealConformance, DrivingAndBalancingRatesAreOrthogonal) {
  // [BC18 eq. 40]: the rate of least norm that satisfies the constraints, and a rate in their null space.
  for (const Motion& m : moved()) {
    EXPECT_LE(std::abs(m.driving.dot(m.G * m.balance)), 1e-11 * (1 + m.size(m.driving)) * (1 + m.size(m.balance)));
    EXPECT_LE((m.A * m.balance).norm(), 1e-11 * (m.b.norm() + m.A.norm() * (1 + m.balance.norm())));
  }
}

TEST_P(IdealConformance, ProjectionHoldsTheConstraintsAtRoundingLevel) {
  options.method.stabilization = Stabilization::projection();
  options.project_start = true;
  Simulation simulation = moving();
  const std::vector<double> violation = simulation.observe(Field::violation);
  for (long i = 0; i < simulation.block.members; ++i) {
    const Instant x = simulation.instant(i);
    const double scale = 1 + oracle.model().constraint_matrix(x).norm() * (1 + x.q.norm() + x.w.norm());
    EXPECT_LE(violation[static_cast<std::size_t>(i)], 1e-13 * scale);
  }
}

TEST_P(ServoConformance, TheForceActsAlongTheActuators) {
  Simulation simulation = moving();
  const auto all = motions(simulation, oracle);
  for (long i = 0; i < simulation.block.members; ++i) {
    const Motion& m = all[static_cast<std::size_t>(i)];
    const Matrix S = oracle.model().actuation(simulation.instant(i));
    const Vector along = S * (reference::pseudo_inverse(S, PseudoInverse::svd, {1e-6, 1e-6}).matrix * m.force);
    EXPECT_GT(m.force.norm(), 0.0);
    EXPECT_LE((along - m.force).norm(), 1e-12 * m.force.norm());
  }
}

TEST_P(ServoConformance, ProjectionIsRefused) {
  options.method.stabilization = Stabilization::projection();
  EXPECT_THROW(run(Ensemble(*GetParam().system, 1), options), Error);
  options.method.stabilization = Stabilization::none();
  options.project_start = true;
  EXPECT_THROW(run(Ensemble(*GetParam().system, 1), options), Error);
}

bool is_servo(const System& system) { return system.info.servo; }
bool is_free_to_act(const System& system) { return !system.info.servo; }

std::string case_name(const testing::TestParamInfo<Case>& test) { return testing::PrintToString(test.param); }

INSTANTIATE_TEST_SUITE_P(Systems, Conformance, testing::ValuesIn(all_cases()), case_name);
INSTANTIATE_TEST_SUITE_P(Systems, IdealConformance, testing::ValuesIn(all_cases(is_free_to_act)), case_name);
INSTANTIATE_TEST_SUITE_P(Systems, ServoConformance, testing::ValuesIn(all_cases(is_servo)), case_name);

}  // namespace
}  // namespace kalaba
