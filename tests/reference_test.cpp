#include "kalaba/backend/reference.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

#include "backend/reference_linear.hpp"
#include "backend/reference_rate.hpp"
#include "conformance/simulation.hpp"
#include "conformance/small_models.hpp"
#include "kalaba/error.hpp"
#include "kalaba/systems/chaplygin_sleigh.hpp"
#include "kalaba/systems/spherical_pendulum.hpp"
#include "kalaba/systems/spherical_pendulum_lagrangian.hpp"
#include "kalaba/systems/swarm.hpp"
#include "kalaba/systems/two_particles_incline.hpp"

namespace kalaba {
namespace {

using namespace testing_models;
using reference::Instant;
using reference::Matrix;
using reference::Reading;
using reference::Vector;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

template <Model M>
Options options_of() {
  Options options;
  options.time = M::time;
  options.method.stabilization = default_stabilization<M>();
  options.threads = 1;
  return options;
}

template <Model M>
Simulation simulate(const Options& options = options_of<M>(), long members = 1) {
  return {make_reference_runner<M>(options), default_block<M>(members), options.time};
}

/// The default member of a model, run to the end of its default time.
template <Model M>
Simulation finished(Options options = options_of<M>(), double end = M::time.end) {
  options.time.end = end;
  Simulation simulation = simulate<M>(options);
  simulation.start(true);
  simulation.finish();
  EXPECT_EQ(simulation.status(), Status::ok);
  return simulation;
}

template <Model M>
Instant instant_of(const Simulation& simulation) {
  const auto vector = [](const std::vector<double>& values) {
    return Vector(Eigen::Map<const Vector>(values.data(), static_cast<long>(values.size())));
  };
  return {vector(simulation.column(simulation.block.parameters, Dim<M>::parameters)),
          simulation.time.at(simulation.step), vector(simulation.q()), vector(simulation.w())};
}

/// Default parameters, random state and time.
template <Model M>
Instant random_instant(unsigned seed) {
  std::mt19937 generator(seed);
  std::uniform_real_distribution<double> uniform(-2, 2);
  Instant x = instant_of<M>(simulate<M>());
  x.t = uniform(generator);
  for (double& value : x.q) value = uniform(generator);
  for (double& value : x.w) value = uniform(generator);
  return x;
}

void expect_near(const std::vector<double>& found, const std::vector<double>& expected, double tolerance) {
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t i = 0; i < found.size(); ++i) EXPECT_NEAR(found[i], expected[i], tolerance) << "component " << i;
}

void expect_near(const Matrix& found, const Matrix& expected, double tolerance) {
  ASSERT_EQ(found.rows(), expected.rows());
  ASSERT_EQ(found.cols(), expected.cols());
  EXPECT_LE((found - expected).cwiseAbs().maxCoeff(), tolerance) << found << "\nexpected\n" << expected;
}

// The figures of MECHANICS.md, which a DOP853 run with numpy's pinv gave.

TEST(ReferenceFigures, SphericalPendulumInMomenta) {
  const Simulation end = finished<SphericalPendulum>();
  expect_near(end.q(), {-0.31847147, -0.41008286, 0.85463909}, 1e-8);
  expect_near(end.w(), {-0.31879919, -2.26005732, -1.20324383}, 1e-8);
}

TEST(ReferenceFigures, SphericalPendulumInVelocities) {
  const Simulation end = finished<SphericalPendulumLagrangian>();
  expect_near(end.q(), {-0.31847147, -0.41008286, 0.85463909}, 1e-8);
  expect_near(end.w(), {-0.31879919, -2.26005732, -1.20324383}, 1e-8);
}

TEST(ReferenceFigures, TwoParticlesOnAnIncline) {
  for (const PseudoInverse method : {PseudoInverse::svd, PseudoInverse::qr}) {
    Options options = options_of<TwoParticlesIncline>();
    options.method.pseudo_inverse = method;
    Simulation end = finished<TwoParticlesIncline>(options);
    expect_near(end.q(), {9.33298203, -0.86346099, 9.83782813, -1.72667036}, 1e-8);
    std::vector<double> v = end.w();
    v[2] /= 2.0;  // m2 = 2
    v[3] /= 2.0;
    expect_near(v, {2.97797955, 1.74166481, 3.49590517, 2.04457247}, 1e-8);
    EXPECT_EQ(end.observe(Field::rank)[0], 2.0);
  }
}

TEST(ReferenceFigures, ChaplyginSleigh) {
  const Simulation end = finished<ChaplyginSleigh>();
  expect_near(end.q(), {2.48045395, 3.48413720, 1.22852369}, 1e-8);
  expect_near(end.w(), {1.13178591, 0.0, 0.0387489229}, 1e-8);
}

TEST(ReferenceFigures, SwarmWithoutFeedbackKeepsItsBeta) {
  const Reading<Swarm<5>> model;
  Options options = options_of<Swarm<5>>();
  options.project_start = false;
  Simulation swarm = simulate<Swarm<5>>(options);
  swarm.start(false);
  EXPECT_NEAR(model.psi(instant_of<Swarm<5>>(swarm)).norm(), 46.289831739115, 1e-11);
  swarm.finish();
  EXPECT_NEAR(model.psi(instant_of<Swarm<5>>(swarm)).norm(), 46.289831739115, 1e-8);
}

TEST(ReferenceFigures, SwarmWithFeedback) {
  const Reading<Swarm<5>> model;
  Simulation swarm = simulate<Swarm<5>>();
  std::fill(swarm.block.parameter(2).begin(), swarm.block.parameter(2).end(), 5.0);
  swarm.start(false);
  const auto beta = [&] { return model.psi(instant_of<Swarm<5>>(swarm)).norm(); };
  swarm.advance(1000);
  EXPECT_NEAR(beta(), 0.3118984328547427, 1e-8);
  swarm.advance(1000);
  EXPECT_NEAR(beta(), 2.1015551e-3, 1e-8);
  swarm.finish();
  EXPECT_NEAR(beta(), 6.43e-10, 1e-11);
  expect_near(swarm.q(),
              {3.38168975, 4.09369613, 3.41897416, 4.45359657, 3.77285537, 4.52940362, 3.95391915, 4.21633312,
               3.71256157, 3.94697055},
              1e-8);
}

TEST(ReferenceFigures, BeadOnARoughRing) {
  Options options = options_of<SlidingRing>();
  options.time.dt = 1e-3;
  Simulation ring = finished<SlidingRing>(options, 0.5);
  const double angle = 1.78360007;
  const double speed = 0.26863022;
  expect_near(ring.q(), {std::sin(angle), -std::cos(angle)}, 1e-8);
  expect_near(ring.w(), {speed * std::cos(angle), speed * std::sin(angle)}, 1e-8);
}

// A and b against the papers' own formulas, off the constraints too.

TEST(ReferenceTerms, SphericalPendulumInMomenta) {
  const Reading<SphericalPendulum> model;
  Instant x = random_instant<SphericalPendulum>(1);
  x.p[0] = 1.7;
  expect_near(model.constraint_matrix(x), x.q.transpose(), 1e-14);
  expect_near(model.constraint_rate(x), Vector::Constant(1, -x.w.squaredNorm() / 1.7), 1e-14);
}

TEST(ReferenceTerms, TwoParticlesOnAnIncline) {
  const Reading<TwoParticlesIncline> model;
  const Instant x = random_instant<TwoParticlesIncline>(2);
  const Eigen::RowVector2d d = (x.q.head(2) - x.q.tail(2)).transpose();
  const Vector v1 = x.w.head(2);
  const Vector v2 = x.w.tail(2) / 2.0;
  const Vector u = v1 - v2;
  const Eigen::RowVector2d zero = Eigen::RowVector2d::Zero();
  Matrix A(3, 4);
  A << d, -d / 2.0, d, zero, zero, d / 2.0;
  expect_near(model.constraint_matrix(x), A, 1e-14);
  expect_near(model.constraint_rate(x), Eigen::Vector3d(-u.squaredNorm(), -u.dot(v1), -u.dot(v2)), 1e-13);
}

TEST(ReferenceTerms, Swarm) {
  const Reading<Swarm<3>> model;
  const Instant x = random_instant<Swarm<3>>(3);
  Vector b = Vector::Zero(6);
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) {
      if (i == j) continue;
      const Vector d = x.q.segment(2 * i, 2) - x.q.segment(2 * j, 2);
      const Vector u = x.w.segment(2 * i, 2) - x.w.segment(2 * j, 2);
      const double r = d.norm();
      b.segment(2 * i, 2) -= u * (1 - 0.5 / r) + d * (0.5 * d.dot(u) / (r * r * r));
    }
  }
  expect_near(model.constraint_matrix(x), Matrix::Identity(6, 6), 0.0);
  expect_near(model.constraint_rate(x), b, 1e-13);
}

