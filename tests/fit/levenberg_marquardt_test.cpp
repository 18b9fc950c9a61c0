// The optimizer only, for functions with a known minimum.

#include "fit/levenberg_marquardt.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>

namespace kalaba::fit {
namespace {

constexpr double inf = std::numeric_limits<double>::infinity();

/// Residuals and Jacobian of a function of two variables.
using Function = std::function<void(const Eigen::VectorXd& x, Eigen::VectorXd& r, Eigen::MatrixXd& J)>;

NormalEquations equations_of(const Function& function, const Eigen::VectorXd& x) {
  Eigen::VectorXd r;
  Eigen::MatrixXd J;
  function(x, r, J);
  return {Status::ok, r.squaredNorm(), J.transpose() * r, J.transpose() * J};
}

LevenbergMarquardt searched(const Function& function, const Eigen::Vector2d& first,
                            const Eigen::Vector2d& low = {-inf, -inf}, const Eigen::Vector2d& high = {inf, inf},
                            int most = 200) {
  LevenbergMarquardt search(first, low, high, Eigen::Vector2d(1e-30, 1e-30), most);
  int evaluations = 0;
  while (search.outcome() == Outcome::searching && ++evaluations < 1000) {
    EXPECT_TRUE((search.trial().array() >= low.array()).all() && (search.trial().array() <= high.array()).all());
    search.take(equations_of(function, search.trial()));
  }
  EXPECT_LT(evaluations, 1000) << "it ends";
  return search;
}

/// Rosenbrock [1960]: a curved valley with its minimum at (1, 1).
void rosenbrock(const Eigen::VectorXd& x, Eigen::VectorXd& r, Eigen::MatrixXd& J) {
  r = Eigen::Vector2d(10 * (x[1] - x[0] * x[0]), 1 - x[0]);
  J = Eigen::Matrix2d({{-20 * x[0], 10}, {-1, 0}});
}

TEST(LevenbergMarquardt, FollowsABentValley) {
  const LevenbergMarquardt search = searched(rosenbrock, {-1.2, 1});
  EXPECT_EQ(search.outcome(), Outcome::converged);
  EXPECT_NEAR(search.values()[0], 1, 1e-9);
  EXPECT_NEAR(search.values()[1], 1, 1e-9);
  EXPECT_LT(search.iterations(), 60);
}

TEST(LevenbergMarquardt, StepsAreFreeOfUnits) {
  const double unit = 1e7;
  const Function scaled = [&](const Eigen::VectorXd& x, Eigen::VectorXd& r, Eigen::MatrixXd& J) {
    rosenbrock(Eigen::Vector2d(x[0] / unit, x[1]), r, J);
    J.col(0) /= unit;
  };
  const LevenbergMarquardt one = searched(rosenbrock, {-1.2, 1});
  const LevenbergMarquardt other = searched(scaled, {-1.2 * unit, 1});
  EXPECT_EQ(one.iterations(), other.iterations());
  EXPECT_NEAR(other.values()[0], unit, 1e-9 * unit);
}

/// With x0 ≤ 0.5 the minimum of the valley is at (0.5, 0.25), where the gradient is not zero.
TEST(LevenbergMarquardt, StopsAtABoundThatHoldsIt) {
  const LevenbergMarquardt search = searched(rosenbrock, {-1.2, 1}, {-2, -2}, {0.5, 2});
  EXPECT_EQ(search.outcome(), Outcome::converged);
  EXPECT_EQ(search.values()[0], 0.5);
  EXPECT_NEAR(search.values()[1], 0.25, 1e-8);
}

TEST(LevenbergMarquardt, LeavesABoundThatDoesNot) {
  const LevenbergMarquardt search = searched(rosenbrock, {-2, 2}, {-2, -2}, {2, 2});
  EXPECT_EQ(search.outcome(), Outcome::converged);
  EXPECT_NEAR(search.values()[0], 1, 1e-9);
}

/// The sum of squares is (x0 − 3)² + 1: it is not zero at the minimum, and does not depend on x1.
TEST(LevenbergMarquardt, LeavesAVariableThatDoesNothing) {
  const Function one = [](const Eigen::VectorXd& x, Eigen::VectorXd& r, Eigen::MatrixXd& J) {
    r = Eigen::Vector2d(x[0] - 3, 1);
    J = Eigen::Matrix2d({{1, 1e-17}, {0, 1e-17}});  // rounding
  };
  const LevenbergMarquardt search = searched(one, {7, 5});
  EXPECT_EQ(search.outcome(), Outcome::converged);
  EXPECT_NEAR(search.values()[0], 3, 1e-9);
  EXPECT_EQ(search.values()[1], 5);
  EXPECT_NEAR(search.cost(), 1, 1e-12);
}

/// Beyond x0 = 0 there is no motion: the search continues before it.
TEST(LevenbergMarquardt, TurnsBackWhereMotionsFail) {
  LevenbergMarquardt search(Eigen::Vector2d(-1.2, 1), Eigen::Vector2d(-inf, -inf), Eigen::Vector2d(inf, inf),
                            Eigen::Vector2d(0, 0), 500);
  while (search.outcome() == Outcome::searching) {
    NormalEquations at = equations_of(rosenbrock, search.trial());
    if (search.trial()[0] > 0) at.status = Status::non_finite;
    search.take(at);
  }
  EXPECT_EQ(search.outcome(), Outcome::stuck);
  EXPECT_EQ(search.status(), Status::non_finite);
  EXPECT_LE(search.values()[0], 0);
  EXPECT_GT(search.values()[0], -0.01);
}

TEST(LevenbergMarquardt, SaysThatItHasNotBegun) {
  LevenbergMarquardt search(Eigen::Vector2d(1, 1), Eigen::Vector2d(-inf, -inf), Eigen::Vector2d(inf, inf),
                            Eigen::Vector2d(0, 0), 10);
  NormalEquations at = equations_of(rosenbrock, search.trial());
  at.normal(0, 0) = std::nan("");
  search.take(at);
  EXPECT_EQ(search.outcome(), Outcome::failed);
}

TEST(LevenbergMarquardt, EndsWithItsIterations) {
  const LevenbergMarquardt search = searched(rosenbrock, {-1.2, 1}, {-inf, -inf}, {inf, inf}, 3);
  EXPECT_EQ(search.outcome(), Outcome::out_of_iterations);
  EXPECT_EQ(search.iterations(), 3);
}

}  // namespace
}  // namespace kalaba::fit
