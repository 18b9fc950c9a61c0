#include <gtest/gtest.h>

#include <cmath>

#include "swarm/multipole.hpp"
#include "swarm/pair_summation.hpp"
#include "swarm/swarm_pair_case.hpp"

namespace kalaba {
namespace {

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

TEST(Multipole, KeepsItsTolerance) {
  Case<2> swarm(6000);
  swarm.x[0][17] = 80;  // one far from the others
  expect_kept(swarm, *paper().plane, {1e-3, 1e-4, 1e-6, 1e-7, 1e-8});
}

TEST(Multipole, KeepsItsToleranceInSpace) {
  Case<3> swarm(2000);
  expect_kept(swarm, *paper().space, {1e-3, 1e-4, 1e-5, 1e-6});
  expect_kept(swarm, endless_in_space, {1e-3, 1e-5});
  swarm.x[0][17] = 80;  // one far from the others
  expect_kept(swarm, *paper().space, {1e-3});
}

/// Three levels of cells, few agents each: that expansions go up and down as they should, to all the neighbours.
TEST(Multipole, EveryLevelCounts) {
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
    const auto accuracy = *multipole_accuracy<D>(1e-4);
    FarTables<D> tables(kernel, accuracy.order, accuracy.truncation);
    add_far_pairs(tables, paper_parameters.data(), tree, cells, cloud, sorted.sums.sums(), 1);
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

TEST(Multipole, KeepsItsToleranceInClusters) {
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

TEST(Multipole, KeepsItsToleranceInASwarmThatRushes) {
  expect_kept_rushing<2>(*paper().plane, 6000, {1e-3, 1e-6, 1e-8});
  expect_kept_rushing<3>(*paper().space, 2000, {1e-3, 1e-6});
}

/// Data stored by one call is reused by the next if nothing has changed, and only then.
template <int D>
void expect_same_as_new(const PairKernel<D>& kernel) {
  Case<D> swarm(3000);
  PairSummation<D> lasting(kernel, PairSum::multipole, 1e-3);
  for (const auto& [c, size] : {std::pair(0.5, 1.0), {2.0, 1.0}, {2.0, 0.3}, {2.0, 1.2}, {0.5, 1.0}}) {
    Case<D> now = swarm;
    for (int d = 0; d < D; ++d) {
      for (long i = 0; i < swarm.size; ++i) now.x[d][i] *= size;
    }
    now.sum(kernel, {c}, PairSum::multipole, 1e-3);
    const auto expected = now.all();
    lasting.evaluate(&c, cloud_of(now.x, now.w, now.size), now.sums.sums(), 2);
    EXPECT_EQ(now.all(), expected) << c << ", " << size;
  }
}

TEST(Multipole, RemembersNothingThatHasChanged) {
  expect_same_as_new<2>(*paper().plane);
  expect_same_as_new<3>(endless_in_space);
}

/// A potential beyond the range of double, and one that is nothing at all.
struct SteepLaw {
  static constexpr const char* name = "steep";
  static constexpr const char* equations = "G(r) = exp(c r) - 1";
  static constexpr Quantity parameters[] = {{"c", "1/m", 0, ""}};
  template <class X>
  static X potential(const double* p, const X& r) {
    return exp(r * p[0]) - 1.0;
  }
};

TEST(Multipole, HidesNoOverflow) {
  const LawKernel<SteepLaw, 2> kernel;
  Case<2> swarm(1000);  // two clusters: only from one to the other does it overflow
  for (long i = 0; i < swarm.size; ++i) {
    swarm.x[0][i] = 1e-3 * swarm.x[0][i] + static_cast<double>(i % 2) * 10;
    swarm.x[1][i] *= 1e-3;
  }
  swarm.sum(kernel, {100}, PairSum::multipole);
  EXPECT_FALSE(std::isfinite(swarm.sums.sums().gradient[0][0]));
  swarm.sum(kernel, {0}, PairSum::multipole);
  for (const double sum : swarm.all()) EXPECT_EQ(sum, 0);
}

TEST(Multipole, IsChosenByTheNumberOfAgents) {
  for (const auto& [agents, chosen] : {std::pair(3000L, PairSum::all_pairs), std::pair(14000L, PairSum::multipole)}) {
    Case<3> swarm(agents);
    swarm.sum(*paper().space, paper_parameters, chosen, 1e-3);
    const auto expected = swarm.all();
    swarm.sum(*paper().space, paper_parameters, PairSum::automatic, 1e-3);
    EXPECT_EQ(swarm.all(), expected) << agents;
  }
}

}  // namespace
}  // namespace kalaba
