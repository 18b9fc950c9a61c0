// Contacts beside other bodies, modes, units and steps.

#include <cmath>
#include <string>
#include <vector>

#include "hybrid/hybrid.hpp"

namespace kalaba {
namespace {

using hybrid::run_text;

Result run_quickly(const std::string& text, std::vector<std::string> more = {}) {
  more.insert(more.end(), {"solver.backend=cpu", "solver.compile=never", "solver.threads=1"});
  return run_text(text, more);
}
double at_end(const Result& result, const char* name, std::size_t member = 0) {
  return result.values(name, result.times().size() - 1)[member];
}

/// The impact on the floor must not act as if the wall were closed.
TEST(ContactEdges, AModeActsInItsOwnRowsAlone) {
  const std::string text = R"toml(
[output]
fields = ["q", "w", "invariants"]
[time]
end = 2.0
dt = 0.005
save_every = 100
[model]
name = "held"
[model.parameters]
m = "1 kg"
g = "9.81 m/s^2"
W = "10 m"
k = 0
[model.coordinates]
x = "m"
y = "m"
[model.mass]
x = "m"
y = "m"
[model.force]
y = "-m*g + k*m*g*wall_closed"
[model.start]
y = 1
x_dot = 2
[model.holonomic]
hold = { is = "x = W", while = "wall_closed" }
[model.unilateral]
floor = { gap = "y", restitution = 0.5 }
wall = { gap = "W - x", restitution = 0 }
)toml";
  for (const char* k : {"parameters.k=0", "parameters.k=3"}) {
    const Result result = run_quickly(text, {k});
    ASSERT_EQ(result.status()[0], Status::ok) << k;
    EXPECT_NEAR(at_end(result, "x"), 4, 1e-12) << k;
    EXPECT_GE(result.event_count("floor")[0], 5) << k;
    EXPECT_EQ(result.event_count("wall")[0], 0) << k;
  }
}

/// Momenta of a free body must not count as terms of the rate of another's gap.
TEST(ContactEdges, ALightBodyBouncesBesideAHeavyOne) {
  const std::string text = R"toml(
[output]
fields = ["q", "w"]
[time]
end = 0.4
dt = 0.001
save_every = 400
[model]
name = "grain"
lagrangian = "m*y_dot^2/2 - m*g*y + M*x_dot^2/2"
[model.parameters]
m = "1e-9 kg"
M = "1000 kg"
g = "9.81 m/s^2"
v = "0 m/s"
[model.coordinates]
y = "m"
x = "m"
[model.start]
y = 0.01
x_dot = "v"
[model.unilateral]
floor = { gap = "y", restitution = 0.8 }
)toml";
  const Result still = run_quickly(text);
  const Result fast = run_quickly(text, {"parameters.v=7000"});
  ASSERT_EQ(fast.status()[0], Status::ok);
  EXPECT_GE(still.event_count("floor")[0], 10);
  EXPECT_EQ(fast.event_count("floor")[0], still.event_count("floor")[0]);
  EXPECT_NEAR(at_end(fast, "y"), at_end(still, "y"), 1e-12);
}

/// The size of an angle must not count as the size of a gap.
TEST(ContactEdges, AGapIsJudgedByItsOwnTerms) {
  const std::string text = R"toml(
[output]
fields = ["q", "w"]
[time]
end = 3.0
dt = 0.01
save_every = 300
[model]
name = "cradle"
lagrangian = "m*(a_dot^2 + b_dot^2 + c_dot^2)/2 + m*d^2*z_dot^2/2"
[model.parameters]
m = "1 kg"
d = "1 m"
[model.coordinates]
a = "m"
b = "m"
c = "m"
z = "1"
[model.start]
a = -1
b = 1
c = 2.0005
a_dot = 1
[model.unilateral]
ab = { gap = "b - a - d", restitution = 1 }
bc = { gap = "c - b - d", restitution = 1 }
)toml";
  for (const char* z : {"initial.z=0", "initial.z=1e6"}) {
    const Result result = run_quickly(text, {z});
    ASSERT_EQ(result.status()[0], Status::ok) << z;
    EXPECT_NEAR(at_end(result, "a_dot"), 0, 1e-12) << z;
    EXPECT_NEAR(at_end(result, "b_dot"), 0, 1e-12) << z;
    EXPECT_NEAR(at_end(result, "c_dot"), 1, 1e-12) << z;
  }
}

const std::string off_its_rope = R"toml(
[initial]
project = false
[output]
fields = ["q", "w"]
[time]
end = 0.01
dt = 0.01
save_every = 1
[model]
name = "pf"
lagrangian = "m*(x_dot^2+y_dot^2)/2 - m*g*y"
[model.parameters]
m = "2 kg"
g = "9.81 m/s^2"
L = "1 m"
[model.discrete]
u = 0
[model.coordinates]
x = "m"
y = "m"
[model.start]
x = "L"
y = "0"
x_dot = 0.5
y_dot = 0.3
[model.holonomic]
rope = "x^2+y^2 = L^2"
)toml";

