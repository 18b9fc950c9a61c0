// A delta robot whose arms pass through positions in which its rods are dependent, by all adaptive integrators: the
// motion does not depend on the integrator, at the ends of steps and within them.

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "hybrid/hybrid.hpp"

namespace kalaba {
namespace {

using hybrid::run_text;
using hybrid::Way;

const std::string delta_robot = R"toml(
[time]
end = 0.7
dt = 1e-3
save_every = 10
[output]
fields = ["q", "w", "sigma_kept"]
[model]
name = "delta"
coordinates = "joint"
gravity = [0, 0, -9.81]
[model.bodies]
pl = { mass = 1.2, inertia = [0.01, 0.012, 0.02] }
arm0 = { mass = 0.4, inertia = [0.001, 0.004, 0.004], com = [0.13, 0, 0] }
arm1 = { mass = 0.5, inertia = [0.001, 0.004, 0.004], com = [0.13, 0, 0] }
arm2 = { mass = 0.6, inertia = [0.001, 0.004, 0.004], com = [0.13, 0, 0] }
[model.joints.base]
child = "pl"
type = "free"
[model.joints.m0]
child = "arm0"
type = "hinge"
at = [0.19106729782512122, 0.05910404133226791, 0]
axis = [0, 1, 0]
quat = [0.9887710779360422, 0, 0, 0.14943813247359922]
damping = 0.02
armature = 0.003
[model.joints.m1]
child = "arm1"
type = "hinge"
at = [-0.14671925017263002, 0.1359171130828683, 0]
axis = [0, 1, 0]
quat = [0.36496831995178014, 0, 0, 0.9310199382567352]
damping = 0.02
armature = 0.003
[model.joints.m2]
child = "arm2"
type = "hinge"
at = [-0.04434804765249126, -0.19502115441513612, 0]
axis = [0, 1, 0]
quat = [-0.6238027579842621, 0, 0, 0.7815818057831363]
damping = 0.02
armature = 0.003
[model.joints]
r0a = { parent = "arm0", child = "pl", type = "distance", length = 0.8, at = [0.3, -0.04, 0], child_at = [0.05958763272273389, -0.023437449231957265, 0] }
r0b = { parent = "arm0", child = "pl", type = "distance", length = 0.8, at = [0.3, 0.04, 0], child_at = [0.03594601618982672, 0.05298946989809122, 0] }
r1a = { parent = "arm1", child = "pl", type = "distance", length = 0.8, at = [0.3, -0.04, 0], child_at = [-0.009496389926583845, 0.06332312830524307, 0] }
r1b = { parent = "arm1", child = "pl", type = "distance", length = 0.8, at = [0.3, 0.04, 0], child_at = [-0.06386323515973116, 0.004635428236191074, 0] }
r2a = { parent = "arm2", child = "pl", type = "distance", length = 0.8, at = [0.3, -0.04, 0], child_at = [-0.05009124279615004, -0.03988567907328578, 0] }
r2b = { parent = "arm2", child = "pl", type = "distance", length = 0.8, at = [0.3, 0.04, 0], child_at = [0.027917218969904414, -0.05762489813428228, 0] }
[model.forces]
motor = { joint = "m0", torque = "0.5*sin(4[1/s]*t)" }
spring = { from = ["pl", 0, 0, 0], to = ["arm1", 0.3, 0, 0], stiffness = 5, length = 0.4, damping = 0.3 }
[model.start]
base_z = -0.7
m0 = 0.3
m1 = 0.3
m2 = 0.3
)toml";

const std::vector<std::string> states = {"m0", "m1", "m2", "m0_dot", "m1_dot", "m2_dot", "base_x_dot", "base_z_dot"};

std::vector<std::string> at_tolerance(const Way& way, const std::string& tolerance) {
  std::vector<std::string> keys = {std::string("solver.backend=") + way.backend,
                                   std::string("solver.integrator=") + way.integrator, "solver.threads=1",
                                   "solver.relative_tolerance=" + tolerance, "solver.absolute_tolerance=" + tolerance};
  if (std::string(way.backend) == "cpu") keys.push_back(std::string("solver.compile=") + way.compile);
  return keys;
}

/// Largest difference of two runs at the saved times `first` to `last`.
double difference(const Result& a, const Result& b, std::size_t first, std::size_t last) {
  double largest = 0;
  for (const std::string& name : states) {
    for (std::size_t k = first; k <= last; ++k) {
      const auto of_a = a.values(name, k);
      const auto of_b = b.values(name, k);
      for (std::size_t i = 0; i < of_a.size(); ++i) largest = std::max(largest, std::abs(of_a[i] - of_b[i]));
    }
  }
  return largest;
}

class DeltaRobot : public testing::TestWithParam<Way> {};
INSTANTIATE_TEST_SUITE_P(, DeltaRobot,
                         testing::Values(Way{"cpu", "dopri5", "always"}, Way{"cpu", "dop853", "always"},
                                         Way{"cpu", "taylor", "always"}, Way{"cpu", "rodas5p", "always"},
                                         Way{"reference", "dop853", "auto"}),
                         [](const auto& info) { return hybrid::name_of(info.param); });

/// The velocity at 0.52 s follows from SciPy's DOP853 at 1e-12 on equations made by hand; the position is passed at
/// 0.532 s.
TEST_P(DeltaRobot, HasItsVelocityWithinAStepNearASingularPosition) {
  for (const char* tolerance : {"1e-8", "1e-10"}) {
    const Result result = run_text(delta_robot, at_tolerance(GetParam(), tolerance));
    ASSERT_EQ(result.status()[0], Status::ok);
    EXPECT_NEAR(result.times()[52], 0.52, 1e-12);
    EXPECT_NEAR(result.values("m2_dot", 52)[0], -3.89739533, 5e-6) << tolerance;
    EXPECT_NEAR(result.values("m2", 70)[0], 2.45028158, 1e-6) << tolerance;
  }
}

/// Starts that pass positions slowly or fast, some of them twice. Steps of a fixed length have no control that could
/// fail: two lengths agree to 3e-5.
TEST_P(DeltaRobot, MovesAsByShortEqualStepsAtEveryTolerance) {
  const Way& way = GetParam();
  const bool is_slow = std::string(way.backend) == "reference";
  const std::vector<std::string> starts = {"initial.m0={uniform=[0.25, 0.35]}",
                                           std::string("ensemble.members=") + (is_slow ? "3" : "16")};
  std::vector<std::string> equal_steps = starts;
  equal_steps.insert(equal_steps.end(), {"time.dt=2e-5", "time.save_every=500"});
  const Result truth = run_text(delta_robot, Way{"cpu", "rk4", "always"}, equal_steps);
  for (const char* tolerance : {"1e-6", "1e-8", "1e-10", "1e-12"}) {
    std::vector<std::string> keys = at_tolerance(way, tolerance);
    keys.insert(keys.end(), starts.begin(), starts.end());
    keys.emplace_back("solver.max_steps=6000");
    const Result result = run_text(delta_robot, keys);
    for (const Status status : result.status()) ASSERT_EQ(status, Status::ok) << tolerance;
    const bool is_loose = std::string(tolerance) == "1e-6";
    EXPECT_LT(difference(result, truth, 0, 55), is_loose ? 1e-2 : 1e-4) << tolerance;
    EXPECT_LT(difference(result, truth, 56, 70), is_loose ? 2e-2 : 2e-4) << tolerance;
  }
}

}  // namespace
}  // namespace kalaba
