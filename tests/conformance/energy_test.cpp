// Models that state an energy instead of their terms.

#include "kalaba/core/model/energy.hpp"

#include <gtest/gtest.h>

#include "conformance/energy_models.hpp"
#include "conformance/reference_simulation.hpp"
#include "kalaba/systems/chain.hpp"
#include "kalaba/systems/constrained_double_pendulum.hpp"
#include "kalaba/systems/flexible_manipulator.hpp"
#include "kalaba/systems/iftomm_pendulum.hpp"
#include "kalaba/systems/nonholonomic_hamiltonian_particle.hpp"
#include "kalaba/systems/spherical_pendulum.hpp"
#include "kalaba/systems/spherical_pendulum_lagrangian.hpp"
#include "kalaba/systems/two_particles_incline.hpp"

namespace kalaba {
namespace {

using namespace conformance;
using reference::Reading;

double distance(const Matrix& x, const Matrix& y) {
  return (x - y).cwiseAbs().maxCoeff() / std::max(1.0, y.cwiseAbs().maxCoeff());
}

void expect_same_at(const Instant& x, const reference::MechanicalModel& derived,
                    const reference::MechanicalModel& stated) {
  EXPECT_LE(distance(derived.metric(x), stated.metric(x)), 1e-14);
  EXPECT_LE(distance(derived.force(x), stated.force(x)), 1e-13);
  EXPECT_LE(distance(derived.velocity(x), stated.velocity(x)), 1e-14);
  EXPECT_NEAR(derived.energy(x), stated.energy(x), 1e-13 * (1 + std::abs(stated.energy(x))));
  EXPECT_LE(distance(derived.constraint_matrix(x), stated.constraint_matrix(x)), 1e-14);
  EXPECT_LE(distance(derived.constraint_rate(x), stated.constraint_rate(x)), 1e-13);
}

/// Comparison of the terms at random states.
template <class M, class Restated>
void expect_same_terms() {
  for (unsigned seed = 0; seed < 5; ++seed) {
    expect_same_at(random_instant<M>(seed), Reading<Restated>(), Reading<M>());
  }
}

/// Comparison of the run, or of its first half second.
template <class M, class Restated>
void expect_same_run() {
  const Simulation stated = finished<M>(reference_options<M>(), 0.5);
  const Simulation derived = finished<Restated>(reference_options<Restated>(), 0.5);
  EXPECT_LE(distance(derived.q(), stated.q()), 1e-12);
  EXPECT_LE(distance(derived.w(), stated.w()), 1e-12);
}

template <class M>
class InMomenta : public testing::Test {};
using InMomentaModels =
    testing::Types<SphericalPendulum, NonholonomicHamiltonianParticle, TwoParticlesIncline, ConstrainedDoublePendulum>;
TYPED_TEST_SUITE(InMomenta, InMomentaModels);

TYPED_TEST(InMomenta, TheEnergyGivesTheTerms) { expect_same_terms<TypeParam, WithTerms<ByHamiltonian<TypeParam>>>(); }
TYPED_TEST(InMomenta, TheEnergyGivesTheRun) { expect_same_run<TypeParam, WithTerms<ByHamiltonian<TypeParam>>>(); }

template <class M>
class InVelocities : public testing::Test {};
using InVelocitiesModels = testing::Types<SphericalPendulumLagrangian, IftommPendulum, Chain<2>, FlexibleManipulator>;
TYPED_TEST_SUITE(InVelocities, InVelocitiesModels);

TYPED_TEST(InVelocities, TheEnergyGivesTheTerms) { expect_same_terms<TypeParam, WithTerms<ByLagrangian<TypeParam>>>(); }
TYPED_TEST(InVelocities, TheEnergyGivesTheRun) { expect_same_run<TypeParam, WithTerms<ByLagrangian<TypeParam>>>(); }

TEST(EnergyStated, AMixedAndTimeDependentLagrangianWithAnAppliedForce) {
  const Reading<WithTerms<GrowingMass>> model;
  const Reading<Plane> plane;
  Instant x = simulate<Plane>().instant();
  x.p[0] = 1.7;
  x.t = 0.4;
  x.q << 0.3, -0.6;
  x.w << 0.9, 0.2;
  expect_near(model.metric(x), 1.7 * 1.4 * Matrix::Identity(2, 2), 1e-15);
  const Vector drag = -3 * x.w;
  expect_near(model.force(x), Eigen::Vector2d(-x.w[1], x.w[0]) - 1.7 * x.w + drag, 1e-14);
  EXPECT_NEAR(model.energy(x), 0.5 * 1.7 * 1.4 * x.w.squaredNorm(), 1e-15);
}

TEST(EnergyStated, AModelThatStatesItsTermsKeepsThem) {
  static_assert(std::is_same_v<WithTerms<SphericalPendulum>, SphericalPendulum>);
  static_assert(!Model<TurningRodLagrangian> && Model<WithTerms<TurningRodLagrangian>>);
  static_assert(!Model<TurningRodHamiltonian> && Model<WithTerms<TurningRodHamiltonian>>);
}

}  // namespace
}  // namespace kalaba
