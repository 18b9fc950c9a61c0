// A and b as differentiated by the core from phi and psi, compared with the formulas of the papers.

#include "kalaba/core/model/constraint.hpp"

#include <gtest/gtest.h>

#include "kalaba/systems/chaplygin_sleigh.hpp"
#include "kalaba/systems/spherical_pendulum.hpp"
#include "kalaba/systems/spherical_pendulum_lagrangian.hpp"
#include "kalaba/systems/swarm_matrix.hpp"
#include "kalaba/systems/two_particles_incline.hpp"

namespace kalaba {
namespace {

template <class M>
struct Derived {
  Mat<double, Dim<M>::constraints, Dim<M>::w> a;
  ConstraintState<M, double> state;
};

template <class M>
Derived<M> derive(const Vec<double, Dim<M>::parameters>& parameters, const Vec<double, Dim<M>::q>& q,
                  const Vec<double, Dim<M>::w>& w) {
  Derived<M> derived;
  const auto p = prepared<M>(parameters);
  constraint_matrix<M>(Solo{}, p, 0.7, q, w, derived.a);
  derived.state.evaluate(Solo{}, p, 0.7, q, w);
  return derived;
}

constexpr double tolerance = 1e-14;

TEST(DerivedConstraint, SphericalPendulumUdwadia2016Section41) {
  const Vec<double, 3> q{0.3, -0.4, 0.8};
  const Vec<double, 3> p{0.5, 0.7, -0.2};
  const double m = 1.7;
  const auto derived = derive<SphericalPendulum>({m, 1.2, 9.81}, q, p);
  for (int i = 0; i < 3; ++i) EXPECT_NEAR(derived.a(0, i), q[i], tolerance);
  EXPECT_NEAR(derived.state.b[0], -dot(p, p) / m, tolerance);
  EXPECT_NEAR(derived.state.rate[0], dot(q, p), tolerance);

  const auto lagrangian = derive<SphericalPendulumLagrangian>({m, 1.2, 9.81}, q, p);
  for (int i = 0; i < 3; ++i) EXPECT_NEAR(lagrangian.a(0, i), q[i], tolerance);
  EXPECT_NEAR(lagrangian.state.b[0], -dot(p, p), tolerance);
}

TEST(DerivedConstraint, TwoParticlesUdwadia2016Equation55) {
  const double m1 = 1.3;
  const double m2 = 2.1;
  const Vec<double, 4> q{0.3, -0.4, 0.8, 0.1};
  const Vec<double, 4> p{0.5, 0.7, -0.2, 0.4};
  const auto derived = derive<TwoParticlesIncline>({m1, m2, 1, 0.5, 9.81}, q, p);
  const double dx = q[0] - q[2];
  const double dy = q[1] - q[3];
  const double expected[3][4] = {
      {dx / m1, dy / m1, -dx / m2, -dy / m2}, {dx / m1, dy / m1, 0, 0}, {0, 0, dx / m2, dy / m2}};
  for (int r = 0; r < 3; ++r) {
    for (int i = 0; i < 4; ++i) EXPECT_NEAR(derived.a(r, i), expected[r][i], tolerance) << r << ' ' << i;
  }
  const double p12 = p[0] * p[2] + p[1] * p[3];
  const double p1 = p[0] * p[0] + p[1] * p[1];
  const double p2 = p[2] * p[2] + p[3] * p[3];
  EXPECT_NEAR(derived.state.b[0], 2 * p12 / (m1 * m2) - p1 / (m1 * m1) - p2 / (m2 * m2), tolerance);
  EXPECT_NEAR(derived.state.b[1], p12 / (m1 * m2) - p1 / (m1 * m1), tolerance);
  EXPECT_NEAR(derived.state.b[2], p2 / (m2 * m2) - p12 / (m1 * m2), tolerance);
}

TEST(DerivedConstraint, ChaplyginSleighHoldsTheLateralVelocity) {
  const auto derived = derive<ChaplyginSleigh>({2, 0.7, 0.3}, {1, 2, 0.4}, {1.1, 0.2, 0.8});
  EXPECT_EQ(derived.a(0, 0), 0);
  EXPECT_EQ(derived.a(0, 1), 1);
  EXPECT_EQ(derived.a(0, 2), 0);
  EXPECT_EQ(derived.state.b[0], 0);
  EXPECT_EQ(derived.state.rate[0], 0.2);
}

TEST(DerivedConstraint, SwarmZhaoEtAlSection82) {
  using M = SwarmMatrix<3>;
  const Vec<double, 6> q{0, 0, 2, 9, 5, 8};
  const Vec<double, 6> w{0.1, -0.1, 0.2, 0.3, 0.3, -0.4};
  const double c = 0.5;
  const auto derived = derive<M>({2, c, 0}, q, w);
  for (int i = 0; i < 3; ++i) {
    double b[2] = {0, 0};
    double beta[2] = {w[2 * i], w[2 * i + 1]};
    for (int j = 0; j < 3; ++j) {
      if (j == i) continue;
      const double d[2] = {q[2 * i] - q[2 * j], q[2 * i + 1] - q[2 * j + 1]};
      const double v[2] = {w[2 * i] - w[2 * j], w[2 * i + 1] - w[2 * j + 1]};
      const double r = std::hypot(d[0], d[1]);
      const double along = d[0] * v[0] + d[1] * v[1];
      for (int k = 0; k < 2; ++k) {
        b[k] -= v[k] * (1 - c / r) + c * d[k] * along / (r * r * r);
        beta[k] += d[k] * (1 - c / r);
      }
    }
    for (int k = 0; k < 2; ++k) {
      EXPECT_NEAR(derived.state.b[2 * i + k], b[k], 1e-13) << i;
      EXPECT_NEAR(derived.state.rate[2 * i + k], beta[k], 1e-13) << i;
      for (int j = 0; j < 6; ++j) EXPECT_EQ(derived.a(2 * i + k, j), j == 2 * i + k ? 1 : 0);
    }
  }
}

/// Second-order and first-order numbers compared with central differences of a composed function.
template <class J>
J composed(const J& x) {
  return sin(x) * exp(x * 0.3) / (1.0 + x * x) + sqrt(2.0 + cos(x)) - log(3.0 + x) * tanh(x) + pow(2.0 + x, 2.5) +
         atan2(x, 1.0 + x * x) - tan(x * 0.2) * abs(x - 2.0);
}

TEST(Differentiation, AgreesWithDifferences) {
  const double x = 0.7;
  const double h = 1e-4;
  const double second = (composed(x + h) - 2 * composed(x) + composed(x - h)) / (h * h);
  const double first = (composed(x + h) - composed(x - h)) / (2 * h);
  const auto taylor = composed(Taylor<double>(x, 1, 0));
  EXPECT_NEAR(taylor.value, composed(x), 1e-14);
  EXPECT_NEAR(taylor.first, first, 1e-7);
  EXPECT_NEAR(taylor.second, second, 1e-6);
  Dual<double, 2> dual(x);
  dual.slope[1] = 2;
  EXPECT_NEAR(composed(dual).slope[1], 2 * taylor.first, 1e-13);
  EXPECT_EQ(composed(dual).slope[0], 0);
}

}  // namespace
}  // namespace kalaba
