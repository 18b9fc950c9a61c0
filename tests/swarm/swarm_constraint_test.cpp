#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <numeric>

#include "kalaba/ensemble.hpp"
#include "kalaba/error.hpp"
#include "kalaba/swarm.hpp"
#include "kalaba/swarm/agent_constraint.hpp"
#include "kalaba/swarm/agent_laws.hpp"
#include "support/error_of.hpp"
#include "swarm/swarm_motion.hpp"
#include "swarm/swarm_options.hpp"

namespace kalaba {
namespace {

using namespace swarm;
using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr double rest = 0.5;

/// The equation to the letter, with dense matrices and Eigen's pseudo-inverse: rows A_h of a held agent's phi beside
/// rows of its projector P, and the identity for the others; the projector's rate by differences.
struct Letter {
  static constexpr int n = 5;
  double kappa = 3;
  double mass = 2;
  VectorXd q = VectorXd(2 * n);
  VectorXd w = VectorXd(2 * n);
  OnCircle<2> circle{.centre = {1, -0.5}, .radius = 2};
  OnLine<2> line{.point = {4, 1}, .direction = {0.6, 0.8}};

  VectorXd gradient(const VectorXd& at) const {
    VectorXd g = VectorXd::Zero(2 * n);
    for (int i = 0; i < n; ++i) {
      for (int j = 0; j < n; ++j) {
        const Eigen::Vector2d d = at.segment<2>(2 * i) - at.segment<2>(2 * j);
        if (i != j) g.segment<2>(2 * i) += d * (1 - rest / d.norm());
      }
    }
    return g;
  }
  /// Tangent of agent 0 on the circle and agent 3 on the line, from their geometry.
  static Eigen::Vector2d tangent(int agent, const VectorXd& at) {
    if (agent == 3) return {0.6, 0.8};
    const Eigen::Vector2d from = at.segment<2>(0) - Eigen::Vector2d(1, -0.5);
    return Eigen::Vector2d(-from[1], from[0]) / from.norm();
  }
  /// P (beta) of all agents, as rows of the constraint psi(q, w) = P(q) (w + g(q)).
  MatrixXd projector(const VectorXd& at) const {
    MatrixXd p = MatrixXd::Identity(2 * n, 2 * n);
    for (const int agent : {0, 3}) {
      const Eigen::Vector2d e = tangent(agent, at);
      p.block<2, 2>(2 * agent, 2 * agent) = e * e.transpose();
    }
    return p;
  }
  VectorXd psi(const VectorXd& at) const { return projector(at) * (w + gradient(at)); }

