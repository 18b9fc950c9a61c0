// Members that contacts, events and clocks change, on the CUDA backend compared with the cpu backend. Runs on a GPU if
// there is one (label `gpu`), and always on an emulated one.

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "backend/backends.hpp"
#include "hybrid/hybrid.hpp"

namespace kalaba {
namespace {

struct ChangesCase {
  std::string name;
  std::string text;
  std::vector<std::string> integrators = {"rk4"};
  std::string precision = "double";
  double tolerance = 1e-9;
};

/// Bounces to rest; the members have different restitutions.
const std::string ball = hybrid::ball_model + hybrid::ball_floor + R"toml(
[time]
end = 2.5
dt = 0.01
save_every = 10
[parameters]
e = { values = [0, 0.2, 0.5, 0.8, 0.9] }
)toml";

/// Collisions one after the other, and a wall that comes later.
const std::string cradle = R"toml(
[time]
end = 3.0
dt = 0.01
save_every = 10
[model]
name = "cradle"
lagrangian = "(a_dot^2 + b_dot^2 + c_dot^2)/2"
impacts = "sequential"
[model.parameters]
e = 1
v = 1
[model.coordinates]
a = ""
b = ""
c = ""
[model.start]
a = -1
b = 1
c = 2
a_dot = "v"
[model.unilateral]
ab = { gap = "b - a - 1", restitution = "e" }
bc = { gap = "c - b - 1", restitution = "e" }
wall = { gap = "4 - c", restitution = 0.5 }
[parameters]
e = { values = [1, 0.9, 0] }
v = { values = [1, 1.3] }
)toml";

/// Friction in a plane: slides, turns and stops on an incline.
const std::string block = R"toml(
[time]
end = 1.2
dt = 0.01
save_every = 10
[model]
name = "block"
lagrangian = "m*(x_dot^2 + y_dot^2 + z_dot^2)/2 - m*g*(-x*sin(al) + z*cos(al))"
[model.parameters]
m = 2
g = 9.81
al = 0.2
mu = 0.5
turn = 0.7
[model.coordinates]
x = ""
y = ""
z = ""
[model.start]
x_dot = "3*cos(turn)"
y_dot = "3*sin(turn)"
[model.unilateral]
floor = { gap = "z", friction = "mu", slip = ["x_dot", "y_dot"] }
[parameters]
turn = { values = [0.7, 3] }
mu = { values = [0.5, 0.1] }
)toml";

/// A controller with a delay, and an event that resets its state.
const std::string controller = R"toml(
[time]
end = 3.0
dt = 0.01
save_every = 10
[model]
name = "controlled"
[model.parameters]
k = "4 1/s^2"
p = "3 1/s^2"
[model.discrete]
u = { start = 0, unit = "m/s^2" }
n = 0
[model.coordinates]
x = "m"
[model.mass]
x = 1
[model.force]
x = "-k*x + u"
[model.start]
x = 1
[[model.clocks]]
name = "controller"
every = 0.1
delay = 2
set = { u = "-p*x" }
[[model.events]]
name = "turns"
when = "x_dot"
set = { n = "n + 1", x_dot = "0.1[m/s]" }
[parameters]
p = { values = [1, 3, 5] }
)toml";

/// Clocks alone, without an event.
const std::string counter = R"toml(
[time]
end = 2.0
dt = 0.01
save_every = 20
[model]
name = "counter"
[model.discrete]
n = 0
[model.coordinates]
x = "m"
[model.mass]
x = 1
[model.force]
x = "-k*x"
[model.parameters]
k = "4 1/s^2"
[model.start]
x = 1
[[model.clocks]]
name = "count"
every = 0.123
set = { n = "n + 1", x_dot = "x_dot + 0.01[m/s]" }
[parameters]
k = { values = [1, 4] }
)toml";

/// A rope that becomes taut by an event.
const std::string rope = R"toml(
[time]
end = 1.5
dt = 0.01
save_every = 10
[model]
name = "rope"
lagrangian = "m*(x_dot^2 + y_dot^2)/2 - m*9.81*y"
[model.parameters]
m = 1
[model.discrete]
taut = 0
[model.coordinates]
x = ""
y = ""
[model.holonomic]
rope = { is = "x^2 + y^2 = 1", while = "taut" }
[model.start]
x = 0.6
y = 0.3
[[model.events]]
name = "tightens"
when = "taut < 0.5 and x^2 + y^2 > 1"
set = { taut = 1 }
[initial]
x = { values = [0.6, 0.3] }
)toml";

const std::string brownian = R"toml(
[time]
end = 1.0
dt = 0.02
save_every = 10
[ensemble]
members = 5
seed = 3
[model]
name = "brownian"
lagrangian = "m*x_dot^2/2 - k*x^2/2"
[model.parameters]
m = "1 kg"
k = "3 N/m"
c = "0.5 kg/s"
s = "0.3 N s^(1/2)"
[model.coordinates]
x = "m"
[model.force]
x = "-c*x_dot"
[model.noise]
every = 0.1
x = "s"
)toml";