TEST(ReferenceTerms, MovingFrameCountsEveryTermOfPhi) {
  const Reading<MovingFrame> model;
  const Instant x = random_instant<MovingFrame>(4);
  const double t = x.t, q0 = x.q[0], q1 = x.q[1], w0 = x.w[0], w1 = x.w[1];
  // phi = q0^2 + t q1, q0' = t w0, q1' = q0 w1
  expect_near(model.phi_dot(x), Vector::Constant(1, 2 * q0 * t * w0 + q1 + t * q0 * w1), 1e-14);
  expect_near(model.constraint_matrix(x), Eigen::RowVector2d(2 * q0 * t, t * q0), 1e-14);
  const double phi_ddot = 2 * t * w0 * t * w0 + 2 * q0 * w0 + 2 * q0 * w1 + t * t * w0 * w1;
  expect_near(model.constraint_rate(x), Vector::Constant(1, -phi_ddot), 1e-13);
}

TEST(ReferenceTerms, FeedbackShiftsB) {
  const Reading<SphericalPendulumLagrangian> model;
  const Instant x = random_instant<SphericalPendulumLagrangian>(5);
  Method method;
  const Vector b = reference::evaluate_rate(model, method, x).b;
  method.stabilization = Stabilization::baumgarte(3, 4);
  const Vector shifted = reference::evaluate_rate(model, method, x).b;
  expect_near(shifted, b - 6 * model.phi_dot(x) - 16 * model.phi(x), 1e-12);
}

