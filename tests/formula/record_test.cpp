#include "kalaba/make_system.hpp"

#include <gtest/gtest.h>

#include <random>

#include "formula/make_system.hpp"
#include "formula/mechanics/graph_model.hpp"
#include "kalaba/systems/andrews_squeezer.hpp"
#include "kalaba/systems/appell_hamel.hpp"
#include "kalaba/systems/appell_particle.hpp"
#include "kalaba/systems/balanced_rod.hpp"
#include "kalaba/systems/car_axis.hpp"
#include "kalaba/systems/chain.hpp"
#include "kalaba/systems/chain_redundant.hpp"
#include "kalaba/systems/chaplygin_sleigh.hpp"
#include "kalaba/systems/constrained_double_pendulum.hpp"
#include "kalaba/systems/draggy_particle.hpp"
#include "kalaba/systems/equal_speeds.hpp"
#include "kalaba/systems/flexible_manipulator.hpp"
#include "kalaba/systems/iftomm_pendulum.hpp"
#include "kalaba/systems/knife_edge.hpp"
#include "kalaba/systems/logarithmic_spiral.hpp"
#include "kalaba/systems/nonholonomic_hamiltonian_particle.hpp"
#include "kalaba/systems/nonholonomic_particle.hpp"
#include "kalaba/systems/parallel_velocities.hpp"
#include "kalaba/systems/perpendicular_spins.hpp"
#include "kalaba/systems/perpendicular_velocities.hpp"
#include "kalaba/systems/prescribed_speed.hpp"
#include "kalaba/systems/projectile_polar.hpp"
#include "kalaba/systems/rheonomic_particle.hpp"
#include "kalaba/systems/rolling_ball.hpp"
#include "kalaba/systems/rolling_disk.hpp"
#include "kalaba/systems/rough_ring.hpp"
#include "kalaba/systems/scleronomic_particle.hpp"
#include "kalaba/systems/spherical_pendulum.hpp"
#include "kalaba/systems/spherical_pendulum_lagrangian.hpp"
#include "kalaba/systems/split_oscillator.hpp"
#include "kalaba/systems/sundials_pendulum.hpp"
#include "kalaba/systems/swarm_matrix.hpp"
#include "kalaba/systems/two_particles_incline.hpp"
#include "support/boost_reading.hpp"
#include "support/error_of.hpp"

