#include "backend/reference/reference.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "backend/reference/rate.hpp"
#include "backend/reference/tableau.hpp"
#include "conformance/reference_simulation.hpp"
#include "conformance/small_models.hpp"
#include "kalaba/error.hpp"
#include "kalaba/systems/chaplygin_sleigh.hpp"
#include "kalaba/systems/rough_ring.hpp"
#include "kalaba/systems/spherical_pendulum.hpp"
#include "kalaba/systems/spherical_pendulum_lagrangian.hpp"
#include "kalaba/systems/swarm_matrix.hpp"
#include "kalaba/systems/two_particles_incline.hpp"
#include "support/rosenbrock_order.hpp"

namespace kalaba {
namespace {

using namespace conformance;
using reference::Reading;

// Figures of docs/mechanics.md, computed by a DOP853 run with NumPy's pinv.

TEST(ReferenceFigures, SphericalPendulumInMomenta) {
  const Simulation end = finished<SphericalPendulum>();
  expect_values(end.q(), {-0.31847147, -0.41008286, 0.85463909}, 1e-8);
  expect_values(end.w(), {-0.31879919, -2.26005732, -1.20324383}, 1e-8);
}

TEST(ReferenceFigures, SphericalPendulumInVelocities) {
  const Simulation end = finished<SphericalPendulumLagrangian>();
  expect_values(end.q(), {-0.31847147, -0.41008286, 0.85463909}, 1e-8);
  expect_values(end.w(), {-0.31879919, -2.26005732, -1.20324383}, 1e-8);
}

TEST(ReferenceFigures, TwoParticlesOnAnIncline) {
  for (const PseudoInverse method : {PseudoInverse::svd, PseudoInverse::qr}) {
    Options options = reference_options<TwoParticlesIncline>();
    options.method.pseudo_inverse = method;
    Simulation end = finished<TwoParticlesIncline>(options);
    expect_values(end.q(), {9.33298203, -0.86346099, 9.83782813, -1.72667036}, 1e-8);
    Vector v = end.w();
    v.tail(2) /= 2.0;  // m2 = 2
    expect_values(v, {2.97797955, 1.74166481, 3.49590517, 2.04457247}, 1e-8);
    EXPECT_EQ(end.observe(Field::rank)[0], 2.0);
  }
}

TEST(ReferenceFigures, ChaplyginSleigh) {
  const Simulation end = finished<ChaplyginSleigh>();
  expect_values(end.q(), {2.48045395, 3.48413720, 1.22852369}, 1e-8);
  expect_values(end.w(), {1.13178591, 0.0, 0.0387489229}, 1e-8);
}

TEST(ReferenceFigures, SwarmWithoutFeedbackKeepsItsBeta) {
  const Reading<SwarmMatrix<5>> model;
  Simulation swarm = simulate<SwarmMatrix<5>>();
  swarm.start(false);
  EXPECT_NEAR(model.psi(swarm.instant()).norm(), 46.289831739115, 1e-11);
  swarm.finish();
  EXPECT_NEAR(model.psi(swarm.instant()).norm(), 46.289831739115, 1e-8);
}

TEST(ReferenceFigures, SwarmWithFeedback) {
  const Reading<SwarmMatrix<5>> model;
  Simulation swarm = simulate<SwarmMatrix<5>>();
  std::fill(swarm.block.parameter(2).begin(), swarm.block.parameter(2).end(), 5.0);
  swarm.start(false);
  const auto beta = [&] { return model.psi(swarm.instant()).norm(); };
  swarm.advance(1000);
  EXPECT_NEAR(beta(), 0.3118984328547427, 1e-8);
  swarm.advance(1000);
  EXPECT_NEAR(beta(), 2.1015551e-3, 1e-10);
  swarm.finish();
  EXPECT_NEAR(beta(), 6.43e-10, 1e-11);
  expect_values(swarm.q(),
                {3.38168975, 4.09369613, 3.41897416, 4.45359657, 3.77285537, 4.52940362, 3.95391915, 4.21633312,
                 3.71256157, 3.94697055},
                1e-8);
}

// Forces.

TEST(ReferenceForces, MultipliersGiveTheConstraintForce) {
  Simulation pendulum = finished<SphericalPendulumLagrangian>();
  const double lambda = pendulum.observe(Field::multipliers)[0];
  const Instant x = pendulum.instant();
  EXPECT_NEAR(lambda, -(x.w.squaredNorm() + 9.81 * x.q[2]), 1e-11);  // m = L = 1
  expect_near(pendulum.member(pendulum.observe(Field::constraint_force), 0), lambda * x.q, 1e-11);
}

TEST(ReferenceForces, AMomentumsConstraintForceIsTheSame) {
  Simulation momenta = finished<SphericalPendulum>();
  Simulation velocities = finished<SphericalPendulumLagrangian>();
  expect_near(momenta.member(momenta.observe(Field::constraint_force), 0),
              velocities.member(velocities.observe(Field::constraint_force), 0), 1e-9);
}

TEST(ReferenceForces, FrictionDoesItsOwnVirtualWork) {
  const Reading<RoughRing> model;
  const Instant x = simulate<RoughRing>().instant();
  const reference::Rate rate = reference::evaluate_rate(model, Method{}, x);
  const Vector ideal = rate.A.transpose() * rate.multipliers;
  const Vector C = model.non_ideal(x, ideal, {});
  EXPECT_GT(C.norm(), 1.0);
  EXPECT_NEAR(x.w.dot(rate.constraint_force()), x.w.dot(C), 1e-12);
  EXPECT_NEAR(rate.residual().norm(), 0.0, 1e-13);
}

TEST(ReferenceForces, WithoutConstraintsAProjectileFliesAParabola) {
  Simulation flight = finished<Projectile>();
  expect_values(flight.q(), {1.0, 2.0 - 4.905}, 1e-13);
  EXPECT_EQ(flight.observe(Field::rank)[0], 0.0);
  EXPECT_EQ(flight.observe(Field::residual)[0], 0.0);
  EXPECT_EQ(flight.observe(Field::violation)[0], 0.0);
  EXPECT_TRUE(flight.observe(Field::multipliers).empty());
  EXPECT_TRUE(flight.observe(Field::energy).empty());
}

// Stabilisation.

TEST(ReferenceProjection, HoldsTheConstraintsAtRoundingLevel) {
  EXPECT_LE(finished<TwoParticlesIncline>().observe(Field::violation)[0], 1e-14);
  Options options = reference_options<SphericalPendulumLagrangian>();
  options.time.dt = 0.01;
  EXPECT_LE(finished<SphericalPendulumLagrangian>(options).observe(Field::violation)[0], 2e-15);
  options.method.stabilization = Stabilization::none();
  EXPECT_GT(finished<SphericalPendulumLagrangian>(options).observe(Field::violation)[0], 1e-9);
}

TEST(ReferenceProjection, PutsTheStartOnTheConstraints) {
  Simulation pendulum = simulate<SphericalPendulumLagrangian>();
  pendulum.block.coordinate(0)[0] = 3.0;
  pendulum.block.rate(2)[0] = 1.0;
  EXPECT_GT(pendulum.observe(Field::violation)[0], 1.0);
  pendulum.start(false);
  EXPECT_GT(pendulum.observe(Field::violation)[0], 1.0);
  pendulum.start(true);
  EXPECT_EQ(pendulum.status(), Status::ok);
  EXPECT_LE(pendulum.observe(Field::violation)[0], 1e-15);
}

TEST(ReferenceProjection, FeedbackLetsAnErrorDecay) {
  Options options = reference_options<SphericalPendulumLagrangian>();
  options.method.stabilization = Stabilization::baumgarte(10, 10);
  Simulation pendulum = simulate<SphericalPendulumLagrangian>(options);
  pendulum.block.coordinate(0)[0] += 0.1;
  pendulum.start(false);
  EXPECT_GT(pendulum.observe(Field::violation)[0], 0.05);
  pendulum.finish();
  EXPECT_LE(pendulum.observe(Field::violation)[0], 1e-8);
}

TEST(ReferenceOptions, SinglePrecisionIsRefused) {
  Options options = reference_options<SphericalPendulum>();
  options.precision = Precision::single_precision;
  EXPECT_THROW(make_boost_reference<SphericalPendulum>(options), Error);
}

// Options that must not change a result.

TEST(ReferenceReproducibility, ThreadsChunksAndNeighbours) {
  Options options = reference_options<TwoParticlesIncline>();
  options.time.end = 0.05;
  Simulation one = simulate<TwoParticlesIncline>(options);
  one.block.rate(0)[0] = -0.2;
  one.start(true);
  one.finish();
  for (const int threads : {1, 2, 3, 0}) {
    options.threads = threads;
    Simulation many = simulate<TwoParticlesIncline>(options, 70);
    many.block.rate(0)[68] = -0.2;
    many.start(true);
    while (many.step < options.time.steps()) many.advance(10);
    EXPECT_EQ(many.q(68), one.q());
    EXPECT_EQ(many.w(68), one.w());
    EXPECT_EQ(many.q(69), many.q(0));
    EXPECT_NE(many.q(69), many.q(68));
  }
}

/// The coefficients of k_i; the core's are those of linear combinations of k_i.
TEST(ReferenceTest, TheRosenbrockMethodHasOrderFive) {
  const reference::Rosenbrock& rodas = reference::rodas5p();
  using Weights = std::vector<long double>;
  const auto rows_of = [](const reference::Matrix& matrix) {
    std::vector<Weights> rows;
    for (long i = 0; i < matrix.rows(); ++i) {
      const reference::Vector row = matrix.row(i);
      rows.emplace_back(row.begin(), row.end());
    }
    return rows;
  };
  const test::RosenbrockCoefficients of = {rows_of(rodas.alpha), rows_of(rodas.gamma)};
  const Weights step(rodas.b.begin(), rodas.b.end());
  const reference::Vector lower = rodas.b - rodas.error;
  for (int order = 1; order <= 5; ++order) EXPECT_LE(of.defect(step, order), 1e-13L) << order;
  for (int order = 1; order <= 4; ++order) EXPECT_LE(of.defect({lower.begin(), lower.end()}, order), 1e-13L) << order;
  EXPECT_GE(of.defect({lower.begin(), lower.end()}, 5), 1e-5L);
  for (const double s : {0.2, 0.7}) {
    const reference::Vector at =
        s * rodas.b +
        s * (1 - s) * (rodas.dense.row(0) + s * (rodas.dense.row(1) + s * rodas.dense.row(2))).transpose();
    for (int order = 1; order <= 4; ++order) EXPECT_LE(of.defect({at.begin(), at.end()}, order, s), 1e-12L) << order;
  }
}

}  // namespace
}  // namespace kalaba
