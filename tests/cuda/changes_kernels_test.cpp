// The run-time compiler accepts the kernels of members that contacts, events and clocks change; no GPU is needed.

#include <gtest/gtest.h>

#include <string>

#include "cuda/quick_options.hpp"
#include "hybrid/hybrid.hpp"
#include "kalaba/event.hpp"
#include "kalaba/sensitivities.hpp"

namespace kalaba {
namespace {

/// Compiles the programs that move and observe members.
void expect_motion_read(const System& system, const Options& options) {
  cuda::expect_read({cuda::motion_source(system.device_code, options, 1),
                     cuda::observation_source(system.device_code, options, 1, options.fields)});
}

/// Contacts with both kinds of friction, a clock with a delay, an event with `set`, and noise.
const std::string all_changes = R"toml(
[model]
name = "blocks"
lagrangian = "m*(x_dot^2 + y_dot^2 + z_dot^2 + r_dot^2 + s_dot^2)/2 - m*g*(z + s)"
[model.parameters]
m = "2 kg"
g = "9.81 m/s^2"
mu = 0.3
[model.discrete]
u = { start = 0, unit = "m/s" }
n = 0
[model.coordinates]
x = "m"
y = "m"
z = "m"
r = "m"
s = "m"
[model.noise]
every = 0.1
x = "0.1[N*s^(1/2)]"
[model.unilateral]
floor = { gap = "z", friction = "mu", slip = ["x_dot - u", "y_dot"] }
ground = { gap = "s", friction = "mu", slip = "r_dot", restitution = 0.2 }
wall = { gap = "2[m] - r" }
[[model.events]]
name = "turns"
when = "y_dot"
set = { n = "n + 1" }
[[model.clocks]]
name = "belt"
every = 0.5
delay = 1
set = { u = "0.1*x_dot" }
)toml";

TEST(ChangesKernels, Compile) {
  const Scenario scenario =
      load_scenario_text(all_changes, "changes.toml", {"solver.integrator=rk4", "solver.pseudo_inverse=svd"});
  Options options = scenario.options;
  options.watch = watch_of(options.events, scenario.system->info, options.clocks);
  expect_motion_read(*scenario.system, options);
}

/// Integrators that use series or slopes, with sensitivities, a kink, a jump and
/// a force that depends on a reaction.
TEST(SeriesKernels, Compile) {
  const std::string text = R"toml(
[model]
name = "pulled"
lagrangian = "(x_dot^2 + y_dot^2)/2 - x"
[model.parameters]
f = 1.0
[model.coordinates]
x = ""
y = ""
[model.force]
x = "-abs(x_dot)*x_dot + FORCE"
[model.non_ideal]
x = "-0.1*abs(ideal.ring)*x_dot"
[model.holonomic]
ring = "x^2 + y^2 = 1"
[model.start]
y = 1
[sensitivities]
of = ["parameters.f"]
)toml";
  for (const auto& [integrator, force] : {std::pair("taylor", "f*sign(y)"), std::pair("rodas5p", "f*y")}) {
    std::string own = text;
    own.replace(own.find("FORCE"), 5, force);
    const Scenario scenario = load_scenario_text(own, "series.toml", {std::string("solver.integrator=") + integrator});
    Options options = scenario.options;
    options.sensitivities = sensitivity_plan(*scenario.system, *scenario.source);
    expect_motion_read(*scenario.system, options);
  }
}

}  // namespace
}  // namespace kalaba
