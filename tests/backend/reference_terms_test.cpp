#include <gtest/gtest.h>

#include <array>
#include <cstdlib>
#include <limits>

#include "backend/reference/linear.hpp"
#include "backend/reference/rate.hpp"
#include "conformance/reference_simulation.hpp"
#include "conformance/small_models.hpp"
#include "kalaba/systems/spherical_pendulum.hpp"
#include "kalaba/systems/spherical_pendulum_lagrangian.hpp"
#include "kalaba/systems/swarm_matrix.hpp"
#include "kalaba/systems/two_particles_incline.hpp"

namespace kalaba {
namespace {

using namespace conformance;
using reference::Reading;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

// A and b compared with the papers' formulas, also off the constraints.

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
  const Reading<SwarmMatrix<3>> model;
  const Instant x = random_instant<SwarmMatrix<3>>(3);
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
      const auto inverse = reference::pseudo_inverse(B, method, {1e-6, 1e-6});
      const Matrix& X = inverse.matrix;
      EXPECT_EQ(inverse.rank, rank);
      EXPECT_GT(inverse.sigma_kept, 1e-6);
      EXPECT_LE(inverse.sigma_dropped, 1e-14);
      expect_near(B * X * B, B, 1e-13);
      expect_near(X * B * X, X, 1e-12);
      expect_near(B * X, (B * X).transpose(), 1e-13);
      expect_near(X * B, (X * B).transpose(), 1e-13);
    }
  }
}

TEST(ReferenceLinear, SingularValuesBelowTheToleranceAreDropped) {
  // Rows at an angle of 2e in the plane: of unit length, with singular values sqrt(2) cos e and sqrt(2) sin e.
  for (const PseudoInverse method : {PseudoInverse::svd, PseudoInverse::qr}) {
    for (const double scale : {1.0, 1e8, 1e-8}) {
      for (const double angle : {1e-5, 1e-7}) {
        Matrix B(2, 2);
        B << scale * std::cos(angle), scale * std::sin(angle), std::cos(angle), -std::sin(angle);
        EXPECT_EQ(reference::pseudo_inverse(B, method, {1e-6, 1e-6}).rank, angle > 1e-6 ? 2 : 1) << scale;
      }
    }
    EXPECT_EQ(reference::pseudo_inverse(Matrix::Zero(2, 3), method, {1e-6, 1e-6}).rank, 0);
    EXPECT_EQ(reference::pseudo_inverse(Matrix::Zero(2, 3), method, {1e-6, 1e-6}).matrix, Matrix::Zero(3, 2));
    EXPECT_TRUE(reference::pseudo_inverse(Matrix::Constant(2, 3, nan), method, {1e-6, 1e-6}).matrix.hasNaN());
  }
}

TEST(ReferenceLinear, RootsOfTheMetric) {
  Matrix G(2, 2);
  G << 2, 1, 1, 3;
  const auto roots = reference::metric_root(G);
  ASSERT_TRUE(roots.positive_definite);
  expect_near(roots.root.transpose() * roots.root, G, 1e-14);
  expect_near(roots.root * roots.inverse_root, Matrix::Identity(2, 2), 1e-14);
  expect_near(roots.inverse * G, Matrix::Identity(2, 2), 1e-14);
  EXPECT_TRUE(reference::metric_root(Eigen::Vector2d(1e-20, 1e20).asDiagonal()).positive_definite);
  EXPECT_FALSE(reference::metric_root(Matrix::Ones(2, 2)).positive_definite);
  EXPECT_FALSE(reference::metric_root(Eigen::Vector2d(1, -1).asDiagonal()).positive_definite);
  EXPECT_FALSE(reference::metric_root(Matrix::Constant(2, 2, nan)).positive_definite);
}

TEST(ReferenceLinear, RootsOfTheMetricKeepTheirAccuracyInOtherUnits) {
  Matrix G(3, 3);
  G << 1.2, 0.1, 0.02, 0.1, 0.7, -0.03, 0.02, -0.03, 0.01;
  const auto roots = reference::metric_root(G);
  for (const double length : {0x1p-20, 0x1p-30, 0x1p20}) {
    const Matrix units = Eigen::Vector3d(1, 1, length).asDiagonal();
    const Matrix inverse_units = Eigen::Vector3d(1, 1, 1 / length).asDiagonal();
    const auto scaled = reference::metric_root(units * G * units);
    ASSERT_TRUE(scaled.positive_definite) << length;
    EXPECT_EQ(scaled.root, roots.root * units) << length;
    EXPECT_EQ(scaled.inverse_root, inverse_units * roots.inverse_root) << length;
    EXPECT_EQ(scaled.inverse, inverse_units * roots.inverse * inverse_units) << length;
  }
}

}  // namespace
}  // namespace kalaba
