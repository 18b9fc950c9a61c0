#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "kalaba/error.hpp"
#include "kalaba/swarm.hpp"
#include "swarm/multipole.hpp"
#include "swarm/near_sum.hpp"
#include "swarm/pair_summation.hpp"

namespace kalaba {
namespace {

using namespace swarm;

const SwarmLaw& paper() { return swarm_laws()[0]; }
const SwarmLaw& morse() { return swarm_laws()[1]; }

template <int D>
struct Case {
  AgentArrays<D> x, w;
  SumArrays<D> sums;
  long size;

  explicit Case(long agents) : size(agents) {
    x.resize(agents);
    w.resize(agents);
    std::mt19937 engine(7);
    std::uniform_real_distribution<double> any(-5, 5);
    for (int d = 0; d < D; ++d) {
      for (long i = 0; i < agents; ++i) {
        x[d][i] = any(engine);
        w[d][i] = any(engine);
      }
    }
    sums.resize(agents);
  }
  void sum(const PairKernel<D>& kernel, const std::vector<double>& p, PairSum method, double tolerance = 1e-6,
           int threads = 2) {
    PairSummation<D>(kernel, method, tolerance).evaluate(p.data(), cloud_of(x, w, size), sums.sums(), threads);
  }
  std::vector<double> all() {
    std::vector<double> values;
    for (int d = 0; d < D; ++d) {
      values.insert(values.end(), sums.gradient[d], sums.gradient[d] + size);
      values.insert(values.end(), sums.rate[d], sums.rate[d] + size);
    }
    return values;
  }
};

const std::vector<double> paper_parameters = {0.5};
const std::vector<double> morse_parameters = {1, 0.3, 0.5, 1.1};

double relative_error(const std::vector<double>& found, const std::vector<double>& expected) {
  double error = 0;
  double size = 0;
  for (std::size_t i = 0; i < found.size(); ++i) {
    error += (found[i] - expected[i]) * (found[i] - expected[i]);
    size += expected[i] * expected[i];
  }
  return std::sqrt(error / size);
}

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

/// Against all pairs.
template <int D>
void expect_kept(Case<D>& swarm, const PairKernel<D>& kernel, const std::vector<double>& tolerances) {
  swarm.sum(kernel, paper_parameters, PairSum::all_pairs);
  const auto expected = swarm.all();
  for (const double tolerance : tolerances) {
    swarm.sum(kernel, paper_parameters, PairSum::multipole, tolerance);
    EXPECT_LT(relative_error(swarm.all(), expected), tolerance);
  }
}

/// Morse's potential without a cutoff, of some metres' width.
struct EndlessLaw {
  static constexpr const char* name = "endless";
  static constexpr const char* equations = "G(r) = exp(-r/(5 c)) - 2 exp(-r/(10 c))";
  static constexpr Quantity parameters[] = {{"c", "m", 0.5, ""}};
  template <class X>
  static X potential(const double* p, const X& r) {
    const X e = exp(r * (-0.1 / p[0]));
    return e * e - e * 2.0;
  }
};
const LawKernel<EndlessLaw, 3> endless_in_space;

TEST(PairSum, TheMultipoleMethodKeepsItsTolerance) {
  Case<2> swarm(6000);
  swarm.x[0][17] = 80;  // one far from the others
  expect_kept(swarm, *paper().plane, {1e-3, 1e-4, 1e-6, 1e-7, 1e-8});
}

TEST(PairSum, TheMultipoleMethodKeepsItsToleranceInSpace) {
  Case<3> swarm(2000);
  expect_kept(swarm, *paper().space, {1e-3, 1e-4, 1e-5, 1e-6});
  expect_kept(swarm, endless_in_space, {1e-3, 1e-5});
  swarm.x[0][17] = 80;  // one far from the others
  expect_kept(swarm, *paper().space, {1e-3});
}

/// Three levels of cells, few agents each: that expansions go up and down as they should, to all the neighbours.
TEST(PairSum, EveryLevelOfTheMultipoleMethodCounts) {
  const auto expect_small = []<int D>(Case<D> swarm, const PairKernel<D>& kernel) {
    CellTree<D> tree;
    tree.sort(cloud_of(swarm.x, swarm.w, swarm.size).x, swarm.size, 1);
    Case<D> sorted(swarm.size);
    for (int d = 0; d < D; ++d) {
      for (long i = 0; i < swarm.size; ++i) {
        sorted.x[d][i] = swarm.x[d][tree.order()[i]];
        sorted.w[d][i] = swarm.w[d][tree.order()[i]];
      }
    }
    const Cloud<D> cloud = cloud_of(sorted.x, sorted.w, swarm.size);
    kernel.add(paper_parameters.data(), cloud, 0, swarm.size, cloud, 0, swarm.size, swarm.sums.sums());
    const CellLevel<D> cells = tree.level(4);
    add_near_pairs(kernel, paper_parameters.data(), cells, cloud, sorted.sums.sums(), 1);
    add_far_pairs(kernel, paper_parameters.data(), tree, cells, cloud, sorted.sums.sums(), multipole_order<D>(1e-4), 1);
    EXPECT_LT(relative_error(sorted.all(), swarm.all()), 1e-4);
  };
  expect_small(Case<2>(500), *paper().plane);
  expect_small(Case<3>(500), *paper().space);
  expect_small(Case<3>(500), endless_in_space);
}

/// Clusters of ever smaller size that rush together: what is hardest for the method.
template <int D>
Case<D> clusters(long agents) {
  Case<D> swarm(agents);
  for (long i = 0; i < agents; ++i) {
    const double cluster = static_cast<double>(i % 7);
    const double size = std::pow(0.1, cluster) / 5;
    const double centre[] = {10 * std::cos(cluster), 10 * std::sin(cluster), 10 * std::cos(2 * cluster)};
    for (int d = 0; d < D; ++d) {
      swarm.x[d][i] = centre[d] + size * swarm.x[d][i];
      swarm.w[d][i] -= static_cast<double>(agents) * swarm.x[d][i];
    }
  }
  return swarm;
}

TEST(PairSum, TheMultipoleMethodKeepsItsToleranceInClusters) {
  Case<2> plane = clusters<2>(6000);
  expect_kept(plane, *paper().plane, {1e-3, 1e-5, 1e-6, 1e-8});
  Case<3> space = clusters<3>(1500);
  expect_kept(space, *paper().space, {1e-3, 1e-4, 1e-6});
}

/// Only velocities between agents count: that of the swarm as a whole is in no difference that an expansion blurs.
template <int D>
void expect_kept_rushing(const PairKernel<D>& kernel, long agents, const std::vector<double>& tolerances) {
  Case<D> swarm(agents);
  swarm.sum(kernel, paper_parameters, PairSum::all_pairs);
  const auto expected = swarm.all();
  for (int d = 0; d < D; ++d) {
    for (long i = 0; i < swarm.size; ++i) swarm.w[d][i] += d == 0 ? 1e6 : -3e6;
  }
  for (const double tolerance : tolerances) {
    swarm.sum(kernel, paper_parameters, PairSum::multipole, tolerance);
    EXPECT_LT(relative_error(swarm.all(), expected), tolerance);
  }
}

TEST(PairSum, TheMultipoleMethodKeepsItsToleranceInASwarmThatRushes) {
  expect_kept_rushing<2>(*paper().plane, 6000, {1e-3, 1e-6, 1e-8});
  expect_kept_rushing<3>(*paper().space, 2000, {1e-3, 1e-6});
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

TEST(PairSum, ChoosesByTheNumberOfAgents) {
  for (const auto& [agents, chosen] : {std::pair(3000L, PairSum::all_pairs), std::pair(14000L, PairSum::multipole)}) {
    Case<3> swarm(agents);
    swarm.sum(*paper().space, paper_parameters, chosen, 1e-3);
    const auto expected = swarm.all();
    swarm.sum(*paper().space, paper_parameters, PairSum::automatic, 1e-3);
    EXPECT_EQ(swarm.all(), expected) << agents;
  }
}

TEST(PairSum, MethodsThatCannotAreRefused) {
  EXPECT_THROW(check_pair_sum(*paper().plane, paper_parameters.data(), PairSum::cells, 1e-6), Error);
  EXPECT_NO_THROW(check_pair_sum(*paper().space, paper_parameters.data(), PairSum::multipole, 1e-6));
  EXPECT_THROW(check_pair_sum(*paper().space, paper_parameters.data(), PairSum::automatic, 1e-8), Error);
  EXPECT_NO_THROW(check_pair_sum(*paper().space, paper_parameters.data(), PairSum::all_pairs, 1e-12));
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

}  // namespace
}  // namespace kalaba
