#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>
#include <string>

#include "backend/reference_linear.hpp"
#include "conformance/cases.hpp"
#include "conformance/order.hpp"

// Physics that holds for every system of the catalogue on every backend. A model is tested by being listed there.

namespace kalaba {
namespace {

using namespace conformance;
using reference::Rate;

/// Systems that state an energy which their constraints or given forces change.
const std::set<std::string> driven = {
    "rheonomic_particle",          "logarithmic_spiral", "flexible_manipulator", "rough_ring",   "draggy_particle",
    "constrained_double_pendulum", "prescribed_speed",   "perpendicular_spins",  "balanced_rod", "car_axis"};

/// Steps that fit the system's default span, at most `wanted`.
long steps_within(const Options& options, long wanted) { return std::min(wanted, options.time.steps()); }

/// One member at one instant: the oracle's terms, and the accelerations that the backend under test gives.
struct Motion {
  Rate oracle;
  Matrix G;
  Vector ideal_force;   ///< A^T multipliers, of the backend (in the Hamiltonian reading G^-1 A^T multipliers)
  Vector non_ideal;     ///< rate that the non-ideal force would give alone
  Vector w_dot;         ///< of the backend
  Vector constraining;  ///< w_dot - a
};

class Conformance : public testing::TestWithParam<Case> {
 protected:
  Options options = options_for(GetParam());
  Oracle oracle{*GetParam().system, options.method};

  Simulation moving(long members = 5, long steps = 200) {
    Simulation simulation = started(*GetParam().system, options, members);
    simulation.advance(steps_within(options, steps));
    for (long i = 0; i < members; ++i) EXPECT_EQ(simulation.status(i), Status::ok) << status_name(simulation.status(i));
    return simulation;
  }

  Motion motion(Simulation& simulation, long member) const {
    const Instant x = simulation.instant(member);
    Motion m{oracle.rate(x), oracle.model().metric(x), {}, {}, {}, {}};
    const Vector force = simulation.member(simulation.observe(Field::constraint_force), member);
    Vector lambda = Vector::Zero(m.oracle.A.rows());
    if (lambda.size() > 0) lambda = simulation.member(simulation.observe(Field::multipliers), member);
    const bool momenta = oracle.model().formulation == Formulation::hamilton;
    const Matrix inverse = reference::metric_root(m.G).inverse;
    const auto as_rate = [&](const Vector& f) -> Vector { return inverse * f; };
    const Vector pull = m.oracle.A.transpose() * lambda;
    m.ideal_force = momenta ? as_rate(pull) : pull;
    const Vector C = oracle.model().non_ideal(x, m.ideal_force);
    m.non_ideal = momenta ? C : as_rate(C);
    m.constraining = momenta ? force : as_rate(force);
    m.w_dot = m.oracle.a + m.constraining;
    return m;
  }

  /// A random change of w' that A allows, of unit size.
  static Vector virtual_displacement(const Motion& m, std::mt19937& generator) {
    std::normal_distribution<double> normal;
    Vector z(m.G.rows());
    for (double& value : z) value = normal(generator);
    const Matrix inverse_root = reference::metric_root(m.G).inverse_root;
    const Matrix B = m.oracle.A * inverse_root;
    const Vector allowed = z - reference::pseudo_inverse(B, PseudoInverse::svd, Method{}.rank_tolerance).matrix * B * z;
    // With all of w' constrained, rounding is all that is left.
    return allowed.norm() < 1e-8 * z.norm() ? Vector::Zero(z.size()) : Vector(inverse_root * allowed.normalized());
  }

