#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "kalaba/ensemble.hpp"
#include "kalaba/statistics.hpp"
#include "kalaba/swarm.hpp"
#include "kalaba/swarm/pair_kernel.hpp"
#include "support/error_of.hpp"
#include "swarm/swarm_checks.hpp"
#include "swarm/swarm_options.hpp"

namespace kalaba {
namespace {

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

// Computed independently: docs/mechanics.md.
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

/// One agent rushes at another: an eighth of a second on, a stage of the shorter step finds them at one place; the
/// whole step does not.
TEST(Swarm, IsNotOkWhereTheStepToASavedTimeFails) {
  const System system = make_swarm(paper(), 2);
  Ensemble ensemble(system, 1);
  for (const char* name : {"x", "y", "x_dot", "y_dot"}) std::ranges::fill(ensemble.initial(name), 0);
  ensemble.initial("x")[1] = 1;
  ensemble.initial("x_dot")[1] = -16;
  Options options = options_of(system);
  options.project_start = false;
  options.time = {.end = 0.5, .dt = 0.5, .save_every = 1};
  options.save_at = {0, 0.125, 0.5};
  options.fields = {Field::q};
  options.statistics.kinds = {Statistic::mean};
  StatisticsSink statistics;
  const std::array<Sink*, 1> sinks = {&statistics};
  const Summary summary = run(system, ensemble, options, sinks);
  EXPECT_EQ(summary.by_status[0], 1);
  EXPECT_EQ(statistics.result().ok_members, (std::vector<long>{1, 0, 1}));
}

TEST(Swarm, FartherApartThanANumberCanSayIsNotFinite) {
  const System system = make_swarm(paper(), 2);
  Ensemble ensemble(system, 1);
  ensemble.initial("x")[0] = -1.7e308;
  ensemble.initial("x")[1] = 1.7e308;
  Options options = options_of(system);
  options.pair_sum = PairSum::multipole;
  const Result result = run(ensemble, options);
  EXPECT_EQ(result.status()[0], Status::non_finite);
  EXPECT_EQ(result.failure_time()[0], 0);
  EXPECT_NE(result.summary.first_failure().find("agent positions exceed"), std::string::npos);
}

TEST(Swarm, SaysThatAStepWasTooLongWhereNumbersOverflow) {
  const System system = make_swarm(paper(), 5);
  Ensemble ensemble(system, 1);
  start_as_the_paper(ensemble);
  Options options = options_of(system);
  options.time = {.end = 2000, .dt = 4, .save_every = 500};
  const Result result = run(ensemble, options);
  EXPECT_EQ(result.status()[0], Status::non_finite);
  // 2.785/5, for five agents.
  EXPECT_NE(result.summary.first_failure().find("(dt = 4 s: RK4 is stable here up to 0.56 s)"), std::string::npos)
      << result.summary.first_failure();
}

TEST(Swarm, WithoutFeedbackBetaStays) {
  const Result result = run_paper(0, 1);
  EXPECT_NEAR(result.values("beta_norm", 1)[0], 46.289831739115, 1e-8);
}

TEST(Swarm, AgreesWithTheSmallMatricesOfTheCatalogue) {
  const System& small = find_system("swarm_matrix", {{"agents", 5}});
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
  EXPECT_NE(result.summary.first_failure().find("member 1: agents 2 and 4 are at the same place"), std::string::npos)
      << result.summary.first_failure();
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

TEST(Swarm, ReportsItsShapeAndHowAlignedItIs) {
  const System system = make_swarm(paper(), 3);
  Ensemble ensemble(system, 1);
  const double place[3][2] = {{0, 0}, {6, 0}, {0, 3}};
  const double velocity[3][2] = {{2, 0}, {0, 0.5}, {3, 0}};
  for (std::size_t i = 0; i < 3; ++i) {
    ensemble.initial("x")[i] = place[i][0];
    ensemble.initial("y")[i] = place[i][1];
    ensemble.initial("x_dot")[i] = velocity[i][0];
    ensemble.initial("y_dot")[i] = velocity[i][1];
  }
  Options options = options_of(system);
  options.project_start = false;
  const Result result = run(ensemble, options);
  EXPECT_NEAR(result.values("center_x", 0)[0], 2, 1e-14);
  EXPECT_NEAR(result.values("center_y", 0)[0], 1, 1e-14);
  EXPECT_NEAR(result.values("radius", 0)[0], std::sqrt((5.0 + 17 + 8) / 3), 1e-14);
  EXPECT_NEAR(result.values("extent", 0)[0], std::sqrt(17.0), 1e-14);
  EXPECT_NEAR(result.values("polarisation", 0)[0], std::sqrt(5.0) / 3, 1e-14);  // headings (1, 0), (0, 1), (1, 0)
}

std::string failure_of(const System& system, const char* parameter, double value) {
  Ensemble ensemble(system, 2);
  ensemble.parameter(parameter)[1] = value;
  return test::message_of([&] { run(ensemble, options_of(system)); });
}

TEST(Swarm, ParametersThatMakeNoSwarmAreRefusedMemberByMember) {
  const System morse = make_swarm(swarm_laws()[1], 4);
  EXPECT_EQ(failure_of(morse, "cutoff", -1), "parameters.cutoff of member 1: expected a positive distance, found -1");
  EXPECT_EQ(failure_of(morse, "active", 2.5),
            "parameters.active of member 1: expected a whole number from 0 to structure.agents = 4, found 2.5");
  EXPECT_NE(failure_of(morse, "active", 5), "");
  EXPECT_EQ(failure_of(morse, "cutoff", 1000), "");
}

TEST(Swarm, ASwarmBeyondTheMemoryIsRefused) {
  EXPECT_NO_THROW(swarm::check_memory(1'000'000, 2, 1e9));
  const Error error = test::error_of([&] { swarm::check_memory(1'000'000, 3, 5e8); });
  EXPECT_STREQ(error.what(),
               "structure.agents: a swarm of 1000000 needs about 0.8 GB of memory, and this machine has 0.5 GB");
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