namespace kalaba {

const std::vector<System>& catalogue() {  // there is none in this program
  static const std::vector<System> none;
  return none;
}

namespace formula {
namespace {

using reference::Instant;

/// A state near the default start.
Instant instant_near(const SystemInfo& info, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> uniform(-0.3, 0.3);
  const auto values = [&](const std::vector<Variable>& variables, double spread) {
    reference::Vector result(static_cast<long>(variables.size()));
    for (long i = 0; i < result.size(); ++i) {
      result[i] = variables[static_cast<std::size_t>(i)].value + spread * uniform(random);
    }
    return result;
  };
  return {values(info.parameters, 0), 0.7 + uniform(random), values(info.coordinates, 1), values(info.rates, 1)};
}

void expect_same(const char* term, const reference::Matrix& found, const reference::Matrix& expected, double scale) {
  ASSERT_EQ(found.rows(), expected.rows()) << term;
  ASSERT_EQ(found.cols(), expected.cols()) << term;
  if (found.size() == 0) return;
  EXPECT_LE((found - expected).cwiseAbs().maxCoeff(), 1e-14 * scale * (1 + expected.cwiseAbs().maxCoeff()))
      << term << "\n"
      << found << "\nexpected\n"
      << expected;
}

/// At states near the default start.
void expect_same_terms(const reference::MechanicalModel& found, const reference::MechanicalModel& expected,
                       const SystemInfo& info) {
  EXPECT_EQ(found.formulation, expected.formulation);
  EXPECT_EQ(found.has_energy, expected.has_energy);
  EXPECT_EQ(found.servo, expected.servo);
  for (unsigned seed = 0; seed < 3; ++seed) {
    const Instant x = instant_near(info, seed);
    const double jolt = 1 + expected.velocity(x).norm();  // b sums squares of the velocity
    expect_same("velocity", found.velocity(x), expected.velocity(x), 1);
    expect_same("dK/dw", found.velocity_jacobian(x), expected.velocity_jacobian(x), 1);
    expect_same("metric", found.metric(x), expected.metric(x), 1);
    expect_same("force", found.force(x), expected.force(x), 1);
    expect_same("phi", found.phi(x), expected.phi(x), 1);
    expect_same("phi'", found.phi_dot(x), expected.phi_dot(x), jolt);
    expect_same("psi", found.psi(x), expected.psi(x), 1);
    expect_same("A", found.constraint_matrix(x), expected.constraint_matrix(x), 1);
    expect_same("b", found.constraint_rate(x), expected.constraint_rate(x), jolt * jolt);
    const reference::Vector ideal = reference::Vector::LinSpaced(x.w.size(), -1, 2);
    expect_same("C", found.non_ideal(x, ideal, {}), expected.non_ideal(x, ideal, {}), 1);
    if (expected.servo) expect_same("S", found.actuation(x), expected.actuation(x), 1);
    expect_same("invariants", found.invariants(x), expected.invariants(x), 1);
    EXPECT_EQ(found.gain(x), expected.gain(x));
    EXPECT_EQ(found.position_gain(x), expected.position_gain(x));
    EXPECT_EQ(found.valid(x), expected.valid(x));
    if (!expected.has_energy) continue;
    EXPECT_NEAR(found.energy(x), expected.energy(x), 1e-14 * (1 + std::abs(expected.energy(x))));
  }
}

template <class M>
class RecordedModel : public ::testing::Test {};

using Catalogue =
    ::testing::Types<SphericalPendulum, SphericalPendulumLagrangian, NonholonomicHamiltonianParticle,
                     TwoParticlesIncline, ConstrainedDoublePendulum, ProjectilePolar, ScleronomicParticle,
                     RheonomicParticle, NonholonomicParticle, LogarithmicSpiral, SwarmMatrix<3>, FlexibleManipulator,
                     RoughRing, DraggyParticle, ChaplyginSleigh, RollingBall, RollingDisk, PerpendicularVelocities,
                     ParallelVelocities, EqualSpeeds, PrescribedSpeed, AppellParticle, PerpendicularSpins, BalancedRod,
                     SplitOscillator, IftommPendulum, SundialsPendulum, CarAxis, AndrewsSqueezer, KnifeEdge,
                     AppellHamel, Chain<4>, ChainTwice<4>>;
TYPED_TEST_SUITE(RecordedModel, Catalogue);

/// Terms from the graph compared with terms from dual numbers.
TYPED_TEST(RecordedModel, HasTheTermsOfTheStruct) {
  Graph graph;
  const Recording recording(graph);
  const Statement statement = Recorder<TypeParam>().statement();
  const auto found = make_graph_model(graph, derive(graph, statement));
  expect_same_terms(*found, reference::Reading<WithTerms<TypeParam>>(), make_system(graph, statement).info);
}

/// Struct that reads a fourth of three parameters.
struct WrongIndex : SphericalPendulumLagrangian {
  static constexpr const char* name = "wrong_index";
  template <class P, class X>
  KALABA_FN static Vec<X, 1> phi(const P& p, const X&, const Vec<X, 3>& q) {
    return {(dot(q, q) - p[3] * p[3]) * 0.5};
  }
};

/// Struct that does not assign one entry of its force.
struct Forgetful : SphericalPendulumLagrangian {
  static constexpr const char* name = "forgetful";
  template <class P, class X>
  KALABA_FN static X lagrangian(const P& p, const X&, const Vec<X, 3>&, const Vec<X, 3>& w) {
    Vec<X, 2> half;
    half[0] = dot(w, w) * (0.5 * p[0]);
    return half[0] + half[1];
  }
};

TEST(Recording, RefusesANumberThatWasNeverSet) {
  const Error error = test::error_of([&] { kalaba::make_system<Forgetful>(); });
  EXPECT_STREQ(error.what(), "forgetful: lagrangian: a number is used that was never set");
}

TEST(Recording, RefusesAnIndexThatIsNotThereByName) {
  const Error error = test::error_of([&] { kalaba::make_system<WrongIndex>(); });
  EXPECT_EQ(error.code(), ExitCode::bad_input);
  EXPECT_STREQ(error.what(), "wrong_index: phi: there is no [3] in a list of 3");
}

}  // namespace
}  // namespace formula
}  // namespace kalaba