  static double size(const Motion& m, const Vector& rate) { return std::sqrt(rate.dot(m.G * rate)); }
};

TEST_P(Conformance, AccelerationsMeetTheConstraints) {
  Simulation simulation = moving();
  for (long i = 0; i < simulation.block.members; ++i) {
    const Motion m = motion(simulation, i);
    const double scale = m.oracle.b.norm() + m.oracle.A.norm() * (m.oracle.a.norm() + m.w_dot.norm());
    EXPECT_LE((m.oracle.A * m.w_dot - m.oracle.b).norm(), 1e-12 * scale);
    EXPECT_LE(simulation.observe(Field::residual)[static_cast<std::size_t>(i)], 1e-12 * scale);
  }
}

TEST_P(Conformance, ConstraintForcesDoNoVirtualWork) {
  // d'Alembert; where the constraints are not ideal, the work of C alone [UK02 eq. 29].
  std::mt19937 generator(1);
  Simulation simulation = moving();
  for (long i = 0; i < simulation.block.members; ++i) {
    const Motion m = motion(simulation, i);
    const double scale = size(m, m.oracle.a) + size(m, m.constraining);
    for (int k = 0; k < 10; ++k) {
      const Vector v = virtual_displacement(m, generator);
      EXPECT_NEAR(v.dot(m.G * m.constraining), v.dot(m.G * m.non_ideal), 1e-11 * scale);
    }
  }
}

TEST_P(Conformance, GaussLeastConstraint) {
  std::mt19937 generator(2);
  Simulation simulation = moving();
  for (long i = 0; i < simulation.block.members; ++i) {
    const Motion m = motion(simulation, i);
    const Vector free = m.oracle.a + m.non_ideal;
    const double least = size(m, m.w_dot - free);
    const double scale = 1 + size(m, m.oracle.a) + least;
    for (int k = 0; k < 10; ++k) {
      const Vector v = virtual_displacement(m, generator);
      for (const double length : {1e-4, 1e-2, 1.0}) {
        EXPECT_GE(size(m, m.w_dot + length * scale * v - free), least - 1e-12 * scale);
      }
    }
  }
}

TEST_P(Conformance, MultipliersGiveTheIdealForce) {
  Simulation simulation = moving();
  for (long i = 0; i < simulation.block.members; ++i) {
    const Motion m = motion(simulation, i);
    const bool momenta = oracle.model().formulation == Formulation::hamilton;
    const Vector expected =
        momenta ? Vector(m.constraining - m.non_ideal) : Vector(m.G * (m.constraining - m.non_ideal));
    if (m.non_ideal.norm() > 0) continue;  // what the constraints take back of C is not in the multipliers
    EXPECT_LE((m.ideal_force - expected).norm(), 1e-11 * (1 + expected.norm()));
  }
}

TEST_P(Conformance, EnergyIsKeptToTheOrderOfTheMethod) {
  const SystemInfo& info = GetParam().system->info;
  if (!info.has_energy || driven.contains(info.name)) GTEST_SKIP() << "no conserved energy is stated";
  const double span = options.time.dt * static_cast<double>(steps_within(options, 256));
  double scale = 1;
  const auto drift = [&](long steps) {
    Options finer = options;
    finer.time.dt = span / static_cast<double>(steps);
    finer.time.end = finer.time.start + span;
    Simulation simulation = started(*GetParam().system, finer, 2);
    const std::vector<double> before = simulation.observe(Field::energy);
    simulation.advance(steps);
    const std::vector<double> after = simulation.observe(Field::energy);
    scale = std::max({scale, std::abs(before[0]), std::abs(before[1])});
    return std::max(std::abs(after[0] - before[0]), std::abs(after[1] - before[1]));
  };
  const double coarse = drift(8);
  const auto order = observed_order(drift, 1e-11 * scale);
  EXPECT_GE(order.value_or(4.0), 3.5);
  EXPECT_LE(coarse, 1e-2 * scale);
  EXPECT_LE(drift(256), 1e-8 * scale);
}

TEST_P(Conformance, HalvingTheStepShowsOrderFour) {
  const double span = options.time.dt * static_cast<double>(steps_within(options, 256));
  for (const auto stabilization : {Stabilization::none(), Stabilization::projection()}) {
    double scale = 1;
    const auto state = [&](long steps) {
      Options finer = options;
      finer.method.stabilization = stabilization;
      finer.time.dt = span / static_cast<double>(steps);
      finer.time.end = finer.time.start + span;
      finer.project_start = options.project_start || stabilization.kind == Stabilization::Kind::projection;
      Simulation simulation = started(*GetParam().system, finer, 1);
      simulation.advance(steps);
      EXPECT_EQ(simulation.status(), Status::ok) << status_name(simulation.status());
      Vector all(simulation.q().size() + simulation.w().size());
      all << simulation.q(), simulation.w();
      scale = std::max(scale, all.lpNorm<Eigen::Infinity>());
      return all;
    };
    const auto difference = [&](long steps) {
      return Vector(state(steps) - state(2 * steps)).lpNorm<Eigen::Infinity>() / scale;
    };
    const auto order = observed_order(difference, 1e-11);
    EXPECT_GE(order.value_or(4.0), 3.6) << "stabilization " << static_cast<int>(stabilization.kind);
    EXPECT_LE(order.value_or(4.0), 6.0) << "stabilization " << static_cast<int>(stabilization.kind);
  }
}

TEST_P(Conformance, ProjectionHoldsTheConstraintsAtRoundingLevel) {
  options.method.stabilization = Stabilization::projection();
  options.project_start = true;
  Simulation simulation = moving();
  const std::vector<double> violation = simulation.observe(Field::violation);
  for (long i = 0; i < simulation.block.members; ++i) {
    const Instant x = simulation.instant(i);
    const double scale = 1 + oracle.rate(x).A.norm() * (1 + x.q.norm() + x.w.norm());
    EXPECT_LE(violation[static_cast<std::size_t>(i)], 1e-13 * scale);
  }
}

INSTANTIATE_TEST_SUITE_P(Systems, Conformance, testing::ValuesIn(all_cases()),
                         [](const auto& test) { return testing::PrintToString(test.param); });

}  // namespace
}  // namespace kalaba