// The linear algebra.

TEST(ReferenceLinear, PseudoInverseMeetsPenrosesConditions) {
  for (const PseudoInverse method : {PseudoInverse::svd, PseudoInverse::qr}) {
    for (const auto& [rows, cols, rank] : {std::array{3, 4, 2}, std::array{4, 3, 3}, std::array{5, 5, 1}}) {
      std::srand(7);
      const Matrix B = Matrix::Random(rows, rank) * Matrix::Random(rank, cols);
      const auto [X, found] = reference::pseudo_inverse(B, method, 1e-6);
      EXPECT_EQ(found, rank);
      expect_near(B * X * B, B, 1e-13);
      expect_near(X * B * X, X, 1e-12);
      expect_near(B * X, (B * X).transpose(), 1e-13);
      expect_near(X * B, (X * B).transpose(), 1e-13);
    }
  }
}

TEST(ReferenceLinear, SingularValuesAtTheToleranceAreDropped) {
  const Matrix B = Eigen::Vector3d(4.0, 4.0 / 1024, 4.0 / 2048).asDiagonal();
  for (const PseudoInverse method : {PseudoInverse::svd, PseudoInverse::qr}) {
    const auto [X, rank] = reference::pseudo_inverse(B, method, 1.0 / 1024);
    EXPECT_EQ(rank, 1);
    expect_near(X, Eigen::Vector3d(0.25, 0, 0).asDiagonal(), 1e-16);
    EXPECT_EQ(reference::pseudo_inverse(Matrix::Zero(2, 3), method, 1e-6).rank, 0);
    EXPECT_EQ(reference::pseudo_inverse(Matrix::Zero(2, 3), method, 1e-6).matrix, Matrix::Zero(3, 2));
    EXPECT_TRUE(reference::pseudo_inverse(Matrix::Constant(2, 3, nan), method, 1e-6).matrix.hasNaN());
  }
}

