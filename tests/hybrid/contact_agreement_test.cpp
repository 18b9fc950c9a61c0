// Contacts on the backends cpu and reference, which find impacts by different algorithms: times of impacts, numbers of
// impacts, final states and statuses, in units scaled by 1e-3 and 1e3, and from perturbed starts.

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "hybrid/hybrid.hpp"

namespace kalaba {
namespace {

using hybrid::overrides_of;
using hybrid::run_text;
using hybrid::Way;

/// A model with contacts. Its text has marks for numbers that depend on units: "$2" is a length (or an acceleration or
/// speed), "#2" a mass.
struct Case {
  const char* name;
  std::string text;
  std::vector<std::string> coordinates;
  std::vector<std::string> contacts;
  /// Bound on the relative differences of times and states.
  double tolerance = 1e-12;
  /// Several sets of contacts can carry the member, or several contacts close at one instant, of which the first is
  /// recorded: the numbers of impacts and the closed contacts are not unique.
  bool is_degenerate = false;
};

/// Replaces the marks by numbers in a unit of length `scale` and a corresponding unit of mass; each number is changed
/// by up to `perturbation`.
std::string in_units(const std::string& text, double scale, double perturbation = 0) {
  std::string result;
  int count = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '$' && text[i] != '#') {
      result += text[i];
      continue;
    }
    std::size_t length = 0;
    const double unit = text[i] == '$' ? scale : 1 / scale;
    const double number = std::stod(text.substr(i + 1), &length) * unit * (1 + perturbation * std::sin(++count));
    char digits[32];
    std::snprintf(digits, sizeof(digits), "%.17g", number);
    result += digits;
    i += length;
  }
  return result;
}

const std::string bounces = R"(
[parameters]
e = { linspace = [0, 0.9, 7] }
[time]
end = 5.0
dt = 0.01
save_every = 50
[model]
name = "bounces"
lagrangian = "m*y_dot^2/2 - m*g*y"
[model.parameters]
m = #2
g = $9.81
R = $0.1
e = 0.8
[model.coordinates]
y = ""
[model.start]
y = $1.1
[model.unilateral]
floor = { gap = "y - R", restitution = "e" }
)";

const std::string slope = R"(
[time]
end = 3.0
dt = 0.01
save_every = 50
[model]
name = "slope"
lagrangian = "m*(x_dot^2 + y_dot^2)/2 - m*g*y"
[model.parameters]
m = #1
g = $9.81
al = 0.3
[model.coordinates]
x = ""
y = ""
[model.start]
y = $1
x_dot = $0.4
[model.unilateral]
plane = { gap = "y*cos(al) + x*sin(al)",
                  restitution = 0.5
}
)";

/// Balls on springs, in contact at rest, of which the first one is released at a distance.
std::string cradle(int balls, const std::string& order, double e) {
  std::string kinetic;
  std::string elastic;
  std::string coordinates;
  std::string contacts;
  std::string start = "x1 = $-0.5\n";
  for (int i = 1; i <= balls; ++i) {
    const std::string x = "x" + std::to_string(i);
    kinetic += (i > 1 ? " + " : "") + x + "_dot^2";
    elastic += (i > 1 ? " + (" : "(") + x + " - " + std::to_string(i - 1) + "*d)^2";
    coordinates += x + " = \"\"\n";
    if (i > 1) start += x + " = \"" + std::to_string(i - 1) + "*d\"\n";
    if (i < balls) {
      contacts += "c" + std::to_string(i) + " = { gap = \"x" + std::to_string(i + 1) + " - " + x +
                  " - d\", restitution = " + std::to_string(e) + " }\n";
    }
  }
  return "[time]\nend = 2.8\ndt = 0.01\nsave_every = 20\n[model]\nname = \"cradle\"\nlagrangian = \"m*(" + kinetic +
         ")/2 - k*(" + elastic + ")/2\"\nimpacts = \"" + order +
         "\"\n[model.parameters]\nm = #1\nk = #10\nd = $1\n[model.coordinates]\n" + coordinates + "[model.start]\n" +
         start + "[model.unilateral]\n" + contacts;
}

/// A block that rocks on a smooth floor to rest.
const std::string block = R"(
[time]
end = 3.0
dt = 0.01
save_every = 50
[model]
name = "block"
lagrangian = "m*y_dot^2/2 + m*(b^2 + h^2)/6*th_dot^2 - m*g*y"
[model.parameters]
m = #1
b = $0.1
h = $0.4
g = $9.81
[model.coordinates]
y = ""
th = ""
[model.start]
th = 0.1
y = "b*sin(th) + h*cos(th)"
[model.unilateral]
left = { gap = "y - b*sin(th) - h*cos(th)" }
right = { gap = "y + b*sin(th) - h*cos(th)" }
)";

