// Accuracy of runs, and differences between two files.

#include "check/convergence.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

#include "compare/file_difference.hpp"
#include "kalaba/ensemble.hpp"
#include "kalaba/error.hpp"
#include "output_data/fake_run.hpp"
#include "scenario/scenario.hpp"
#include "support/integrators.hpp"

namespace kalaba {
namespace {

check::Convergence converged(const std::string& system, std::vector<std::string> overrides, double wanted = 1e-6) {
  overrides.emplace_back("solver.backend=\"cpu\"");
  const Scenario scenario = load_scenario(system, overrides);
  check::ConvergencePlan plan;
  plan.system = scenario.system.get();
  plan.source = scenario.source.get();
  plan.options = scenario.options;
  plan.members = 10;
  plan.requested = wanted;
  return check::converge(plan);
}

const check::QuantityConvergence& quantity(const check::Convergence& of, const std::string& name) {
  return *std::ranges::find(of.quantities, name, &check::QuantityConvergence::name);
}

TEST(Convergence, SeesTheOrderAndTheTrueError) {
  const std::vector<std::string> scenario = {"time.dt=0.02", "time.end=2", "time.save_every=50", "ensemble.members=30",
                                             "parameters.L={uniform=[0.5, 2]}"};
  const check::Convergence of = converged("spherical_pendulum", scenario);
  EXPECT_EQ(of.members, 10);
  EXPECT_EQ(of.compared, 10);
  EXPECT_NEAR(quantity(of, "x").order, 4, 0.3);
  // True error of the coarse steps, from much finer ones.
  auto fine = scenario;
  fine[0] = "time.dt=0.0005";
  fine[2] = "time.save_every=2000";
  const check::Convergence reference = converged("spherical_pendulum", fine);
  EXPECT_LT(quantity(reference, "x").worst.front(), 1e-3 * quantity(of, "x").worst.front());
  for (const double error : quantity(of, "x").worst) EXPECT_GT(error, 0);
  EXPECT_GT(quantity(of, "x").worst[0], 10 * quantity(of, "x").worst[1]);
  EXPECT_GT(quantity(of, "x").worst[1], 10 * quantity(of, "x").worst[2]);
}

/// The step reported as sufficient satisfies the tolerance, and twice that step clearly does not.
TEST(Convergence, NamesAStepThatSuffices) {
  const double wanted = 1e-7;
  const check::Convergence of =
      converged("spherical_pendulum", {"time.dt=0.02", "time.end=2", "time.save_every=100"}, wanted);
  ASSERT_GT(of.sufficient, 0);
  ASSERT_LT(of.sufficient, 0.02);
  const double steps = std::ceil(2 / of.sufficient);
  const auto at = [&](double count) {
    return converged("spherical_pendulum",
                     {fmt::format("time.dt={}", 2 / count), "time.end=2",
                      "time.save_every=" + std::to_string(static_cast<long>(count))},
                     wanted);
  };
  for (const auto& each : at(steps).quantities) EXPECT_LE(each.worst.front(), 1.3 * wanted * each.size) << each.name;
  bool some = false;
  for (const auto& each : at(steps / 2).quantities) some = some || each.worst.front() > 2 * wanted * each.size;
  EXPECT_TRUE(some);
}

TEST(Convergence, KnowsRoundingAndEvents) {
  const check::Convergence disk = converged("rolling_disk", {"time.end=1"});
  EXPECT_TRUE(quantity(disk, "v_a").is_rounding());
  EXPECT_TRUE(std::isnan(quantity(disk, "v_a").order));
  const check::Convergence thrown = converged(
      "projectile_polar", {"time.dt=0.05", "time.end=3", "ensemble.members=10", "initial.r_dot={uniform=[2, 6]}",
                           "events=[{name=\"landed\", when=\"r*sin(theta)\", direction=\"falling\"}]"});
  EXPECT_NEAR(quantity(thrown, "time of landed").order, 4, 0.5);
  EXPECT_EQ(thrown.compared, 10) << "members that stop are no failures";
  EXPECT_NEAR(quantity(thrown, "r").order, 4, 0.5);
  const check::Convergence landed =
      converged("projectile_polar", {"time.dt=0.05", "time.end=3", "time.save_every=\"final\"",
                                     "events=[{name=\"landed\", when=\"r*sin(theta)\", direction=\"falling\"}]"});
  EXPECT_EQ(quantity(landed, "r").size, 0) << "where a member was stopped it is not compared";
}

TEST(Convergence, OfAdaptiveStepsIsInTolerances) {
  for (const Integrator integrator : test::adaptive_integrators()) {
    const std::string name(integrator_name(integrator));
    const check::Convergence of =
        converged("spherical_pendulum", {"solver.integrator=\"" + name + "\"", "solver.relative_tolerance=1e-7"});
    EXPECT_TRUE(of.adaptive);
    EXPECT_NEAR(of.steps[2] / of.steps[0], 0.01, 1e-12);
    EXPECT_NEAR(quantity(of, "x").order, 1, 0.3) << name;
  }
}

TEST(Comparison, FindsTheWorstAndWhere) {
  const TemporaryFolder folder;
  FakeRun run;
  run.write(folder / "a.nc");
  EXPECT_TRUE(std::ranges::all_of(compare_files(folder / "a.nc", folder / "a.nc").variables,
                                  [](const VariableDifference& each) { return each.is_same(); }));
  run.value = [](Field field, std::size_t component, long member, double time) {
    const double off = field == Field::q && component == 1 ? (member == 7 && time == 0.5 ? 0.25 : 1e-3) : 0;
    return fake_value(field, component, member, time) + off;
  };
  run.parameter = [](std::size_t, long member) { return static_cast<double>(member) + (member == 4 ? 1.5 : 0.5); };
  for (const char* other : {"b.nc", "b.csv"}) {
    run.write(folder / other);
    const FileDifference difference = compare_files(folder / "a.nc", folder / other);
    const auto find = [&](const std::string& name) {
      return *std::ranges::find(difference.variables, name, &VariableDifference::name);
    };
    EXPECT_NEAR(find("b").worst, 0.25, 1e-12);
    EXPECT_EQ(find("b").member, 7);
    EXPECT_EQ(find("b").time, 0.5);
    EXPECT_NEAR(find("b").typical, std::sqrt((0.0625 + 29e-6) / 30), 1e-12);
    EXPECT_TRUE(find("a").is_same());
    EXPECT_EQ(difference.times, 3U);
  }
  const FileDifference difference = compare_files(folder / "a.nc", folder / "b.nc");
  const auto mass = std::ranges::find(difference.variables, "m", &VariableDifference::name);
  ASSERT_NE(mass, difference.variables.end());
  EXPECT_EQ(mass->worst, 1);
  EXPECT_EQ(mass->member, 4);
}

TEST(Comparison, MatchesByName) {
  const TemporaryFolder folder;
  FakeRun run;
  run.write(folder / "a.nc");
  std::swap(run.system.coordinates[0], run.system.coordinates[1]);
  run.value = [](Field field, std::size_t component, long member, double time) {
    return fake_value(field, field == Field::q && component < 2 ? 1 - component : component, member, time);
  };
  run.write(folder / "b.nc");
  for (const VariableDifference& each : compare_files(folder / "a.nc", folder / "b.nc").variables) {
    EXPECT_TRUE(each.is_same()) << each.name;
  }
}

TEST(Comparison, TakesWhatBothHave) {
  const TemporaryFolder folder;
  FakeRun run;
  run.write(folder / "a.nc");
  run.times = {0.5, 1, 2};
  run.fields = {Field::q};
  run.write(folder / "b.nc");
  const FileDifference difference = compare_files(folder / "a.nc", folder / "b.nc");
  EXPECT_EQ(difference.times, 2U);
  EXPECT_GE(difference.notes.size(), 2U);
  run.members = 9;
  run.write(folder / "c.nc");
  EXPECT_THROW(compare_files(folder / "a.nc", folder / "c.nc"), Error);
  run.members = 10;
  run.times = {7};
  run.write(folder / "d.nc");
  EXPECT_THROW(compare_files(folder / "a.nc", folder / "d.nc"), Error);
  EXPECT_THROW(compare_files(folder / "a.nc", folder / "missing.nc"), Error);
}

}  // namespace
}  // namespace kalaba