TEST(ReferenceLinear, RootsOfTheMetric) {
  Matrix G(2, 2);
  G << 2, 1, 1, 3;
  const auto roots = reference::metric_root(G);
  ASSERT_TRUE(roots.positive_definite);
  expect_near(roots.root * roots.root, G, 1e-14);
  expect_near(roots.root * roots.inverse_root, Matrix::Identity(2, 2), 1e-14);
  expect_near(roots.inverse * G, Matrix::Identity(2, 2), 1e-14);
  EXPECT_TRUE(reference::metric_root(Eigen::Vector2d(1e-20, 1e20).asDiagonal()).positive_definite);
  EXPECT_FALSE(reference::metric_root(Matrix::Ones(2, 2)).positive_definite);
  EXPECT_FALSE(reference::metric_root(Eigen::Vector2d(1, -1).asDiagonal()).positive_definite);
  EXPECT_FALSE(reference::metric_root(Matrix::Constant(2, 2, nan)).positive_definite);
}

// Forces.

TEST(ReferenceForces, MultipliersGiveTheConstraintForce) {
  Simulation pendulum = finished<SphericalPendulumLagrangian>();
  const double lambda = pendulum.observe(Field::multipliers)[0];
  const std::vector<double> q = pendulum.q(), v = pendulum.w();
  const double speed = v[0] * v[0] + v[1] * v[1] + v[2] * v[2];
  EXPECT_NEAR(lambda, -(speed + 9.81 * q[2]), 1e-11);  // m = L = 1
  const std::vector<double> force = pendulum.column(pendulum.observe(Field::constraint_force), 3);
  expect_near(force, {lambda * q[0], lambda * q[1], lambda * q[2]}, 1e-11);
}

TEST(ReferenceForces, AMomentumsConstraintForceIsTheSame) {
  Simulation momenta = finished<SphericalPendulum>();
  Simulation velocities = finished<SphericalPendulumLagrangian>();
  expect_near(momenta.column(momenta.observe(Field::constraint_force), 3),
              velocities.column(velocities.observe(Field::constraint_force), 3), 1e-9);
}

TEST(ReferenceForces, FrictionDoesItsOwnVirtualWork) {
  const Reading<SlidingRing> model;
  const Instant x = instant_of<SlidingRing>(simulate<SlidingRing>());
  const reference::Rate rate = reference::evaluate_rate(model, Method{}, x);
  const Vector ideal = rate.A.transpose() * rate.multipliers;
  const Vector C = model.non_ideal(x, ideal);
  EXPECT_GT(C.norm(), 1.0);
  EXPECT_NEAR(x.w.dot(rate.constraint_force), x.w.dot(C), 1e-12);
  EXPECT_NEAR(rate.residual().norm(), 0.0, 1e-13);
}

TEST(ReferenceForces, WithoutConstraintsAProjectileFliesAParabola) {
  Simulation flight = finished<Projectile>();
  expect_near(flight.q(), {1.0, 2.0 - 4.905}, 1e-13);
  EXPECT_EQ(flight.observe(Field::rank)[0], 0.0);
  EXPECT_EQ(flight.observe(Field::residual)[0], 0.0);
  EXPECT_EQ(flight.observe(Field::violation)[0], 0.0);
  EXPECT_TRUE(flight.observe(Field::multipliers).empty());
  EXPECT_TRUE(flight.observe(Field::energy).empty());
}