/// Double pendulum in Cartesian coordinates, each rod stated twice, and a wall for the lower bob.
const std::string pendulum = R"(
[time]
end = 2.0
dt = 2e-3
save_every = 100
[model]
name = "pendulum"
lagrangian = "m*(x_dot^2 + y_dot^2 + u_dot^2 + v_dot^2)/2 - m*g*(y + v)"
[model.parameters]
m = #1
L = $1
g = $9.81
[model.coordinates]
x = ""
y = ""
u = ""
v = ""
[model.start]
x = "L*sin(1)"
y = "-L*cos(1)"
u = "x + L*sin(0.6)"
v = "y - L*cos(0.6)"
[model.holonomic]
upper = "x^2 + y^2 = L^2"
lower = "(u - x)^2 + (v - y)^2 = L^2"
upper_again = "2*x^2 + 2*y^2 = 2*L^2"
lower_again = "L*((u - x)^2 + (v - y)^2) = L^3"
[model.unilateral]
wall = { gap = "u + 0.3*L", restitution = 0.8 }
)";

/// Pendulum with its rod and its wall stated twice, that comes to rest at the wall.
const std::string redundant = R"(
[time]
end = 3.0
dt = 5e-3
save_every = 100
[model]
name = "redundant"
lagrangian = "m*(x_dot^2 + y_dot^2)/2 - m*g*y"
[model.parameters]
m = #1
L = $1
g = $9.81
[model.coordinates]
x = ""
y = ""
[model.start]
x = "L*sin(1.2)"
y = "-L*cos(1.2)"
[model.holonomic]
rod = "x^2 + y^2 = L^2"
rod_again = "(x^2 + y^2)/2 = L^2/2"
[model.unilateral]
wall = { gap = "x - 0.2*L", restitution = 0.4 }
wall_again = { gap = "3*x - 0.6*L", restitution = 0.4 }
)";

const std::string limit = R"(
[time]
end = 4.0
dt = 5e-3
save_every = 100
[model]
name = "limit"
lagrangian = "m*L^2*th_dot^2/2 + m*g*L*cos(th)"
[model.parameters]
m = #1
L = $1
g = $9.81
[model.coordinates]
th = ""
[model.start]
th = -0.8
[model.unilateral]
stop = { gap = "0.3 - th", restitution = 0.2 }
)";

/// Ball on a plate that shakes it off.
const std::string shaken = R"(
[time]
end = 1.0
dt = 2e-3
save_every = 50
[model]
name = "shaken"
lagrangian = "m*y_dot^2/2 - m*g*y"
[model.parameters]
m = #1
g = $9.81
A = $0.05
[model.coordinates]
y = ""
[model.start]
y = $0.2
[model.unilateral]
plate = { gap = "y - A*sin(20*t)", restitution = 0.3
}
)";

/// Plank that lands on two stops by Poisson's law, with different restitutions.
const std::string plank = R"(
[time]
end = 2.0
dt = 5e-3
save_every = 100
[model]
name = "plank"
lagrangian = "m*y_dot^2/2 + m*b^2/6*th_dot^2 - m*g*y"
[model.parameters]
m = #1
g = $9.81
b = $0.5
[model.coordinates]
y = ""
th = ""
[model.start]
y = $0.3
th = 0.1
[model.unilateral]
left = { gap = "y - b*sin(th)", restitution = 0.3, law = "poisson"
}
right = { gap = "y + b*sin(th)", restitution = 0.6, law = "poisson" }
)";

/// Ball that rests on a floor and is thrown by an event, and caught by a clock.
const std::string thrown = R"(
[time]
end = 2.0
dt = 0.01
save_every = 50
[[events]]
name = "throw"
when = "t - 0.503"
set = { y_dot = "y_dot + v" }
[[clocks]]
name = "catch"
every = 1.0
offset = 0.7
set = { y_dot = "-y_dot" }
[model]
name = "thrown"
lagrangian = "m*y_dot^2/2 - m*g*y"
[model.parameters]
m = #1
g = $9.81
v = $3
[model.coordinates]
y = ""
[model.unilateral]
floor = { gap = "y", restitution = 0.5 }
)";