void skip_without_gpu() {
  if (!cuda_available()) GTEST_SKIP() << "no GPU: " << cuda_unavailable_reason();
}
class CudaChanges : public testing::TestWithParam<ChangesCase> {
 protected:
  void SetUp() override { skip_without_gpu(); }
};
class CudaSaltation : public testing::Test {
 protected:
  void SetUp() override { skip_without_gpu(); }
};

INSTANTIATE_TEST_SUITE_P(, CudaChanges,
                         testing::Values(ChangesCase{"ball", ball, {"rk4", "dop853", "rodas5p"}},
                                         ChangesCase{"single", ball, {"rk4"}, "single", 2e-4},
                                         ChangesCase{"cradle", cradle}, ChangesCase{"block", block},
                                         ChangesCase{"controller", controller, {"rk4", "dopri5"}},
                                         ChangesCase{"counter", counter}, ChangesCase{"rope", rope},
                                         ChangesCase{"brownian", brownian}),
                         [](const auto& info) { return info.param.name; });

TEST_P(CudaChanges, AreThoseOfTheCpu) {
  const ChangesCase& of = GetParam();
  const std::string fields = of.name == "brownian" ? R"("q", "w")" : R"("q", "w", "invariants")";
  const std::string text = "[output]\nfields = [" + fields + "]\n" + of.text;
  const auto near = [&](double a, double b) { return std::isnan(b) ? std::isnan(a) : std::abs(a - b) < of.tolerance; };
  for (const std::string& integrator : of.integrators) {
    const std::vector<std::string> both = {"solver.integrator=" + integrator, "solver.precision=" + of.precision,
                                           "solver.threads=1"};
    const auto on = [&](const std::string& backend) {
      std::vector<std::string> overrides = both;
      overrides.push_back("solver.backend=" + backend);
      return load_scenario_text(text, "changes.toml", overrides);
    };
    const auto result_of = [](const Scenario& scenario) {
      return run(evenly_chosen(*scenario.system, *scenario.source, scenario.members), scenario.options);
    };
    const Scenario scenario = on("cpu");
    const SystemInfo& info = scenario.system->info;
    const Result cpu = result_of(scenario);
    const Result gpu = result_of(on("cuda"));
    const std::size_t members = cpu.status().size();
    for (std::size_t i = 0; i < members; ++i) {
      EXPECT_EQ(cpu.status()[i], Status::ok) << integrator << ' ' << i;
      EXPECT_EQ(gpu.status()[i], cpu.status()[i]) << integrator << ' ' << i;
      for (const Event& event : with_contacts(scenario.options.events, info)) {
        EXPECT_EQ(gpu.event_count(event.name)[i], cpu.event_count(event.name)[i]) << integrator << event.name << i;
        EXPECT_TRUE(near(gpu.event_time(event.name)[i], cpu.event_time(event.name)[i])) << event.name << i;
        EXPECT_TRUE(near(gpu.event_last_time(event.name)[i], cpu.event_last_time(event.name)[i])) << event.name << i;
      }
      for (std::size_t frame = 0; frame < cpu.times().size(); ++frame) {
        for (const auto* names : {&info.coordinates, &info.rates, &info.invariants}) {
          for (const Variable& each : *names) {
            EXPECT_TRUE(near(gpu.values(each.name, frame)[i], cpu.values(each.name, frame)[i]))
                << integrator << ' ' << each.name << " of " << i << " at " << cpu.times()[frame] << ": "
                << gpu.values(each.name, frame)[i] << ", " << cpu.values(each.name, frame)[i];
          }
        }
      }
    }
  }
}

/// Derivatives through impacts.
TEST_F(CudaSaltation, IsThatOfTheCpu) {
  for (const char* integrator : {"rk4", "dop853"}) {
    const auto run_on = [&](const std::string& backend) {
      return hybrid::run_text(
          ball, {"solver.backend=" + backend, std::string("solver.integrator=") + integrator, "solver.threads=1",
                 "time.end=1.5", "sensitivities.of=[\"parameters.R\", \"parameters.e\", \"initial.y\"]"});
    };
    const Result cpu = run_on("cpu");
    const Result gpu = run_on("cuda");
    for (std::size_t i = 0; i < cpu.status().size(); ++i) {
      EXPECT_EQ(gpu.status()[i], Status::ok) << integrator << ' ' << i;
      for (const char* of : {"y", "y_dot"}) {
        for (const char* to : {"parameters.R", "parameters.e", "initial.y"}) {
          const std::string column = std::string("sensitivity_") + of + "_to_" + to;
          const double expected = hybrid::last_value(cpu, column.c_str(), i);
          ASSERT_TRUE(std::isfinite(expected)) << column;
          EXPECT_NEAR(hybrid::last_value(gpu, column.c_str(), i), expected, 1e-8 * (1 + std::abs(expected))) << column;
        }
      }
    }
  }
}

}  // namespace
}  // namespace kalaba