// Stabilisation.

TEST(ReferenceProjection, HoldsTheConstraintsAtRoundingLevel) {
  Simulation held = finished<TwoParticlesIncline>();
  EXPECT_LE(held.observe(Field::violation)[0], 1e-14);
  Options plain = options_of<TwoParticlesIncline>();
  plain.method.stabilization = Stabilization::none();
  EXPECT_GT(finished<TwoParticlesIncline>(plain).observe(Field::violation)[0], 1e-13);
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
  Options options = options_of<SphericalPendulumLagrangian>();
  options.method.stabilization = Stabilization::baumgarte(10, 10);
  Simulation pendulum = simulate<SphericalPendulumLagrangian>(options);
  pendulum.block.coordinate(0)[0] += 0.1;
  pendulum.start(false);
  EXPECT_GT(pendulum.observe(Field::violation)[0], 0.05);
  pendulum.finish();
  EXPECT_LE(pendulum.observe(Field::violation)[0], 1e-8);
}

// Failures: the status, the time, and the last good state.

template <Model M>
Simulation failed(Status expected, double at, bool project = false,
                  Stabilization stabilization = Stabilization::none()) {
  Options options = options_of<M>();
  options.method.stabilization = stabilization;
  Simulation simulation = simulate<M>(options, 3);
  simulation.start(project);
  simulation.finish();
  EXPECT_EQ(simulation.status(), expected) << status_name(simulation.status());
  EXPECT_EQ(simulation.block.failure_time[0], at);
  for (const double value : simulation.block.q) EXPECT_TRUE(std::isfinite(value));
  for (const double value : simulation.block.w) EXPECT_TRUE(std::isfinite(value));
  return simulation;
}

TEST(ReferenceFailures, NanForce) {
  Options options = options_of<NanForce>();
  Simulation simulation = simulate<NanForce>(options, 2);
  simulation.block.parameter(1)[0] = 0.5;
  simulation.block.parameter(1)[1] = 100.0;
  simulation.start(true);
  simulation.advance(32);
  const std::vector<double> good = simulation.q();
  EXPECT_EQ(simulation.status(), Status::ok);
  simulation.finish();
  EXPECT_EQ(simulation.status(), Status::non_finite);
  EXPECT_EQ(simulation.block.failure_time[0], 0.5);
  EXPECT_EQ(simulation.q(), good);

  Simulation alone = simulate<NanForce>(options);
  alone.block.parameter(1)[0] = 100.0;
  alone.start(true);
  alone.finish();
  EXPECT_EQ(simulation.status(1), Status::ok);
  EXPECT_TRUE(std::isnan(simulation.block.failure_time[1]));
  EXPECT_EQ(simulation.q(1), alone.q());
}

TEST(ReferenceFailures, MetricNotPositiveDefinite) {
  Simulation end = failed<VanishingMass>(Status::singular_constraints, 1.0 - 1.0 / 64);
  expect_near(end.q(), {63.0 / 64, 2 * 63.0 / 64}, 1e-14);
}

TEST(ReferenceFailures, MetricBadAtTheStart) {
  Simulation simulation = simulate<VanishingMass>();
  simulation.block.parameter(1)[0] = -1.0;
  simulation.start(false);
  EXPECT_EQ(simulation.status(), Status::singular_constraints);
  EXPECT_EQ(simulation.block.failure_time[0], 0.0);
}

TEST(ReferenceFailures, ContradictoryAccelerations) { failed<TwoAccelerations>(Status::inconsistent_constraints, 0.0); }

TEST(ReferenceFailures, ContradictoryPlaces) {
  failed<TwoPlaces>(Status::inconsistent_constraints, 0.0, true);
  failed<TwoPlaces>(Status::inconsistent_constraints, 0.0, false, Stabilization::baumgarte(1, 1));
  failed<TwoPlaces>(Status::not_converged, 0.0, false, Stabilization::projection());
}

