// Errors, correlations and directions of problems with closed-form solutions.

#include "fit/estimate.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace kalaba::fit {
namespace {

/// Problem with this number of free variables without bounds; `sigma`: known, or 0.
Problem problem_of(std::size_t variables, double sigma) {
  Problem problem;
  for (std::size_t j = 0; j < variables; ++j)
    problem.free.push_back({.name = std::string(1, 'a' + static_cast<char>(j))});
  problem.data.columns = {"x"};
  if (sigma > 0) problem.data.sigmas = {sigma};
  return problem;
}

/// Straight line c0 + c1 t through values at t = 0 ... n − 1 with errors of ±1 in turn.
struct Line {
  static constexpr int n = 12;
  Eigen::MatrixXd J = Eigen::MatrixXd(n, 2);
  Eigen::VectorXd r = Eigen::VectorXd(n);
  Line() {
    for (int i = 0; i < n; ++i) {
      J(i, 0) = 1;
      J(i, 1) = i;
      r[i] = i % 2 == 0 ? 1 : -1;
    }
  }
};

TEST(Estimate, ErrorsOfALine) {
  const Line line;
  const Problem problem = problem_of(2, 0);
  Estimate estimate;
  estimate.values = {2, 3};
  analyse(problem, line.J, line.r, 10, estimate);
  // The textbook: var(c1) = s² / Σ (t − t̄)², var(c0) = s² (1/n + t̄² / Σ (t − t̄)²), s² = Σ r² / (n − 2).
  const double mean = (Line::n - 1) / 2.0;
  const double spread = Line::n * (Line::n * Line::n - 1) / 12.0;
  const double s = std::sqrt(Line::n / (Line::n - 2.0));
  EXPECT_EQ(estimate.freedom, Line::n - 2);
  EXPECT_NEAR(estimate.deviation, s, 1e-14);
  EXPECT_NEAR(estimate.errors[1], s / std::sqrt(spread), 1e-14);
  EXPECT_NEAR(estimate.errors[0], s * std::sqrt(1.0 / Line::n + mean * mean / spread), 1e-13);
  EXPECT_NEAR(estimate.correlation[0][1], -mean / std::sqrt(spread / Line::n + mean * mean), 1e-13);
  EXPECT_EQ(estimate.correlation[0][0], 1);
  const double student = 2.228138851986274;  // of 10 degrees, 97.5 %
  EXPECT_NEAR(estimate.high[1], 3 + student * estimate.errors[1], 1e-12);
  EXPECT_NEAR(estimate.low[1], 3 - student * estimate.errors[1], 1e-12);
}

TEST(Estimate, KnownSigmasAreTaken) {
  const Line line;
  Estimate estimate;
  estimate.values = {2, 3};
  analyse(problem_of(2, 0.5), line.J, line.r, 10, estimate);
  const double spread = Line::n * (Line::n * Line::n - 1) / 12.0;
  EXPECT_EQ(estimate.deviation, 1);
  EXPECT_NEAR(estimate.errors[1], 1 / std::sqrt(spread), 1e-14);
  EXPECT_NEAR(estimate.high[1] - 3, 1.959963984540054 * estimate.errors[1], 1e-12);
}

TEST(Estimate, WithoutFreedomThereAreNoErrors) {
  const Line line;
  Estimate estimate;
  estimate.values = {2, 3};
  analyse(problem_of(2, 0), line.J.topRows(2), Eigen::Vector2d::Zero(), 10, estimate);
  EXPECT_EQ(estimate.freedom, 0);
  EXPECT_TRUE(std::isnan(estimate.errors[0]));
  EXPECT_TRUE(estimate.identifiable[0]);
}

/// The third column is the sum of the first two: c0 + 1, c1 + 1, c2 − 1 has no effect; the fourth column is zero.
TEST(Estimate, SaysWhichDirectionsAreNotDetermined) {
  const Line line;
  Eigen::MatrixXd J(Line::n, 5);
  J.leftCols(2) = line.J;
  J.col(2) = line.J.col(0) + line.J.col(1);
  J.col(3) = 1e-14 * line.J.col(1);
  J.col(4) = line.J.col(1).cwiseAbs2();
  const Problem problem = problem_of(5, 0);
  Estimate estimate;
  estimate.values = {2, 4, 8, 1, 1};
  analyse(problem, J, line.r, 10, estimate);
  EXPECT_EQ(estimate.identifiable, (std::vector<bool>{false, false, false, false, true}));
  ASSERT_EQ(estimate.directions.size(), 2U);
  EXPECT_EQ(estimate.directions[0].change, (std::vector<double>{0, 0, 0, 0.01, 0}));
  const std::vector<double>& together = estimate.directions[1].change;
  EXPECT_NEAR(std::abs(together[0]), 0.02, 1e-9) << "1 % of 2, which changes most";
  EXPECT_NEAR(together[1], together[0], 1e-9);
  EXPECT_NEAR(together[2], -together[0], 1e-9);
  EXPECT_EQ(together[3], 0);
  EXPECT_EQ(together[4], 0);
  EXPECT_EQ(estimate.freedom, Line::n - 3);
  EXPECT_TRUE(std::isnan(estimate.errors[0]));
  EXPECT_TRUE(std::isfinite(estimate.errors[4])) << "the others keep their errors";
  EXPECT_TRUE(std::isnan(estimate.correlation[0][4]));
}

/// A parameter at its bound is treated as known: the other has the error of a line with a known slope.
TEST(Estimate, ABoundHolds) {
  const Line line;
  Problem problem = problem_of(2, 0.5);
  problem.free[1].low = 3;
  Eigen::VectorXd r = line.r;
  r.array() += 1;  // the cost would fall with a smaller slope
  Estimate estimate;
  estimate.values = {2, 3};
  analyse(problem, line.J, r, 10, estimate);
  EXPECT_FALSE(estimate.at_bound[0]);
  EXPECT_TRUE(estimate.at_bound[1]);
  EXPECT_NEAR(estimate.errors[0], 1 / std::sqrt(1.0 * Line::n), 1e-14);
  EXPECT_TRUE(std::isnan(estimate.errors[1]));
  EXPECT_EQ(estimate.singular_values.size(), 1U);
}

TEST(Estimate, StudentsQuantiles) {
  EXPECT_NEAR(student_quantile(1), 12.706204736174698, 1e-9);
  EXPECT_NEAR(student_quantile(30), 2.042272456301238, 1e-12);
  EXPECT_NEAR(student_quantile(0), 1.959963984540054, 1e-15);
}

}  // namespace
}  // namespace kalaba::fit
