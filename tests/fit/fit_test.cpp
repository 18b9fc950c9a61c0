// Fits of simulated motions: the true values are recovered, and the actual errors agree with the reported ones.

#include "fit/fit.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "fit/double_pendulum.hpp"
#include "fit/members.hpp"
#include "fit/trace.hpp"
#include "scenario/scenario.hpp"

namespace kalaba::fit {
namespace {

TEST(Fit, FindsExactValuesAgain) {
  const DoublePendulum pendulum;
  const Fit found = fit(pendulum.problem(pendulum.data(0), {}));
  ASSERT_TRUE(found.has_converged());
  EXPECT_NEAR(found.estimate.values[0], 0.9, 1e-9);
  EXPECT_NEAR(found.estimate.values[1], 9.6, 1e-8);
  EXPECT_NEAR(found.estimate.values[2], 0.4, 1e-8);
  EXPECT_LT(found.estimate.root_mean_squares[0], 1e-10);
  EXPECT_EQ(found.minima.size(), 1U);
}

/// The restitution, the gravity and the height of a ball, from its heights at times with three bounces between.
TEST(Fit, GoesThroughImpacts) {
  const Scenario scenario = load_scenario_text(R"toml(
[time]
end = 1.6
dt = 0.01
[model]
name = "ball"
lagrangian = "m*y_dot^2/2 - m*g*y"
[model.parameters]
m = 2
g = 9.5
e = 0.75
[model.coordinates]
y = ""
[model.start]
y = 0.9
[model.unilateral]
floor = { gap = "y", restitution = "e" }
)toml",
                                               "ball.toml", {"solver.backend=cpu", "solver.threads=1"});
  const System& system = *scenario.system;
  Followed truth(system);
  truth.set("parameters.g", 9.81);
  truth.set("parameters.e", 0.7);
  truth.set("initial.y", 1);
  std::vector<double> times;
  for (int i = 1; i <= 60; ++i) times.push_back(0.0263 * i);
  const Measurements data = measured(system, truth, scenario.options, times, {"y"}, 0);
  const Fit found = fit(make_problem(system, Followed(system), scenario.options, StartRule::project, data,
                                     {.free = {"parameters.g", "parameters.e", "initial.y"}}));
  ASSERT_TRUE(found.has_converged());
  EXPECT_NEAR(found.estimate.values[0], 9.81, 1e-7);
  EXPECT_NEAR(found.estimate.values[1], 0.7, 1e-8);
  EXPECT_NEAR(found.estimate.values[2], 1, 1e-8);
}

/// Sums that a run accumulates, compared with differences of the motion itself.
TEST(Fit, NormalEquationsAreThoseOfTheResiduals) {
  const DoublePendulum pendulum;
  const Problem problem = pendulum.problem(pendulum.data(sigma), {.sigmas = known(0.02)});
  const std::vector<double> values = {1.05, 9.7, 0.1};
  FitMembers members(problem.system, *problem.source, problem.free);
  members.set({values, {0.95, 9.5, 0.2}});
  NormalSums sums(problem);
  Sink* const sinks[] = {&sums};
  run(problem.system, members, problem.options, sinks);
  const auto residuals = [&](const std::vector<double>& at) {
    const Trace motion = trace(problem, at, problem.data.times);
    std::vector<double> r;
    for (const Reading& each : problem.data.readings) {
      r.push_back((motion.values[each.column][each.time] - each.value) / 0.02);
    }
    return r;
  };
  const NormalEquations found = sums.of(0);
  const std::vector<double> r = residuals(values);
  double cost = 0;
  for (const double each : r) cost += each * each;
  EXPECT_NEAR(found.cost, cost, 1e-9 * cost);
  constexpr double h = 1e-5;
  std::vector<std::vector<double>> columns;
  for (std::size_t j = 0; j < values.size(); ++j) {
    std::vector<double> more = values;
    std::vector<double> less = values;
    more[j] += h;
    less[j] -= h;
    const std::vector<double> above = residuals(more);
    const std::vector<double> below = residuals(less);
    columns.emplace_back();
    for (std::size_t i = 0; i < r.size(); ++i) columns.back().push_back((above[i] - below[i]) / (2 * h));
  }
  for (std::size_t j = 0; j < columns.size(); ++j) {
    const auto at = static_cast<Eigen::Index>(j);
    double slope = 0;
    for (std::size_t i = 0; i < r.size(); ++i) slope += columns[j][i] * r[i];
    EXPECT_NEAR(found.gradient[at], slope, 1e-5 * std::abs(slope) + 1e-3);
    for (std::size_t k = 0; k < columns.size(); ++k) {
      double product = 0;
      for (std::size_t i = 0; i < r.size(); ++i) product += columns[j][i] * columns[k][i];
      const double size =
          std::sqrt(found.normal(at, at) * found.normal(static_cast<Eigen::Index>(k), static_cast<Eigen::Index>(k)));
      EXPECT_NEAR(found.normal(at, static_cast<Eigen::Index>(k)), product, 1e-6 * size);
    }
  }
}

/// For many data sets, 95 % of the intervals contain the true value, with and without a known sigma.
TEST(Fit, IntervalsHoldTheTruthAsOftenAsTheySay) {
  const DoublePendulum pendulum;
  const double truth[] = {0.9, 9.6, 0.4};
  for (const bool is_known : {true, false}) {
    int held = 0;
    int all = 0;
    for (unsigned seed = 1; seed <= 60; ++seed) {
      Request request;
      if (is_known) request.sigmas = known(sigma);
      const Fit found = fit(pendulum.problem(pendulum.data(sigma, seed), request));
      ASSERT_TRUE(found.has_converged());
      for (std::size_t j = 0; j < 3; ++j) {
        held += found.estimate.low[j] < truth[j] && truth[j] < found.estimate.high[j];
        ++all;
      }
    }
    EXPECT_GE(held, 0.90 * all) << is_known;
    EXPECT_LE(held, 0.99 * all) << is_known;
  }
}

TEST(Fit, StartsAreDrawnWithinTheBoundsAndTheBestIsTaken) {
  const DoublePendulum pendulum;
  Request request;
  request.bounds = {{"parameters.L", 0.5, 2}, {"parameters.g", 5, 15}, {"initial.x2_dot", -2, 2}};
  request.starts = 64;
  const Problem problem = pendulum.problem(pendulum.data(sigma), request);
  const std::vector<std::vector<double>> firsts = first_values(problem);
  ASSERT_EQ(firsts.size(), 64U);
  EXPECT_EQ(firsts[0], (std::vector<double>{1, 9.81, 0})) << "the scenario's own";
  std::vector<double> lengths;
  for (const std::vector<double>& each : firsts) {
    for (std::size_t j = 0; j < 3; ++j) {
      EXPECT_GE(each[j], problem.free[j].low);
      EXPECT_LE(each[j], problem.free[j].high);
    }
    lengths.push_back(each[0]);
  }
  std::ranges::sort(lengths);
  EXPECT_LT(lengths[1], 0.55);
  EXPECT_GT(lengths[62], 1.9);
  const Fit found = fit(problem);
  ASSERT_TRUE(found.has_converged());
  EXPECT_NEAR(found.estimate.values[0], 0.9, 5 * found.estimate.errors[0]);
  EXPECT_GT(found.minima[0].starts, 8);
  for (std::size_t i = 1; i < found.minima.size(); ++i) {
    EXPECT_GE(found.starts[found.minima[i].best].cost, found.starts[found.best].cost);
  }
}

TEST(Fit, WithoutAMinimumTheLeastCostIsTheBest) {
  const DoublePendulum pendulum;
  Request request;
  request.bounds = {{"parameters.L", 0.5, 2}, {"parameters.g", 5, 15}, {"initial.x2_dot", -2, 2}};
  request.starts = 20;
  request.most_iterations = 1;
  const Fit found = fit(pendulum.problem(pendulum.data(sigma), request));
  EXPECT_FALSE(found.has_converged());
  for (const Start& each : found.starts) EXPECT_GE(each.cost, found.starts[found.best].cost);
  EXPECT_NEAR(found.estimate.cost, found.starts[found.best].cost, 1e-9 * found.estimate.cost);
}

/// A start that is not given is computed from the parameters, before any projection; a given start is kept.
TEST(Fit, StartsFollowTheParameters) {
  const DoublePendulum pendulum;
  Followed source(pendulum.system);
  source.set("initial.y1", -0.7);
  FitMembers members(pendulum.system, source, {{.name = "parameters.L"}, {.name = "initial.x2_dot"}});
  members.set({{1.5, 0.2}, {2, 0.3}});
  Block block(3, 4, 4, 2);
  block.assign(0, 2);
  members.fill(block);
  EXPECT_EQ(block.parameter(1)[1], 2);
  EXPECT_NEAR(block.coordinate(0)[0], 1.5 * std::sin(0.5), 1e-15);
  EXPECT_NEAR(block.coordinate(2)[1], 4 * std::sin(0.5), 1e-15);
  EXPECT_EQ(block.coordinate(1)[1], -0.7);
  EXPECT_EQ(block.rate(2)[0], 0.2);
  EXPECT_EQ(block.rate(2)[1], 0.3);
  EXPECT_EQ(members.given_starts().size(), 2U);
}

TEST(Fit, BitsDoNotDependOnBlocksAndThreads) {
  const DoublePendulum pendulum;
  Request request;
  request.bounds = {{"parameters.L", 0.5, 2}, {"parameters.g", 5, 15}, {"initial.x2_dot", -2, 2}};
  request.starts = 40;
  request.most_iterations = 4;
  Problem problem = pendulum.problem(pendulum.data(sigma), request);
  const Fit one = fit(problem);
  problem.options.block_members = 7;
  problem.options.threads = 2;
  const Fit other = fit(problem);
  for (std::size_t i = 0; i < one.starts.size(); ++i) {
    EXPECT_EQ(one.starts[i].values, other.starts[i].values) << i;
    EXPECT_EQ(one.starts[i].cost, other.starts[i].cost) << i;
  }
}

/// All masses are proportional to one parameter: it cancels.
TEST(Fit, SaysWhatTheDataDoNotDetermine) {
  const DoublePendulum pendulum;
  const Fit found = fit(pendulum.problem(pendulum.data(sigma), {.free = {"parameters.m", "parameters.L"}}));
  ASSERT_TRUE(found.has_converged());
  ASSERT_EQ(found.estimate.directions.size(), 1U);
  EXPECT_EQ(found.estimate.directions[0].change, (std::vector<double>{0.01, 0}));
  EXPECT_TRUE(std::isnan(found.estimate.errors[0]));
  EXPECT_TRUE(std::isfinite(found.estimate.errors[1]));
  EXPECT_EQ(found.estimate.values[0], 1) << "it stays";
}

TEST(Fit, ABoundHolds) {
  const DoublePendulum pendulum;
  Request request;
  request.bounds = {{"parameters.L", 0.95, 2}};
  const Fit found = fit(pendulum.problem(pendulum.data(sigma), request));
  ASSERT_TRUE(found.has_converged());
  EXPECT_EQ(found.estimate.values[0], 0.95);
  EXPECT_TRUE(found.estimate.at_bound[0]);
  EXPECT_TRUE(std::isnan(found.estimate.errors[0]));
  EXPECT_TRUE(std::isfinite(found.estimate.errors[1]));
}

TEST(Fit, MissingNumbersAreAsIfTheyWereNotThere) {
  const DoublePendulum pendulum;
  Measurements all = pendulum.data(sigma);
  std::erase_if(all.readings, [](const Reading& each) { return each.column == 1 || each.time % 3 == 1; });
  const Fit some = fit(pendulum.problem(all, {}));
  ASSERT_TRUE(some.has_converged());
  EXPECT_EQ(some.estimate.residuals.size(), 120U);
  EXPECT_NEAR(some.estimate.values[0], 0.9, 5 * some.estimate.errors[0]);
  EXPECT_TRUE(std::isnan(some.estimate.root_mean_squares[1]));
}

TEST(Fit, EndsWithItsIterations) {
  const DoublePendulum pendulum;
  const Fit found = fit(pendulum.problem(pendulum.data(sigma), {.most_iterations = 1}));
  EXPECT_FALSE(found.has_converged());
  EXPECT_TRUE(found.has_estimate());
  EXPECT_EQ(found.count(Outcome::out_of_iterations), 1);
  EXPECT_EQ(found.runs, 2);
}

/// For windows that fold, the derivative ends; the motion continues.
TEST(Fit, MotionsWithoutDerivativesFail) {
  const System& system = find_system("four_bar_windows");
  Options options = default_options(system);
  options.time.dt = 5e-3;
  options.time.end = 1;
  const Followed source(system);
  const std::string name = system.info.coordinates[0].name;
  Measurements data = measured(system, source, options, {0.2, 0.9}, {name}, 0);
  const Fit found = fit(make_problem(system, source, options, StartRule::project, data, {.free = {"parameters.m"}}));
  EXPECT_FALSE(found.has_estimate());
  EXPECT_EQ(found.starts[0].outcome, Outcome::failed);
  EXPECT_EQ(found.starts[0].status, Status::ok);
}

TEST(Fit, CanBeStopped) {
  const DoublePendulum pendulum;
  std::stop_source stop;
  stop.request_stop();
  EXPECT_THROW(fit(pendulum.problem(pendulum.data(sigma), {}), {}, stop.get_token()), Error);
}

}  // namespace
}  // namespace kalaba::fit
