#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "kalaba/ensemble.hpp"
#include "kalaba/swarm.hpp"
#include "scenario/scenario.hpp"
#include "swarm/multipole.hpp"
#include "swarm/pair_summation.hpp"

namespace kalaba {
namespace {

using namespace swarm;

const SwarmLaw& paper() { return swarm_laws()[0]; }
const SwarmLaw& morse() { return swarm_laws()[1]; }

Options options_of(const System& system) {
  Options options = default_options(system);
  options.backend = Backend::cpu;
  return options;
}

/// The paper's start, in the plane.
void start_as_the_paper(Ensemble& ensemble) {
  const double place[5][2] = {{0, 0}, {2, 9}, {5, 8}, {6, 4}, {5, 0}};
  const double speed[5] = {0.1, 0.2, 0.3, 0.3, 0.3};
  for (std::size_t i = 0; i < 5; ++i) {
    ensemble.initial("x")[i] = place[i][0];
    ensemble.initial("y")[i] = place[i][1];
    ensemble.initial("x_dot")[i] = ensemble.initial("y_dot")[i] = speed[i];
  }
}

Result run_paper(double kappa, double end, int threads = 1) {
  const System system = make_swarm(paper(), 5);
  Ensemble ensemble(system, 1);
  start_as_the_paper(ensemble);
  ensemble.parameter("kappa")[0] = kappa;
  Options options = options_of(system);
  options.project_start = false;
  options.time = {.end = end, .dt = 1e-3, .save_every = 1000};
  options.threads = threads;
  return run(ensemble, options);
}

// MECHANICS.md, system 6: computed independently.
TEST(Swarm, FiveAgentsMoveAsPublished) {
  const Result result = run_paper(5, 5);
  EXPECT_NEAR(result.values("beta_norm", 0)[0], 46.289831739115, 1e-11);
  EXPECT_NEAR(result.values("beta_norm", 1)[0], 0.3118984328547427, 1e-8);
  EXPECT_NEAR(result.values("beta_norm", 2)[0], 2.1015551e-3, 1e-8);
  const double expected[5][2] = {{3.38168975, 4.09369613},
                                 {3.41897416, 4.45359657},
                                 {3.77285537, 4.52940362},
                                 {3.95391915, 4.21633312},
                                 {3.71256157, 3.94697055}};
  for (std::size_t i = 0; i < 5; ++i) {
    EXPECT_NEAR(result.values("x", 5)[i], expected[i][0], 1e-8) << i;
    EXPECT_NEAR(result.values("y", 5)[i], expected[i][1], 1e-8) << i;
  }
}

TEST(Swarm, WithoutFeedbackBetaStays) {
  const Result result = run_paper(0, 1);
  EXPECT_NEAR(result.values("beta_norm", 1)[0], 46.289831739115, 1e-8);
}

TEST(Swarm, AgreesWithTheSmallMatricesOfTheCatalogue) {
  const System& small = find_system("swarm", {{"agents", 5}});
  Ensemble ensemble(small, 1);
  ensemble.parameter("kappa")[0] = 5;
  Options options = default_options(small);
  options.backend = Backend::cpu;
  options.time = {.end = 1, .dt = 1e-3, .save_every = 1000};
  const Result expected = run(ensemble, options);
  const Result found = run_paper(5, 1);
  for (std::size_t i = 0; i < 5; ++i) {
    const std::string number = std::to_string(i + 1);
    EXPECT_NEAR(found.values("x", 1)[i], expected.values("x" + number, 1)[0], 1e-11);
    EXPECT_NEAR(found.values("y_dot", 1)[i], expected.values("y" + number + "_dot", 1)[0], 1e-11);
  }
}

TEST(Swarm, SettlesWhenBetaFallsBelowTheThreshold) {
  const Result result = run_paper(5, 2);  // 46.29 exp(-5 t) = 0.01 at t = 1.688
  EXPECT_TRUE(std::isnan(result.values("settled_time", 1)[0]));
  EXPECT_NEAR(result.values("settled_time", 2)[0], std::log(46.289831739115 / 0.01) / 5, 1.1e-3);
}

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

TEST(PairSum, APermutationOfTheAgentsPermutesTheSums) {
  for (const PairSum method : {PairSum::all_pairs, PairSum::multipole}) {
    Case<2> swarm(900);
    swarm.sum(*paper().plane, paper_parameters, method);
    Case<2> turned(900);
    for (int d = 0; d < 2; ++d) {
      std::reverse(turned.x[d], turned.x[d] + 900);
      std::reverse(turned.w[d], turned.w[d] + 900);
    }
    turned.sum(*paper().plane, paper_parameters, method);
    for (long i = 0; i < 900; ++i) {
      EXPECT_NEAR(turned.sums.gradient[0][899 - i], swarm.sums.gradient[0][i], 1e-9);
      EXPECT_NEAR(turned.sums.rate[1][899 - i], swarm.sums.rate[1][i], 1e-9);
    }
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

TEST(PairSum, TheMultipoleMethodKeepsItsTolerance) {
  Case<2> swarm(6000);
  swarm.x[0][17] = 80;  // one far from the others
  swarm.sum(*paper().plane, paper_parameters, PairSum::all_pairs);
  const auto expected = swarm.all();
  for (const double tolerance : {1e-3, 1e-4, 1e-6, 1e-7, 1e-8}) {
    swarm.sum(*paper().plane, paper_parameters, PairSum::multipole, tolerance);
    EXPECT_LT(relative_error(swarm.all(), expected), tolerance);
  }
}

TEST(PairSum, DoesNotDependOnTheThreads) {
  Case<2> swarm(2500);
  for (const PairSum method : {PairSum::all_pairs, PairSum::multipole}) {
    swarm.sum(*paper().plane, paper_parameters, method, 1e-6, 1);
    const auto expected = swarm.all();
    swarm.sum(*paper().plane, paper_parameters, method, 1e-6, 3);
    EXPECT_EQ(swarm.all(), expected);
  }
}

TEST(PairSum, MethodsThatCannotAreRefused) {
  EXPECT_THROW(check_pair_sum(*paper().plane, paper_parameters.data(), PairSum::cells, 1e-6), Error);
  EXPECT_THROW(check_pair_sum(*paper().space, paper_parameters.data(), PairSum::multipole, 1e-6), Error);
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

TEST(Swarm, CoincidentAgentsAreNamed) {
  const System system = make_swarm(paper(), 6);
  Ensemble ensemble(system, 3);
  const auto x = ensemble.initial("x");
  const auto y = ensemble.initial("y");
  x[4 * 3 + 1] = x[2 * 3 + 1];  // agents 2 and 4 of member 1
  y[4 * 3 + 1] = y[2 * 3 + 1];
  const Result result = run(ensemble, options_of(system));
  EXPECT_EQ(result.status(), (std::vector{Status::ok, Status::singular_constraints, Status::ok}));
  EXPECT_EQ(result.failure_time()[1], 0);
  EXPECT_NE(result.summary.first_failure.find("member 1: agents 2 and 4 are at the same place"), std::string::npos)
      << result.summary.first_failure;
}

TEST(Swarm, OneAgentAndNoneMoveFreely) {
  const System system = make_swarm(paper(), 2);
  Ensemble ensemble(system, 2);
  ensemble.parameter("active")[0] = 0;
  ensemble.parameter("active")[1] = 1;
  ensemble.initial("x_dot")[1] = 3;
  Options options = options_of(system);
  options.project_start = false;
  options.time = {.end = 1, .dt = 0.1, .save_every = 10};
  const Result result = run(ensemble, options);
  EXPECT_EQ(result.status(), (std::vector{Status::ok, Status::ok}));
  const double moved = result.values("x", 1)[1] - result.values("x", 0)[1];
  EXPECT_NEAR(moved, 3, 1e-12);
  EXPECT_TRUE(std::isnan(result.values("x", 1)[2]));  // agent 1 of member 0 takes no part
  EXPECT_TRUE(std::isnan(result.values("nearest", 1)[1]));
}

/// Two agents on the constraint approach c: r' = -2 (r - c) strength.
TEST(Swarm, APairComesToRest) {
  const System system = make_swarm(paper(), 2, 3);
  Ensemble ensemble(system, 1);
  ensemble.initial("z")[0] = 1;
  ensemble.initial("z")[1] = -1;
  for (const char* axis : {"x", "y"}) std::ranges::fill(ensemble.initial(axis), 0.0);
  ensemble.parameter("strength")[0] = 0.5;
  Options options = options_of(system);
  options.time = {.end = 1, .dt = 1e-2, .save_every = 100};
  const Result result = run(ensemble, options);
  EXPECT_NEAR(result.values("nearest", 1)[0], 0.5 + 1.5 * std::exp(-1), 1e-9);
  EXPECT_NEAR(result.values("radius", 1)[0], result.values("nearest", 1)[0] / 2, 1e-12);
  EXPECT_NEAR(result.values("polarisation", 0)[0], 0, 1e-12);  // they move head on
}

TEST(Swarm, AMemberIsTheSameWhateverItsBlockAndThreads) {
  const System system = make_swarm(paper(), 20);
  Ensemble ensemble(system, 5);
  for (std::size_t i = 0; i < 5; ++i) ensemble.parameter("c")[i] = 0.3 + 0.1 * static_cast<double>(i);
  Options options = options_of(system);
  options.threads = 1;
  const Result whole = run(ensemble, options);
  options.threads = 8;
  options.block_members = 2;
  const Result split = run(ensemble, options);
  const std::size_t last = whole.times().size() - 1;
  for (const char* name : {"x", "y_dot", "beta_norm", "nearest_mean"}) {
    const auto a = whole.values(name, last);
    const auto b = split.values(name, last);
    EXPECT_TRUE(std::equal(a.begin(), a.end(), b.begin(), b.end())) << name;
  }
}

TEST(Swarm, CountsCollisionsAndNeighbours) {
  const System system = make_swarm(paper(), 300, 3);
  Ensemble ensemble(system, 1);
  ensemble.parameter("collision_distance")[0] = 2.5;
  Options options = options_of(system);
  const Result result = run(ensemble, options);
  double collisions = 0;
  double nearest_sum = 0;
  for (std::size_t i = 0; i < 300; ++i) {
    double nearest = 1e300;
    for (std::size_t j = 0; j < 300; ++j) {
      if (i == j) continue;
      double r = 0;
      for (const char* axis : {"x", "y", "z"}) r = std::hypot(r, result.values(axis, 0)[i] - result.values(axis, 0)[j]);
      nearest = std::min(nearest, r);
      collisions += r < 2.5 ? 0.5 : 0;
    }
    nearest_sum += nearest;
  }
  EXPECT_GT(collisions, 0);
  EXPECT_EQ(result.values("collisions", 0)[0], collisions);
  EXPECT_NEAR(result.values("nearest_mean", 0)[0], nearest_sum / 300, 1e-12);
}

std::string message_of(const std::vector<std::string>& overrides) {
  try {
    load_scenario("swarm", overrides);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(SwarmScenario, SaysWhatIsWrong) {
  EXPECT_NE(message_of({"structure.agents=0"}).find("from 1 to 100000000, found 0"), std::string::npos);
  EXPECT_NE(message_of({"structure.law=mors"}).find("did you mean morse?"), std::string::npos);
  EXPECT_NE(message_of({"structure.agents=9", "initial.x={values=[1, 2]}"}).find("each of the 9 agents, found 2"),
            std::string::npos);
  EXPECT_NE(message_of({"structure.agents=9", "initial.agents={dsk=1}"}).find("did you mean disk?"), std::string::npos);
}

TEST(SwarmScenario, SizesOfTheCatalogueStayAsTheyAre) {
  EXPECT_EQ(load_scenario("swarm", {"structure.agents=5"}).system.get(), &find_system("swarm"));
  EXPECT_EQ(load_scenario("swarm", {"structure.agents=5", "structure.dimension=3"}).system->info.agents, 5);
}

/// A swarm's draws depend on its number in the ensemble, not on the block.
TEST(SwarmScenario, AMemberIsDrawnForItself) {
  const Scenario scenario =
      load_scenario("swarm", {"structure.agents=4", "ensemble.members=3", "initial.agents={disk=2}",
                              "initial.x_dot={normal=[0, 1]}", "parameters.kappa={values=[1, 2, 3]}"});
  Block all(static_cast<int>(scenario.system->info.parameters.size()), 8, 8, 3, 1);
  all.assign(0, 3);
  scenario.source->fill(all);
  Block last(static_cast<int>(scenario.system->info.parameters.size()), 8, 8, 1, 1);
  last.assign(2, 1);
  scenario.source->fill(last);
  for (std::size_t i = 0; i < 8; ++i) {
    EXPECT_EQ(last.q[i], all.q[3 * i + 2]);
    EXPECT_EQ(last.w[i], all.w[3 * i + 2]);
    EXPECT_NE(all.q[3 * i], all.q[3 * i + 1]);
  }
  for (std::size_t i = 0; i < 4; ++i) EXPECT_LE(std::hypot(last.q[i], last.q[4 + i]), 2);
}

TEST(Swarm, OtherBackendsSayThatTheyCannot) {
  const System system = make_swarm(paper(), 7);
  const Ensemble ensemble(system, 1);
  for (const Backend backend : {Backend::cuda, Backend::reference}) {
    Options options = default_options(system);
    options.backend = backend;
    EXPECT_THROW(run(ensemble, options), Error);
  }
  EXPECT_THROW(make_swarm(paper(), 0), Error);
  EXPECT_THROW(make_swarm(paper(), 3, 4), Error);
}

}  // namespace
}  // namespace kalaba
