// Models that conserve energy, and the warning of a run if energy drifts.

#include <gtest/gtest.h>

#include "kalaba/ensemble.hpp"
#include "report/text/summary.hpp"
#include "scenario/scenario.hpp"

namespace kalaba {
namespace {

const std::vector<System> none;

Scenario load(const std::string& text, const std::vector<std::string>& overrides = {}) {
  return load_scenario_text(text, "model.toml", overrides, none);
}

bool conserves(const std::string& model) {
  return load("[model]\nname = \"m\"\n" + model).system->info.conserves_energy;
}

const std::string plane = R"toml(
[model.parameters]
m = "2 kg"
g = "9.81 m/s^2"
c = "0.5 kg/s"
[model.coordinates]
x = "m"
y = "m"
[model.time]
end = 1
dt = 1e-2
)toml";
const std::string falling = "lagrangian = \"m*(x_dot^2+y_dot^2)/2 - m*g*y\"\n";

TEST(ConservedEnergy, IsFoundByTheGraph) {
  EXPECT_TRUE(conserves(falling + plane));
  EXPECT_TRUE(
      conserves(falling + plane + "[model.holonomic]\ncircle = \"x^2 + y^2 = 1[m^2]\"\n[model.start]\nx = 1\n"));
  EXPECT_TRUE(conserves(falling + plane + "[model.nonholonomic]\nedge = \"x_dot*sin(x/1[m]) = y_dot\"\n"));
  EXPECT_TRUE(conserves(falling + plane + "[model.force]\nx_dot = \"c*y_dot\"\ny_dot = \"-c*x_dot\"\n")) << "no power";
  EXPECT_TRUE(conserves("mass = [\"m\", \"m\"]\nenergy = \"m*(x_dot^2+y_dot^2)/2 + m*g*y\"\n" + plane +
                        "[model.force]\ny_dot = \"-m*g\"\n"))
      << "stated";
}

TEST(ConservedEnergy, VariesByForcesTimeAndDrives) {
  EXPECT_FALSE(conserves(falling + plane + "[model.force]\nx_dot = \"-c*x_dot\"\n")) << "damping";
  EXPECT_FALSE(conserves(falling + plane + "[model.holonomic]\ndriven = \"x = sin(t/1[s])*1[m]\"\n"));
  EXPECT_FALSE(conserves(falling + plane + "[model.nonholonomic]\nbelt = \"x_dot = 1[m/s]\"\n")) << "a belt drives";
  EXPECT_FALSE(conserves("lagrangian = \"m*(x_dot^2+y_dot^2)/2 - m*g*y*cos(t/1[s])\"\n" + plane));
  EXPECT_FALSE(conserves("mass = [\"m\", \"m\"]\nenergy = \"m*(x_dot^2+y_dot^2)/2 + 2*m*g*y\"\n" + plane +
                         "[model.force]\ny_dot = \"-m*g\"\n"))
      << "stated, of other forces";
}

std::string summary_of(const std::string& text, const std::vector<std::string>& overrides = {}) {
  const Scenario scenario = load(text, overrides);
  Options options = scenario.options;
  options.compile = Compile::never;
  const Summary summary = run(*scenario.system, *scenario.source, options, {});
  return summary_text(scenario.system->info, options, summary, "");
}

const std::string sleigh = R"toml(
[model]
name = "sleigh"
lagrangian = "m*(x_dot^2+y_dot^2)/2 + J*a_dot^2/2 - m*g*x/10"
[model.parameters]
m = "2 kg"
J = "0.5 kg m^2"
g = "9.81 m/s^2"
[model.coordinates]
x = "m"
y = "m"
a = "rad"
[model.nonholonomic]
edge = "x_dot*sin(a) = y_dot*cos(a)"
[model.invariants]
spin = "J*a_dot"
square = "m*x_dot"
[model.start]
x_dot = 1
a_dot = 3
[model.time]
end = 4
dt = 0.25
)toml";

TEST(WatchedEnergy, OfNonholonomicMotionIsReportedWithItsDrift) {
  EXPECT_NE(summary_of(sleigh).find("; warning: more than a millionth of the kinetic energy in 1 member"),
            std::string::npos);
  const std::string fine = summary_of(sleigh, {"time.dt=0.001"});
  EXPECT_NE(fine.find("energy       drifts by up to"), std::string::npos);
  EXPECT_EQ(fine.find("warning: more"), std::string::npos) << fine;
}

TEST(WatchedEnergy, IsNotHiddenByThePotentialsOffset) {
  std::string offset = sleigh;
  offset.replace(offset.find("m*g*x/10"), 8, "m*g*x/10 - 1e6[J]");
  EXPECT_NE(summary_of(offset).find("; warning: more than a millionth of the kinetic energy"), std::string::npos);
}

const std::string pendulum = R"toml(
[ensemble]
members = 1000
[parameters]
L = { linspace = [0.5, 2.0, 1000] }
[solver]
integrator = "dop853"
[time]
end = 10
save_every = "final"
[model]
name = "pendulum"
lagrangian = "m*(x_dot^2+y_dot^2)/2 - m*g*y"
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
y = 0.0
)toml";

TEST(WatchedEnergy, IsJudgedAtTurningPointsByTheMotionBefore) {
  // Some members end near rest. Without a look back, their drift exceeds a millionth of the kinetic energy.
  const std::string text = summary_of(pendulum);
  EXPECT_EQ(text.find("warning"), std::string::npos) << text;
  const std::string loose = summary_of(pendulum, {"solver.relative_tolerance=1e-3", "solver.absolute_tolerance=1e-3"});
  EXPECT_NE(loose.find("warning: more than a millionth of the kinetic energy in 1,000 members"), std::string::npos)
      << loose;
}

TEST(WatchedInvariants, ThatAreDeclaredConstantAreReportedWhereTheyAreNot) {
  const std::string text = summary_of(sleigh, {"time.dt=0.001"});
  EXPECT_NE(text.find("invariants   warning: 1 changed by more than a millionth"), std::string::npos) << text;
  EXPECT_NE(text.find("square of member 0"), std::string::npos) << text;
}

}  // namespace
}  // namespace kalaba