const std::vector<Case>& cases() {
  static const std::vector<Case> all = {
      {"bounces", bounces, {"y"}, {"floor"}},
      {"slope", slope, {"x", "y"}, {"plane"}},
      {"cradle_of_three_simultaneous", cradle(3, "simultaneous", 1), {"x1", "x2", "x3"}, {"c1", "c2"}},
      {"cradle_of_three_sequential", cradle(3, "sequential", 1), {"x1", "x2", "x3"}, {"c1", "c2"}},
      {"cradle_of_five_simultaneous", cradle(5, "simultaneous", 1), {"x1", "x2", "x3", "x4", "x5"}, {"c1", "c4"}},
      {"cradle_of_five_sequential", cradle(5, "sequential", 1), {"x1", "x2", "x3", "x4", "x5"}, {"c1", "c4"}},
      {"lossy_cradle_of_five", cradle(5, "sequential", 0.75), {"x1", "x2", "x3", "x4", "x5"}, {"c1", "c4"}},
      {"block", block, {"y", "th"}, {"left", "right"}},
      {"pendulum", pendulum, {"x", "y", "u", "v"}, {"wall"}},
      {"redundant", redundant, {"x", "y"}, {"wall", "wall_again"}, 1e-12, true},
      {"limit", limit, {"th"}, {"stop"}},
      {"shaken", shaken, {"y"}, {"plate"}},
      {"plank", plank, {"y", "th"}, {"left", "right"}},
      {"thrown", thrown, {"y"}, {"floor"}},
  };
  return all;
}

double largest(const Result& result, const std::string& column, std::size_t member) {
  double size = 0;
  for (std::size_t frame = 0; frame < result.times().size(); ++frame) {
    size = std::max(size, std::abs(result.values(column, frame)[member]));
  }
  return size;
}

struct Difference {
  double time = 0;   ///< s, relative to the end of the run
  double state = 0;  ///< relative to the largest coordinate or rate of the kind over the run
};

void take(double difference, double size, double& worst) {
  if (difference > 0) worst = std::max(worst, difference / size);
  if (!(difference >= 0)) worst = std::nan("");
}

/// Compares two runs of a case.
Difference compare(const Case& each, const Result& found, const Result& expected, const std::string& where) {
  Difference worst;
  const auto last = expected.times().size() - 1;
  for (std::size_t i = 0; i < expected.status().size(); ++i) {
    EXPECT_EQ(found.status()[i], expected.status()[i]) << where << " member " << i;
    if (found.status()[i] != expected.status()[i]) continue;
    for (const std::string rate : {"", "_dot"}) {
      for (const std::string& name : each.coordinates) {
        // An angle and a length have no common unit.
        const double size = std::max(largest(expected, name + rate, i), 1e-300);
        take(std::abs(found.values(name + rate, last)[i] - expected.values(name + rate, last)[i]), size, worst.state);
      }
    }
    for (const std::string& name : each.contacts) {
      const double count = expected.event_count(name)[i];
      if (each.is_degenerate) continue;
      EXPECT_EQ(found.event_count(name)[i], count) << where << ' ' << name << " member " << i;
      EXPECT_EQ(found.values(name + "_closed", last)[i], expected.values(name + "_closed", last)[i])
          << where << ' ' << name << " member " << i;
      if (count == 0 || found.event_count(name)[i] != count) continue;
      const double end = expected.times().back();
      take(std::abs(found.event_time(name)[i] - expected.event_time(name)[i]), end, worst.time);
      take(std::abs(found.event_last_time(name)[i] - expected.event_last_time(name)[i]), end, worst.time);
    }
  }
  return worst;
}

class ContactAgreement : public testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(, ContactAgreement, testing::Values("rk4", "dopri5", "dop853"),
                         [](const auto& info) { return std::string(info.param); });

TEST_P(ContactAgreement, OfTimesAndStatesInAnyUnits) {
  const std::vector<std::string> more = {"output.fields=['q','w','invariants']"};
  for (const Case& each : cases()) {
    Difference worst;
    for (const double scale : {1.0, 1e-3, 1e3}) {
      for (const double perturbation : {0.0, 1e-12}) {
        const std::string text = in_units(each.text, scale, perturbation);
        const std::string where =
            std::string(each.name) + " scale " + std::to_string(scale) + (perturbation > 0 ? " perturbed" : "");
        const Result expected = run_text(text, Way{"reference", GetParam()}, more);
        const Result found = run_text(text, Way{"cpu", GetParam()}, more);
        const Difference own = compare(each, found, expected, where);
        EXPECT_LE(own.time, each.tolerance) << where;
        EXPECT_LE(own.state, each.tolerance) << where;
        for (const std::string& name : each.contacts) {
          if (!each.is_degenerate) EXPECT_GT(expected.event_count(name)[0], 0) << where << ' ' << name;
        }
        worst = {std::max(worst.time, own.time), std::max(worst.state, own.state)};
      }
    }
    std::printf("%-30s times %.1e, states %.1e\n", each.name, worst.time, worst.state);
  }
}

