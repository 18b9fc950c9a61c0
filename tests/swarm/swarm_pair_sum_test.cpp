#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "kalaba/error.hpp"
#include "swarm/observables.hpp"
#include "swarm/swarm_pair_case.hpp"

namespace kalaba {
namespace {

/// The paper's sums, agent by agent, as its equation states them.
TEST(PairSum, IsThePapersSumInSpace) {
  Case<3> swarm(37);
  swarm.sum(*paper().space, paper_parameters, PairSum::all_pairs);
  for (long i = 0; i < swarm.size; ++i) {
    double gradient = 0;
    double rate = 0;
    for (long j = 0; j < swarm.size; ++j) {
      if (i == j) continue;
      double r2 = 0;
      double along = 0;
      for (int d = 0; d < 3; ++d) {
        r2 += std::pow(swarm.x[d][i] - swarm.x[d][j], 2);
        along += (swarm.x[d][i] - swarm.x[d][j]) * (swarm.w[d][i] - swarm.w[d][j]);
      }
      const double r = std::sqrt(r2);
      const double apart = swarm.x[2][i] - swarm.x[2][j];
      gradient += apart * (1 - 0.5 / r);
      rate += (swarm.w[2][i] - swarm.w[2][j]) * (1 - 0.5 / r) + 0.5 * apart * along / (r2 * r);
    }
    EXPECT_NEAR(swarm.sums.gradient[2][i], gradient, 1e-10);
    EXPECT_NEAR(swarm.sums.rate[2][i], rate, 1e-10);
  }
}

template <int D>
void expect_no_momentum(const PairKernel<D>& kernel, const std::vector<double>& p, PairSum method, double bound) {
  Case<D> swarm(700);
  swarm.sum(kernel, p, method);
  for (int d = 0; d < D; ++d) {
    double total = 0;
    double size = 0;
    for (long i = 0; i < swarm.size; ++i) {
      total += swarm.sums.gradient[d][i];
      size += std::abs(swarm.sums.gradient[d][i]);
    }
    EXPECT_LE(std::abs(total), bound * size);
  }
}

TEST(PairSum, MakesNoMomentum) {
  expect_no_momentum<2>(*paper().plane, paper_parameters, PairSum::all_pairs, 1e-13);
  expect_no_momentum<3>(*paper().space, paper_parameters, PairSum::all_pairs, 1e-13);
  expect_no_momentum<2>(*morse().plane, morse_parameters, PairSum::cells, 1e-13);
  expect_no_momentum<3>(*morse().space, morse_parameters, PairSum::cells, 1e-13);
}

template <int D>
void expect_permuted(const PairKernel<D>& kernel, PairSum method) {
  Case<D> swarm(900);
  swarm.sum(kernel, paper_parameters, method, 1e-4);
  Case<D> turned(900);
  for (int d = 0; d < D; ++d) {
    std::reverse(turned.x[d], turned.x[d] + 900);
    std::reverse(turned.w[d], turned.w[d] + 900);
  }
  turned.sum(kernel, paper_parameters, method, 1e-4);
  for (long i = 0; i < 900; ++i) {
    EXPECT_NEAR(turned.sums.gradient[0][899 - i], swarm.sums.gradient[0][i], 1e-9);
    EXPECT_NEAR(turned.sums.rate[D - 1][899 - i], swarm.sums.rate[D - 1][i], 1e-9);
  }
}

TEST(PairSum, APermutationOfTheAgentsPermutesTheSums) {
  for (const PairSum method : {PairSum::all_pairs, PairSum::multipole}) {
    expect_permuted<2>(*paper().plane, method);
    expect_permuted<3>(*paper().space, method);
  }
}

TEST(PairSum, CellsAreExact) {
  Case<2> plane(3000);
  plane.sum(*morse().plane, morse_parameters, PairSum::all_pairs);
  const auto expected = plane.all();
  plane.sum(*morse().plane, morse_parameters, PairSum::cells);
  EXPECT_LT(relative_error(plane.all(), expected), 1e-14);
  Case<3> space(3000);
  space.sum(*morse().space, morse_parameters, PairSum::all_pairs);
  const auto expected_in_space = space.all();
  space.sum(*morse().space, morse_parameters, PairSum::cells);
  EXPECT_LT(relative_error(space.all(), expected_in_space), 1e-14);
}

TEST(PairSum, ACutoffBeyondTheSwarmIsAllPairs) {
  Case<2> swarm(800);
  const std::vector<double> wide = {1, 0.3, 0.5, 1000};
  swarm.sum(*morse().plane, wide, PairSum::all_pairs);
  const auto expected = swarm.all();
  for (const PairSum method : {PairSum::automatic, PairSum::cells}) {
    swarm.sum(*morse().plane, wide, method);
    EXPECT_LT(relative_error(swarm.all(), expected), 1e-14);
  }
}

template <int D>
void expect_the_same_on_threads(const PairKernel<D>& kernel, PairSum method) {
  Case<D> swarm(2500);
  swarm.sum(kernel, paper_parameters, method, 1e-4, 1);
  const auto expected = swarm.all();
  swarm.sum(kernel, paper_parameters, method, 1e-4, 3);
  EXPECT_EQ(swarm.all(), expected);
}

TEST(PairSum, DoesNotDependOnTheThreads) {
  for (const PairSum method : {PairSum::all_pairs, PairSum::multipole}) {
    expect_the_same_on_threads<2>(*paper().plane, method);
    expect_the_same_on_threads<3>(*paper().space, method);
  }
}

TEST(PairSum, MethodsThatCannotAreRefused) {
  EXPECT_THROW(check_pair_sum(*paper().plane, paper_parameters.data(), PairSum::cells, 1e-6), Error);
  EXPECT_NO_THROW(check_pair_sum(*paper().space, paper_parameters.data(), PairSum::multipole, 2e-7));
  EXPECT_THROW(check_pair_sum(*paper().space, paper_parameters.data(), PairSum::automatic, 1e-7), Error);
  EXPECT_NO_THROW(check_pair_sum(*paper().space, paper_parameters.data(), PairSum::all_pairs, 1e-12));
  EXPECT_NO_THROW(check_pair_sum(*morse().space, morse_parameters.data(), PairSum::automatic, 1e-12));
  EXPECT_THROW(check_pair_sum(*morse().plane, morse_parameters.data(), PairSum::multipole, 1e-6), Error);
  EXPECT_THROW(check_pair_sum(*paper().plane, paper_parameters.data(), PairSum::automatic, 1e-9), Error);
}

/// The rate is the gradient's derivative along the velocities, where a cut-off law fades out too.
TEST(PairSum, TheRateIsTheGradientsDerivative) {
  constexpr double h = 1e-6;
  Case<2> now(60);
  Case<2> before(60);
  Case<2> after(60);
  for (int d = 0; d < 2; ++d) {
    for (long i = 0; i < 60; ++i) {
      now.x[d][i] *= 0.2;
      before.x[d][i] = now.x[d][i] - h * now.w[d][i];
      after.x[d][i] = now.x[d][i] + h * now.w[d][i];
    }
  }
  for (Case<2>* each : {&now, &before, &after}) each->sum(*morse().plane, morse_parameters, PairSum::all_pairs);
  for (long i = 0; i < 60; ++i) {
    const double slope = (after.sums.gradient[0][i] - before.sums.gradient[0][i]) / (2 * h);
    EXPECT_NEAR(now.sums.rate[0][i], slope, 1e-5 * (1 + std::abs(slope)));
  }
}

/// Agents whose positions exceed the range of double have no cells, and no sums by them.
template <int D>
void expect_no_cells(const PairKernel<D>& kernel) {
  Case<D> swarm(40);
  for (long i = 0; i < swarm.size; i += 2) swarm.x[D - 1][i] = -1e308;
  const Cloud<D> cloud = cloud_of(swarm.x, swarm.w, swarm.size);
  EXPECT_TRUE(CellTree<D>().sort(cloud.x, swarm.size, 1));
  for (long i = 1; i < swarm.size; i += 2) swarm.x[D - 1][i] = 1e308;
  EXPECT_FALSE(CellTree<D>().sort(cloud.x, swarm.size, 1));
  PairSummation<D> summation(kernel, PairSum::multipole, 1e-3);
  EXPECT_FALSE(summation.evaluate(paper_parameters.data(), cloud, swarm.sums.sums(), 1));
  EXPECT_TRUE(std::isnan(observe_agents<D>(cloud, 0.1, 1).nearest));
}

TEST(PairSum, OfAgentsTooFarApartIsRefused) {
  expect_no_cells<2>(*paper().plane);
  expect_no_cells<3>(*paper().space);
}

}  // namespace
}  // namespace kalaba