TEST(ReferenceFailures, UnreachableStart) {
  Simulation end = failed<NowhereCircle>(Status::inconsistent_constraints, 0.0, true);
  EXPECT_EQ(end.q(), (std::vector<double>{0.0, 0.0}));
  EXPECT_EQ(end.w(), (std::vector<double>{1.0, 2.0}));
}

TEST(ReferenceFailures, ValidityLeft) {
  // x = t reaches the limit 1 with the last step.
  Simulation end = failed<ShortTable>(Status::singular_constraints, 63.0 / 64);
  EXPECT_EQ(end.q()[0], 63.0 / 64);
}

TEST(ReferenceFailures, NonFiniteStart) {
  Simulation simulation = simulate<SphericalPendulum>(options_of<SphericalPendulum>(), 4);
  simulation.block.coordinate(1)[0] = nan;
  simulation.block.rate(1)[1] = std::numeric_limits<double>::infinity();
  simulation.block.parameter(2)[2] = nan;
  simulation.start(true);
  for (long member = 0; member < 3; ++member) EXPECT_EQ(simulation.status(member), Status::non_finite);
  EXPECT_EQ(simulation.status(3), Status::ok);
}

TEST(ReferenceFailures, SinglePrecisionIsRefused) {
  Options options = options_of<SphericalPendulum>();
  options.precision = Precision::single_precision;
  EXPECT_THROW(make_reference_runner<SphericalPendulum>(options), Error);
}

// What may not change a result.

TEST(ReferenceReproducibility, ThreadsChunksAndNeighbours) {
  Options options = options_of<TwoParticlesIncline>();
  options.time.end = 0.2;
  Simulation one = simulate<TwoParticlesIncline>(options);
  one.block.rate(0)[0] = -0.2;
  one.start(true);
  one.finish();
  for (const int threads : {1, 2, 3, 0}) {
    options.threads = threads;
    Simulation many = simulate<TwoParticlesIncline>(options, 70);
    many.block.rate(0)[68] = -0.2;
    many.start(true);
    while (many.step < options.time.steps()) many.advance(25);
    EXPECT_EQ(many.q(68), one.q());
    EXPECT_EQ(many.w(68), one.w());
    EXPECT_EQ(many.q(69), many.q(0));
    EXPECT_NE(many.q(69), many.q(68));
  }
}

TEST(ReferenceRank, ChangesAreCountedAcrossCalls) {
  for (const long chunk : {64L, 1L}) {
    Options options = options_of<SingularPose>();
    Simulation passing = simulate<SingularPose>(options);
    passing.start(false);
    while (passing.step < options.time.steps()) passing.advance(chunk);
    EXPECT_EQ(passing.status(), Status::ok);
    EXPECT_EQ(passing.block.rank_changes[0], 2.0);
  }
}

TEST(BlockTest, RoundsUpAndStartsAfresh) {
  Block block(2, 3, 1, 100);
  block.assign(40, 65);
  EXPECT_EQ(block.stride, 128);
  EXPECT_EQ(block.first, 40);
  EXPECT_EQ(block.coordinate(2).size(), 65U);
  EXPECT_EQ(block.coordinate(2).data() - block.coordinate(0).data(), 2 * block.stride);
  block.status[3] = Status::stopped;
  block.failure_time[3] = 1.0;
  block.rank_changes[3] = 2.0;
  block.carry.assign(5, 1.0);
  block.assign(105, 3);
  EXPECT_EQ(block.stride, Block::alignment);
  EXPECT_EQ(block.status[3], Status::ok);
  EXPECT_TRUE(std::isnan(block.failure_time[3]));
  EXPECT_EQ(block.rank_changes[3], 0.0);
  EXPECT_TRUE(block.carry.empty());
  EXPECT_THROW(block.assign(0, 129), Error);
  EXPECT_THROW(block.assign(0, -1), Error);
}

}  // namespace
}  // namespace kalaba