  VectorXd acceleration() const {
    constexpr double h = 1e-6;
    const VectorXd psi_dot = (psi(q + h * w) - psi(q - h * w)) / (2 * h);  // at w' = 0
    MatrixXd a = MatrixXd::Zero(2 * n + 2, 2 * n);
    VectorXd b(2 * n + 2);
    a.topRows(2 * n) = projector(q);
    b.head(2 * n) = -psi_dot - kappa * psi(q);
    const Eigen::Vector2d from = q.segment<2>(0) - Eigen::Vector2d(1, -0.5);
    a.block<1, 2>(2 * n, 0) = from.transpose();  // |q - c|^2 = R^2, twice differentiated
    b[2 * n] = -w.segment<2>(0).squaredNorm();
    a.block<1, 2>(2 * n + 1, 6) << -0.8, 0.6;
    b[2 * n + 1] = 0;
    const double root = std::sqrt(mass);
    return (a / root).completeOrthogonalDecomposition().pseudoInverse() * b / root;
  }
};

TEST(SwarmConstraint, IsTheEquationToTheLetter) {
  Letter letter;
  letter.q << 1 + 2 * std::cos(0.7), -0.5 + 2 * std::sin(0.7), 2, 9, 5, 8, 4 + 0.6 * 3, 1 + 0.8 * 3, 5, 0;
  letter.w << -1.5 * std::sin(0.7), 1.5 * std::cos(0.7), 0.2, 0.1, 0.3, -0.4, 0.6 * 0.9, 0.8 * 0.9, 0.3, 0.3;
  const SwarmRules<2> rules{paper().plane.get(),
                            ParameterPlaces(1),
                            {.stabilization = Stabilization::none()},
                            PairSum::all_pairs,
                            1e-6,
                            {hold_agents<2>({0}, letter.circle), hold_agents<2>({3}, letter.line)}};
  SwarmMotion<2> motion(rules);
  motion.begin({letter.mass, rest, letter.kappa, 1, 5, 0, 0}, 5, 1);
  for (int d = 0; d < 2; ++d) {
    for (int i = 0; i < 5; ++i) {
      motion.x()[d][i] = letter.q[2 * i + d];
      motion.w()[d][i] = letter.w[2 * i + d];
    }
  }
  ASSERT_TRUE(motion.evaluate(0)) << motion.reason();
  const VectorXd expected = letter.acceleration();
  const VectorXd beta = letter.psi(letter.q);
  for (int d = 0; d < 2; ++d) {
    for (int i = 0; i < 5; ++i) {
      EXPECT_NEAR(motion.acceleration()[d][i], expected[2 * i + d], 1e-6 * expected.norm()) << i;
      EXPECT_NEAR(motion.beta()[d][i], beta[2 * i + d], 1e-12 * beta.norm()) << i;
    }
  }
  EXPECT_LT(motion.held_violation(), 1e-14);
  EXPECT_LT(motion.held_residual(), 1e-12);
}

/// Alone, nothing drives it: along its constraint it keeps its speed, or loses it at the rate kappa.
template <class C>
void expect_speed_along(const C& law, double kappa) {
  const System system = make_swarm(paper(), 1, 3, {hold_agents<3>({0}, law)});
  Ensemble ensemble(system, 1);
  const double q[] = {2.1, 0.3, -0.2};
  const double w[] = {0.4, 1.5, -0.8};
  const char* axes[] = {"x", "y", "z"};
  for (int d = 0; d < 3; ++d) {
    ensemble.initial(axes[d])[0] = q[d];
    ensemble.initial(std::string(axes[d]) + "_dot")[0] = w[d];
  }
  ensemble.parameter("kappa")[0] = kappa;
  Options options = options_of(system);
  options.project_start = false;
  options.time = {.end = 2, .dt = 1e-3, .save_every = 1};
  const Result result = run(ensemble, options);
  const auto speed = [&](std::size_t frame) {
    double v = 0;
    for (const char* axis : axes) v = std::hypot(v, result.values(std::string(axis) + "_dot", frame)[0]);
    return v;
  };
  EXPECT_GT(speed(1), 0.05);
  EXPECT_NEAR(speed(2000), speed(1) * std::exp(-kappa * 1.999), 1e-10);
  Vec<double, 3> end = {};
  for (int d = 0; d < 3; ++d) end[d] = result.values(axes[d], 2000)[0];
  for (int r = 0; r < C::equations; ++r) EXPECT_NEAR(law.phi(2.0, end)[r], 0, 1e-12);
}

TEST(SwarmConstraint, AnAgentAloneKeepsItsSpeedInSpace) {
  const Vec<double, 3> tilted = {2.0 / 7, 3.0 / 7, 6.0 / 7};
  expect_speed_along(OnCircle<3>{.centre = {0.1, 0, 0}, .radius = 2, .normal = tilted}, 0);
  expect_speed_along(OnCircle<3>{.centre = {0.1, 0, 0}, .radius = 2, .normal = tilted}, 0.8);
  expect_speed_along(OnLine<3>{.point = {2, 0, 0}, .direction = tilted}, 0);
  expect_speed_along(OnLine<3>{.point = {2, 0, 0}, .direction = tilted}, 0.8);
}

/// A pair, one fixed, one on a circle: R angle' = -(grad G along the circle), the swarm's own law of first order.
TEST(SwarmConstraint, AlongTheCircleItKeepsToTheSwarmsLaw) {
  constexpr double fixed[] = {3, 1};
  const System system =
      make_swarm(paper(), 2, 2,
                 {hold_agents<2>({1}, OnTurningCircle<2>{.centre = {2, 1}, .radius = 1}),  // which does not turn
                  hold_agents<2>({0}, OnCircle<2>{.radius = 2})});
  Ensemble ensemble(system, 1);
  ensemble.initial("x")[0] = 0;
  ensemble.initial("y")[0] = 2.5;  // not on the circle: it is put there
  ensemble.initial("x")[1] = fixed[0] + 0.2;
  ensemble.initial("y")[1] = fixed[1];
  Options options = options_of(system);
  options.time = {.end = 1, .dt = 1e-3, .save_every = 1000};
  const Result result = run(ensemble, options);
  double angle = std::acos(0.0);
  const auto slope = [&](double a) {
    const double x = 2 * std::cos(a) - fixed[0];
    const double y = 2 * std::sin(a) - fixed[1];
    return -(1 - rest / std::hypot(x, y)) * (y * std::cos(a) - x * std::sin(a)) / 2;
  };
  for (int step = 0; step < 1000; ++step) {
    constexpr double h = 1e-3;
    const double k1 = slope(angle);
    const double k2 = slope(angle + h / 2 * k1);
    const double k3 = slope(angle + h / 2 * k2);
    angle += h / 6 * (k1 + 2 * k2 + 2 * k3 + slope(angle + h * k3));
  }
  EXPECT_NEAR(result.values("x", 1)[0], 2 * std::cos(angle), 1e-9);
  EXPECT_NEAR(result.values("y", 1)[0], 2 * std::sin(angle), 1e-9);
  EXPECT_NEAR(result.values("x", 1)[1], fixed[0], 1e-13);
  EXPECT_NEAR(result.values("beta_norm", 1)[0], 0, 1e-8);
  EXPECT_LT(result.values("violation", 1)[0], 1e-8);
}

TEST(SwarmConstraint, ALeaderIsWhereItsPathIs) {
  const std::vector<double> times = {0, 0.3, 0.9, 1.4, 2};
  std::vector<Vec<double, 2>> points;
  for (const double t : times) points.push_back({1 + t - t * t * t, 2 * t * t});  // the spline is this cubic itself
  const System system = make_swarm(paper(), 6, 2, {hold_agents<2>({4}, OnPath<2>(times, points))});
  const Ensemble ensemble(system, 1);
  Options options = options_of(system);
  options.time = {.end = 2, .dt = 1e-2, .save_every = 40};
  options.fields = {Field::q, Field::w, Field::constraint_force, Field::violation, Field::invariants};
  const Result result = run(ensemble, options);
  EXPECT_EQ(result.status()[0], Status::ok) << result.summary.first_failure();
  for (std::size_t frame = 0; frame < result.times().size(); ++frame) {
    const double t = result.times()[frame];
    EXPECT_NEAR(result.values("x", frame)[4], 1 + t - t * t * t, 1e-12);
    EXPECT_NEAR(result.values("y", frame)[4], 2 * t * t, 1e-12);
    EXPECT_NEAR(result.values("x_dot", frame)[4], 1 - 3 * t * t, 1e-11);
    EXPECT_NEAR(result.values("force_y_dot", frame)[4], 2 * 4, 1e-9);  // of its mass of 2 kg
  }
  EXPECT_LT(result.values("violation", 5)[0], 1e-4);  // the followers', of the integrator
}

TEST(SwarmConstraint, APathOfTwoPointsIsALineAndOfThreeAParabola) {
  const OnPath<2> line({1, 3}, {{0, 0}, {4, -2}});
  EXPECT_NEAR(line.at(2).phi(2.0, Vec<double, 2>{2, -1})[0], 0, 1e-15);
  EXPECT_NEAR(line.at(4).phi(4.0, Vec<double, 2>{6, -3})[1], 0, 1e-15);
  const OnPath<2> parabola({0, 1, 3}, {{0, 1}, {1, 1}, {9, 1}});
  for (const double t : {0.5, 1.5, 2.5}) EXPECT_NEAR(parabola.at(t).phi(t, Vec<double, 2>{t * t, 1})[0], 0, 1e-14);
  EXPECT_THROW(OnPath<2>({0, 0}, {{0, 0}, {1, 1}}), Error);
  EXPECT_THROW(OnPath<2>({0}, {{0, 0}}), Error);
}

/// Enough agents for several packs and threads; a permutation of them permutes what they do.
TEST(SwarmConstraint, NumbersThreadsAndPacksDecideNothing) {
  constexpr long agents = 700;
  const auto run_numbered = [&](int threads, bool reversed) {
    std::vector<long> held;
    for (long i = 0; i < 401; ++i) held.push_back(reversed ? agents - 1 - i : i);
    const System system = make_swarm(paper(), agents, 2, {hold_agents<2>(held, OnCircle<2>{.radius = 8})});
    Ensemble ensemble(system, 1);
    for (const char* axis : {"x", "y"}) {
      if (reversed) std::ranges::reverse(ensemble.initial(axis));
    }
    Options options = options_of(system);
    options.threads = threads;
    options.time = {.end = 2e-3, .dt = 1e-3, .save_every = 2};
    return run(ensemble, options);
  };
  const Result one = run_numbered(1, false);
  const Result three = run_numbered(3, false);
  const Result reversed = run_numbered(1, true);
  EXPECT_EQ(one.status()[0], Status::ok) << one.summary.first_failure();
  for (const char* name : {"x", "y_dot"}) {
    const auto values = one.values(name, 1);
    EXPECT_TRUE(std::ranges::equal(values, three.values(name, 1))) << name;
    for (std::size_t i = 0; i < agents; ++i) EXPECT_NEAR(reversed.values(name, 1)[agents - 1 - i], values[i], 1e-9);
  }
  double off = 0;
  for (std::size_t i = 0; i < 401; ++i) {
    off = std::max(off, std::abs(std::hypot(one.values("x", 1)[i], one.values("y", 1)[i]) - 8));
  }
  EXPECT_LT(off, 1e-13);
}

TEST(SwarmConstraint, AnAgentThatCannotBePutOnItIsNamed) {
  const System system = make_swarm(paper(), 3, 2, {hold_agents<2>({2}, OnCircle<2>{.centre = {5, 5}, .radius = 2})});
  Ensemble ensemble(system, 2);
  ensemble.initial("x")[2 * 2 + 1] = 5;  // agent 2 of member 1, at the centre
  ensemble.initial("y")[2 * 2 + 1] = 5;
  const Result result = run(ensemble, options_of(system));
  EXPECT_EQ(result.status(), (std::vector{Status::ok, Status::not_converged}));
  EXPECT_NE(result.summary.first_failure().find("member 1: agent 2, which a circle holds, cannot be put on it"),
            std::string::npos)
      << result.summary.first_failure();
}

TEST(SwarmConstraint, HowFarItIsOffIsReported) {
  const System system = make_swarm(paper(), 1, 2, {hold_agents<2>({0}, OnCircle<2>{.radius = 2})});
  Ensemble ensemble(system, 1);
  ensemble.initial("x")[0] = 2.2;
  ensemble.initial("y")[0] = 0;
  Options options = options_of(system);
  options.project_start = false;
  const Result result = run(ensemble, options);
  EXPECT_NEAR(result.values("violation", 0)[0], (2.2 * 2.2 - 4) / 4, 1e-14);
  EXPECT_NEAR(result.values("violation", 1)[0], 0, 1e-14);
}

TEST(SwarmConstraint, AgentsThatDoNotTakePartAreNotHeld) {
  const System system = make_swarm(paper(), 4, 2, {hold_agents<2>({3, 1}, OnCircle<2>{.radius = 3})});
  Ensemble ensemble(system, 1);
  ensemble.parameter("active")[0] = 3;
  const Result result = run(ensemble, options_of(system));
  EXPECT_EQ(result.status()[0], Status::ok) << result.summary.first_failure();
  EXPECT_NEAR(std::hypot(result.values("x", 5)[1], result.values("y", 5)[1]), 3, 1e-14);
  EXPECT_TRUE(std::isnan(result.values("y", 5)[3]));
}

TEST(SwarmConstraint, WhatNoSwarmCanHaveIsRefused) {
  const auto refusal = [](int dimension, std::vector<AgentConstraint> constraints) -> std::string {
    return test::message_of([&] { make_swarm(paper(), 4, dimension, std::move(constraints)); });
  };
  EXPECT_EQ(refusal(2, {hold_agents<2>({4}, OnLine<2>{})}),
            "a swarm's constraint line: expected agents from 0 to 3, found 4");
  EXPECT_EQ(refusal(2, {hold_agents<2>({1}, OnLine<2>{}), hold_agents<2>({0, 1}, OnCircle<2>{})}),
            "a swarm's constraint circle: agent 1 is held twice");
  EXPECT_EQ(refusal(3, {hold_agents<2>({1}, OnLine<2>{})}), "a swarm's constraint line: expected one in 3 dimensions");
}

}  // namespace
}  // namespace kalaba
