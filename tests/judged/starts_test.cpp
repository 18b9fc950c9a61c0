// Members whose constraints are not satisfied have a status that reports it, on every backend.

#include <gtest/gtest.h>

#include <cmath>

#include "kalaba/ensemble.hpp"
#include "report/text/summary.hpp"
#include "scenario/scenario.hpp"

namespace kalaba {
namespace {

const std::vector<System> none;

/// Two rods in the plane between two points 1.8 apart, with the angles as the only coordinates.
const std::string bars = R"toml(
[model]
name = "bars"
lagrangian = "J*(a_dot^2 + b_dot^2 + c_dot^2)/2"
[model.parameters]
J = "1 kg m^2"
l = "1 m"
d = "1.8 m"
[model.coordinates]
a = "rad"
b = "rad"
c = "rad"
[model.holonomic]
along = "l*cos(a) + l*cos(b) + l*cos(c) = d"
across = "l*sin(a) + l*sin(b) + l*sin(c) = 0"
[model.start]
a = 0.3
[model.time]
end = 0.1
dt = 0.01
)toml";

/// Pendulum in x and y without a constraint that keeps it on its circle.
const std::string circle = R"toml(
[model]
name = "circle"
stabilization = "none"
lagrangian = "m*(x_dot^2 + y_dot^2)/2 - m*g*y"
[model.parameters]
m = "1 kg"
g = "9.81 m/s^2"
L = "1 m"
[model.coordinates]
x = "m"
y = "m"
[model.holonomic]
rod = "x^2 + y^2 = L^2"
[model.start]
x = "L"
[model.time]
end = 4
dt = 0.05
save_every = 10
)toml";

struct Outcome {
  Summary summary;
  std::string text;
};

Outcome outcome_of(const std::string& text, Backend backend, const std::vector<std::string>& overrides = {}) {
  const Scenario scenario = load_scenario_text(text, "model.toml", overrides, none);
  Options options = scenario.options;
  options.compile = Compile::never;
  options.backend = backend;
  Outcome outcome;
  outcome.summary = run(*scenario.system, *scenario.source, options, {});
  outcome.text = summary_text(scenario.system->info, options, outcome.summary, "");
  return outcome;
}

long count(const Outcome& outcome, Status status) {
  return outcome.summary.by_status[static_cast<std::size_t>(status)];
}

class Judged : public testing::TestWithParam<Backend> {};

TEST_P(Judged, AnOpenLinkageIsAssembled) {
  const Outcome found = outcome_of(bars, GetParam());
  EXPECT_EQ(count(found, Status::ok), 1) << found.text;
  EXPECT_LE(found.summary.worst_violation, 1e-14);
  EXPECT_NE(found.text.find("1 member moved onto the constraints"), std::string::npos) << found.text;
  EXPECT_LT(std::abs(found.summary.starts.projected), 2) << "by undamped steps, a joint turns ten times";
}

TEST_P(Judged, AModelsOwnStartThatMovesIsSaid) {
  const std::string text = bars + "";
  const Outcome found = outcome_of(text, GetParam(), {"parameters.d=2.9"});
  EXPECT_EQ(found.summary.starts.members, 1);
  const Outcome straight = outcome_of(text, GetParam(), {"parameters.d=3", "initial.a=0"});
  EXPECT_EQ(straight.summary.starts.members, 0) << straight.text;
}

TEST_P(Judged, ALinkageThatCannotCloseFailsByTheNameOfItsGap) {
  const Outcome found = outcome_of(bars, GetParam(), {"parameters.d=3.5"});
  EXPECT_EQ(count(found, Status::not_assembled), 1) << found.text;
  EXPECT_NE(found.text.find("'along' stays off by -0."), std::string::npos) << found.text;
}