/// A start below, at and near the gap, or with contradictory contacts, or with more changes than are allowed.
TEST_P(ContactAgreement, OfStatuses) {
  const std::string heights =
      "[ensemble]\nmembers = 6\n[initial]\ny = { values = [$0.05, $0.0999999, $0.1, "
      "$0.10000000001, $0.0999999999999, $1.1] }\n";
  std::string one = bounces;
  one.erase(0, one.find("[time]"));
  const Case ball = {"ball", "", {"y"}, {"floor"}};
  for (const double scale : {1.0, 1e-3, 1e3}) {
    for (const char* e : {"parameters.e=0", "parameters.e=0.7"}) {
      const std::string text = in_units(heights + one, scale);
      const std::vector<std::string> more = {e, "output.fields=['q','w','invariants']", "time.end=1"};
      const Result expected = run_text(text, Way{"reference", GetParam()}, more);
      const Difference own = compare(ball, run_text(text, Way{"cpu", GetParam()}, more), expected, e);
      EXPECT_LE(own.state, 1e-12) << scale << ' ' << e;
      EXPECT_EQ(expected.status()[0], Status::not_assembled);
      EXPECT_EQ(expected.status()[1], Status::not_assembled);
      for (std::size_t i = 2; i < 6; ++i) EXPECT_EQ(expected.status()[i], Status::ok) << i;
    }
    const std::string text = in_units(one, scale);
    const auto status_of = [&](const char* backend, const std::string& override) {
      return run_text(text, Way{backend, GetParam()}, {override, "parameters.e=0.8"}).status()[0];
    };
    for (const char* backend : {"cpu", "reference"}) {
      EXPECT_EQ(status_of(backend, "solver.max_changes=4"), Status::too_many_changes) << backend;
      EXPECT_EQ(status_of(backend, "solver.max_changes=10000"), Status::ok) << backend;
    }
  }
}

/// Two walls that touch a point: reflections between them end for e < 1 and do not for e = 1.
TEST_P(ContactAgreement, OfJammedContacts) {
  std::string text = R"(
[time]
end = 0.1
dt = 0.01
[model]
name = "jam"
lagrangian = "m*y_dot^2/2"
[model.parameters]
m = 1
e = 1
[model.coordinates]
y = ""
[model.start]
y_dot = -1
[model.unilateral]
floor = { gap = "y", restitution = "e" }
ceiling = { gap = "-y", restitution = "e" }
)";
  for (const char* e : {"parameters.e=0", "parameters.e=0.5", "parameters.e=1"}) {
    const Status expected = run_text(text, Way{"reference", GetParam()}, {e}).status()[0];
    EXPECT_EQ(run_text(text, Way{"cpu", GetParam()}, {e}).status()[0], expected) << e;
    EXPECT_EQ(expected == Status::ok, std::string(e) != "parameters.e=1") << e;
  }
}

/// A model with more constraints than packs interpret with contacts is interpreted by the reference.
TEST_P(ContactAgreement, OfModelsThatTheReferenceInterprets) {
  std::string text = bounces;
  text.erase(0, text.find("[time]"));
  std::string rows = "[model.holonomic]\n";
  for (int i = 0; i < 17; ++i) rows += "rail" + std::to_string(i) + " = \"x = 0\"\n";
  text.insert(text.find("[model.unilateral]"), rows);
  text.insert(text.find("y = \"\"\n"), "x = \"\"\n");
  const std::string own = "m*y_dot^2/2";
  text.replace(text.find(own), own.size(), "m*(x_dot^2 + y_dot^2)/2");
  const Result result = run_text(in_units(text, 1), Way{"cpu", GetParam()});
  const auto last = result.times().size() - 1;
  EXPECT_EQ(result.status()[0], Status::ok);
  EXPECT_GE(result.event_count("floor")[0], 3);
  EXPECT_NEAR(result.values("y", last)[0], 0.1, 1e-12);
}

}  // namespace
}  // namespace kalaba