TEST(ContactEdges, AStartThatIsNotProjectedStaysAsItIs) {
  for (const char* more : {"[model.unilateral]\nfloor = { gap = \"y + 5*L\" }\n",
                           "[[model.clocks]]\nname = \"c\"\nevery = 0.5\nset = { u = 1 }\n"}) {
    const Result result = run_quickly(off_its_rope + more);
    EXPECT_EQ(result.values("x_dot", 0)[0], 0.5) << more;
    EXPECT_EQ(result.values("y_dot", 0)[0], 0.3) << more;
  }
}

/// A change that moves a floor above a body names the contact and its gap.
TEST(ContactEdges, AFloorThatRisesAboveABodyIsNamed) {
  const std::string text = R"toml(
[time]
end = 1
dt = 0.01
[model]
name = "lift"
lagrangian = "m*y_dot^2/2 - m*g*y"
[model.parameters]
m = "1 kg"
g = "9.81 m/s^2"
[model.discrete]
h = { start = 0, unit = "m" }
[model.coordinates]
y = "m"
[model.start]
y = 1
[model.unilateral]
floor = { gap = "y - h" }
[[model.clocks]]
name = "lift"
every = 10
offset = 0.7
set = { h = 0.5 }
)toml";
  for (const char* backend : {"cpu", "reference"}) {
    const Result result = run_text(text, {std::string("solver.backend=") + backend});
    EXPECT_EQ(result.status()[0], Status::constraints_violated) << backend;
    EXPECT_EQ(result.summary.first_failure(), "member 0: the gap of the contact 'floor' is -0.5 m, where y is 0")
        << backend;
  }
}

/// A backend that cannot run contacts must not run the model without them.
TEST(ContactEdges, AModelThatCannotBeInterpretedKeepsItsContacts) {
  const std::string text = R"toml(
[output]
fields = ["q"]
[time]
end = 1.0
dt = 0.01
save_every = 100
[model]
name = "two"
lagrangian = "m*(a_dot^2 + b_dot^2)/2 - m*g*(a+b)"
[model.parameters]
m = "1 kg"
g = "9.81 m/s^2"
[model.coordinates]
a = "m"
b = "m"
[model.start]
a = 1
b = 1.3
[model.unilateral]
fa = { gap = "a", restitution = 0.5 }
fb = { gap = "b", restitution = 0.5 }
)toml";
  try {
    const Result result = run_quickly(text, {"solver.integrator=dopri5"});
    EXPECT_GE(at_end(result, "a"), -1e-9);
    EXPECT_GE(at_end(result, "b"), -1e-9);
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("contacts"), std::string::npos) << error.what();
  }
}

/// A ball bounces into the valley of a terrain that a table states, and slides there: its height is that of the
/// terrain.
TEST(ContactsOnATerrain, SlideInItsValley) {
  const std::string terrain = R"toml(
[time]
end = 2
dt = 0.005
save_every = 20
[model]
name = "terrain"
lagrangian = "m*(x_dot^2 + y_dot^2)/2 - m*9.81[m/s^2]*y"
[model.parameters]
m = "1 kg"
[model.tables]
h = { places = [-2, -1, 0, 1, 2, 3], values = [1, 0.3, 0, 0.3, 1, 2], units = ["m", "m"] }
[model.coordinates]
x = "m"
y = "m"
[model.invariants]
height = { is = "table(x, 'h')", kind = "free" }
[model.start]
x = -0.7
y = 1
[model.unilateral]
ground = { gap = "y - table(x, 'h')", restitution = 0.4 }
)toml";
  std::vector<double> ends;
  for (const hybrid::Way& way : {hybrid::Way{"cpu", "rk4", "never"}, {"cpu", "rk4", "always"}, {"reference", "rk4"}}) {
    const Result result = run_text(terrain, way);
    ASSERT_EQ(result.status()[0], Status::ok) << hybrid::name_of(way);
    EXPECT_EQ(hybrid::last_value(result, "ground_closed"), 1);
    EXPECT_NEAR(hybrid::last_value(result, "y"), hybrid::last_value(result, "height"), 1e-12);
    for (std::size_t frame = 0; frame < result.times().size(); ++frame) {
      EXPECT_GE(result.values("y", frame)[0], result.values("height", frame)[0] - 1e-9);
    }
    ends.push_back(hybrid::last_value(result, "x"));
  }
  EXPECT_NEAR(ends[1], ends[0], 1e-10);
  EXPECT_NEAR(ends[2], ends[0], 1e-10);
}

}  // namespace
}  // namespace kalaba