TEST_P(Judged, TurnsOfAnAngleExcuseNoGap) {
  // Rounding of an angle of 1e13 moves its sine by a thousandth, and no start has both.
  const std::string text = R"toml(
[model]
name = "turns"
lagrangian = "J*(a_dot^2 + b_dot^2)/2"
[model.parameters]
J = "1 kg m^2"
[model.coordinates]
a = "rad"
b = "rad"
[model.holonomic]
first = "sin(a) = 0"
second = "sin(a + b/1e15) = 0.1"
[model.start]
a = 1e13
[model.time]
end = 0.1
dt = 0.01
)toml";
  const Outcome found = outcome_of(text, GetParam());
  EXPECT_EQ(found.summary.failed(), 1) << found.text;
}

TEST_P(Judged, NothingThatNeighboursDoChangesAMember) {
  const Outcome alone = outcome_of(bars, GetParam());
  const Outcome beside = outcome_of(bars, GetParam(), {"parameters.d={values=[1.8, 3.5, 1.8]}"});
  EXPECT_EQ(count(beside, Status::ok), 2);
  EXPECT_EQ(count(beside, Status::not_assembled), 1);
  EXPECT_EQ(beside.summary.first_failed(), 1);
  EXPECT_EQ(beside.summary.worst_violation, alone.summary.worst_violation);
}

TEST_P(Judged, AViolationAtASavedTimeIsAStatus) {
  const Outcome coarse = outcome_of(circle, GetParam());
  EXPECT_EQ(count(coarse, Status::constraints_violated), 1) << coarse.text;
  EXPECT_EQ(coarse.summary.failed(), 1);
  EXPECT_NE(coarse.text.find("'rod' is off by"), std::string::npos) << coarse.text;
  const Outcome both =
      outcome_of(circle, GetParam(), {"parameters.g={values=[9.81, 981]}"});  // the second is off first
  EXPECT_EQ(count(both, Status::constraints_violated), 2) << both.text;
  EXPECT_EQ(both.summary.first_failure(), coarse.summary.first_failure());
  EXPECT_EQ(coarse.summary.first_failure().find("member 0: 'rod' is off by"), 0U) << coarse.text;
  const Outcome fine = outcome_of(circle, GetParam(), {"time.dt=0.001"});
  EXPECT_EQ(count(fine, Status::ok), 1) << fine.text;
  const Outcome held = outcome_of(circle, GetParam(), {"solver.stabilization=projection"});
  EXPECT_EQ(count(held, Status::ok), 1) << held.text;
}

TEST_P(Judged, AStartThatIsLeftOffItsConstraintsIsSaid) {
  const Outcome found =
      outcome_of(bars, GetParam(), {"initial.project=false", "solver.stabilization={baumgarte=[5, 5]}"});
  EXPECT_EQ(found.summary.starts_off, 1);
  EXPECT_NE(found.text.find("1 member off the constraints at the start, as given"), std::string::npos) << found.text;
  EXPECT_NE(found.text.find("'across' is off by"), std::string::npos) << found.text;
  EXPECT_EQ(found.text.find("the first step moves them"), std::string::npos) << found.text;
  const Outcome moved = outcome_of(bars, GetParam(), {"initial.project=false"});
  EXPECT_EQ(moved.summary.starts_off, 1);
  EXPECT_NE(moved.text.find("the first step moves them onto the constraints"), std::string::npos) << moved.text;
}

TEST_P(Judged, ADriftOffTheConstraintsIsSaid) {
  const Outcome fine = outcome_of(circle, GetParam(), {"time.dt=0.02", "time.save_every=25"});
  EXPECT_EQ(count(fine, Status::ok), 1) << fine.text;
  EXPECT_EQ(fine.summary.drifting, 1) << fine.text;
  EXPECT_NE(fine.text.find("off the constraints by more than a millionth of their terms"), std::string::npos);
  EXPECT_NE(fine.text.find("'rod' is off by"), std::string::npos) << fine.text;
  const Outcome held = outcome_of(circle, GetParam(), {"solver.stabilization=projection"});
  EXPECT_EQ(held.summary.drifting, 0) << held.text;
}

INSTANTIATE_TEST_SUITE_P(Backends, Judged, testing::Values(Backend::reference, Backend::cpu),
                         [](const auto& each) { return std::string(backend_name(each.param)); });

}  // namespace
}  // namespace kalaba
