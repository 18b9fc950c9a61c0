// Contacts on the backends cpu and reference, which find impacts by different algorithms: times of impacts, numbers of
// impacts, final states and statuses, in units scaled by 1e-3 and 1e3, and from perturbed starts.

#include <algorithm>
#include <cmath>
#include <sstream>
#include <string>
#include <tuple>
#include <vector>

#include "hybrid/hybrid.hpp"

namespace kalaba {
namespace {

using hybrid::run_text;
using hybrid::Way;

/// A model with contacts. Its parameters that depend on units have marks: "R = $2" is a length (or an acceleration or
/// speed), "m = #2" a mass.
struct Case {
  const char* name;
  std::string text;
  std::vector<std::string> coordinates;
  std::vector<std::string> contacts;
  /// Bounds on the relative differences of times and of states. A bounce of negligible height has a speed of 1e-6 of
  /// the largest; its time has the rounding error of a length, divided by that speed.
  double times = 1e-12;
  double states = 1e-12;
  /// Several sets of contacts can carry the member, or rounding decides on contacts: the numbers of impacts after the
  /// first and the closed contacts are not unique.
  bool is_degenerate = false;
  int last_bounces = 0;     ///< bounces of about the negligible height, on which rounding decides
  double largest_step = 0;  ///< of adaptive integrators, s; 0: no bound
};

/// A text without marks.
std::string plain(std::string text) {
  std::erase_if(text, [](char each) { return each == '$' || each == '#'; });
  return text;
}

/// Overrides of the marked parameters for a unit of length `scale` and a corresponding unit of mass; each number is
/// changed by up to `perturbation`.
std::vector<std::string> in_units(const std::string& text, double scale, double perturbation = 0) {
  std::vector<std::string> overrides;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    const std::size_t mark = line.find_first_of("$#");
    if (mark == std::string::npos) continue;
    const double unit = line[mark] == '$' ? scale : 1 / scale;
    const double change = 1 + perturbation * std::sin(static_cast<double>(overrides.size() + 1));
    char digits[32];
    std::snprintf(digits, sizeof(digits), "%.17g", std::stod(line.substr(mark + 1)) * unit * change);
    overrides.push_back("parameters." + line.substr(0, line.find(' ')) + "=" + digits);
  }
  return overrides;
}

const std::string bounces = R"toml(
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
h = $1.1
e = 0.8
[model.coordinates]
y = ""
[model.start]
y = "h"
[model.unilateral]
floor = { gap = "y - R", restitution = "e" }
)toml";

const std::string slope = R"toml(
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
h = $1
v = $0.4
al = 0.3
[model.coordinates]
x = ""
y = ""
[model.start]
y = "h"
x_dot = "v"
[model.unilateral]
plane = { gap = "y*cos(al) + x*sin(al)", restitution = 0.5 }
)toml";

/// Balls of which all but the first are in contact. The first one hits them with the speed v; or all are on springs of
/// stiffness k, and the first one is released at a distance.
std::string cradle(int balls, const std::string& order, double e, bool has_springs) {
  std::string kinetic;
  std::string elastic;
  std::string coordinates;
  std::string contacts;
  std::string start = has_springs ? "x1 = \"-d/2\"\n" : "x1 = \"-d/2\"\nx1_dot = \"v\"\n";
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
         ")/2" + (has_springs ? " - k*(" + elastic + ")/2" : "") + "\"\nimpacts = \"" + order +
         "\"\n[model.parameters]\nm = #1\nd = $1\n" + (has_springs ? "k = #10\n" : "v = $0.7\n") +
         "[model.coordinates]\n" + coordinates + "[model.start]\n" + start + "[model.unilateral]\n" + contacts;
}

/// A block that rocks on a smooth floor to rest.
const std::string block = R"toml(
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
)toml";

/// Double pendulum in Cartesian coordinates, each rod stated twice, and a wall for the lower bob.
const std::string double_pendulum = R"toml(
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
)toml";

/// Pendulum with its rod and its wall stated twice, that comes to rest at the wall.
const std::string redundant = R"toml(
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
)toml";

const std::string limit = R"toml(
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
)toml";

/// Ball on a plate that shakes it off. The integrator makes no error in its flight, and the samples of a step of any
/// length would miss oscillations of the plate.
const std::string shaken = R"toml(
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
om = "20 1/s"
[model.coordinates]
y = ""
[model.start]
y = "4*A"
[model.unilateral]
plate = { gap = "y - A*sin(om*t)", restitution = 0.3 }
)toml";

/// Plank that lands on two stops by Poisson's law, with different restitutions.
const std::string plank = R"toml(
[time]
end = 2.0
dt = 5e-3
save_every = 5
[model]
name = "plank"
lagrangian = "m*y_dot^2/2 + m*b^2/6*th_dot^2 - m*g*y"
[model.parameters]
m = #1
g = $9.81
b = $0.5
r = $0.2
[model.coordinates]
y = ""
th = ""
[model.start]
y = "r + 0.6*b"
th = 0.1
[model.unilateral]
left = { gap = "y - r - b*sin(th)", restitution = 0.3, law = "poisson" }
right = { gap = "y - r + b*sin(th)", restitution = 0.6, law = "poisson" }
)toml";

/// Ball that rests on a floor at zero, is thrown by an event, and turned by a clock.
const std::string thrown = R"toml(
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
)toml";

const std::vector<Case>& cases() {
  const std::vector<std::string> three = {"x1", "x2", "x3"};
  const std::vector<std::string> five = {"x1", "x2", "x3", "x4", "x5"};
  static const std::vector<Case> all = {
      {"bounces", bounces, {"y"}, {"floor"}, 1e-10},
      {"slope", slope, {"x", "y"}, {"plane"}, 1e-10},
      {"cradle_of_three", cradle(3, "simultaneous", 1, false), three, {"c1"}},
      {"cradle_of_three_in_sequence", cradle(3, "sequential", 1, false), three, {"c1"}, 1e-12, 1e-11},
      {"cradle_of_five", cradle(5, "simultaneous", 1, false), five, {"c1"}},
      {"cradle_of_five_in_sequence", cradle(5, "sequential", 1, false), five, {"c1"}, 1e-12, 1e-11},
      {"lossy_cradle", cradle(5, "sequential", 0.75, false), five, {"c1"}},
      {"cradle_on_springs", cradle(5, "sequential", 0.75, true), five, {"c1"}, 1e-12, 1e-9, true},
      {"block", block, {"y", "th"}, {"left", "right"}, 1e-10},
      {"double_pendulum", double_pendulum, {"x", "y", "u", "v"}, {"wall"}},
      {"redundant", redundant, {"x", "y"}, {"wall", "wall_again"}, 1e-12, 1e-12, true},
      {"limit", limit, {"th"}, {"stop"}},
      {"shaken", shaken, {"y"}, {"plate"}, 1e-10, 1e-12, false, 0, 0.02},
      {"plank", plank, {"y", "th"}, {"left", "right"}, 1e-10, 1e-12, false, 1},
      {"thrown", thrown, {"y"}, {"floor"}, 1e-10},
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
  double time = 0;   ///< relative to the end of the run
  double state = 0;  ///< relative to the largest value over the run
};

void take(double difference, double size, double& worst) {
  if (difference > 0) worst = std::max(worst, difference / size);
  if (!(difference >= 0)) worst = std::nan("");
}

/// Compares two runs of a case.
Difference compare(const Case& each, const Result& found, const Result& expected, const std::string& where) {
  Difference worst;
  const auto last = expected.times().size() - 1;
  const double end = expected.times().back();
  for (std::size_t i = 0; i < expected.status().size(); ++i) {
    EXPECT_EQ(found.status()[i], expected.status()[i])
        << where << " member " << i << ": " << found.summary.first_failure() << expected.summary.first_failure();
    if (found.status()[i] != expected.status()[i]) continue;
    for (const std::string rate : {"", "_dot"}) {
      double of_all = 1e-300;
      for (const std::string& name : each.coordinates) of_all = std::max(of_all, largest(expected, name + rate, i));
      for (const std::string& name : each.coordinates) {
        // An angle and a length have no common unit, and a coordinate may be rounding error of the others.
        const double size = std::max(largest(expected, name + rate, i), 1e-4 * of_all);
        take(std::abs(found.values(name + rate, last)[i] - expected.values(name + rate, last)[i]), size, worst.state);
      }
    }
    double first = std::nan("");
    double own_first = first;
    for (const std::string& name : each.contacts) {
      const double count = expected.event_count(name)[i];
      const double own_count = found.event_count(name)[i];
      first = std::fmin(first, expected.event_time(name)[i]);
      own_first = std::fmin(own_first, found.event_time(name)[i]);
      if (each.is_degenerate) continue;
      EXPECT_LE(std::abs(own_count - count), each.last_bounces) << where << ' ' << name << " member " << i;
      EXPECT_EQ(found.values(name + "_closed", last)[i], expected.values(name + "_closed", last)[i])
          << where << ' ' << name << " member " << i;
      if (count == 0 || own_count != count) continue;
      take(std::abs(found.event_time(name)[i] - expected.event_time(name)[i]), end, worst.time);
      take(std::abs(found.event_last_time(name)[i] - expected.event_last_time(name)[i]), end, worst.time);
    }
    EXPECT_EQ(std::isnan(own_first), std::isnan(first)) << where << " member " << i;
    if (!std::isnan(first)) take(std::abs(own_first - first), end, worst.time);
  }
  return worst;
}

const std::vector<std::string> fields = {"output.fields=['q','w','invariants']"};

std::vector<std::string> together(std::vector<std::string> all, const std::vector<std::string>& more) {
  all.insert(all.end(), more.begin(), more.end());
  return all;
}

using OfCase = std::tuple<std::size_t, const char*>;
class ContactStates : public testing::TestWithParam<OfCase> {};
INSTANTIATE_TEST_SUITE_P(, ContactStates,
                         testing::Combine(testing::Range(std::size_t{0}, cases().size()),
                                          testing::Values("rk4", "dopri5", "dop853")),
                         [](const auto& info) {
                           return std::string(cases()[std::get<0>(info.param)].name) + "_" + std::get<1>(info.param);
                         });

TEST_P(ContactStates, AgreeInAnyUnits) {
  const Case& each = cases()[std::get<0>(GetParam())];
  const char* const integrator = std::get<1>(GetParam());
  // A build for its own use interprets models with several constraints by RK4 alone.
  const bool compiles = std::string(integrator) != "rk4" && each.name != cases().front().name;
  Difference worst;
  for (const double scale : {1.0, 1e-3, 1e3}) {
    for (const double perturbation : {0.0, 1e-12}) {
      std::vector<std::string> more = together(fields, in_units(each.text, scale, perturbation));
      if (each.largest_step > 0 && std::string(integrator) != "rk4") {
        more.push_back("solver.largest_step=" + std::to_string(each.largest_step));
      }
      const std::string where =
          std::string(each.name) + " scale " + std::to_string(scale) + (perturbation > 0 ? " perturbed" : "");
      const Result expected = run_text(plain(each.text), Way{"reference", integrator}, more);
      const Result found = run_text(plain(each.text), Way{"cpu", integrator, compiles ? "always" : "never"}, more);
      EXPECT_TRUE(found.summary.device.find("reference") == std::string::npos) << found.summary.device;
      const Difference own = compare(each, found, expected, where);
      EXPECT_LE(own.time, each.times) << where;
      EXPECT_LE(own.state, each.states) << where;
      EXPECT_GT(expected.event_count(each.contacts.front())[0], 0) << where;
      worst = {std::max(worst.time, own.time), std::max(worst.state, own.state)};
    }
  }
  std::printf("%s: times %.1e, states %.1e\n", each.name, worst.time, worst.state);
}

class ContactAgreement : public testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(, ContactAgreement, testing::Values("rk4", "dopri5", "dop853"),
                         [](const auto& info) { return std::string(info.param); });

/// A start below, at and near the gap, or with contradictory contacts, or with more changes than are allowed.
TEST_P(ContactAgreement, OfStatuses) {
  std::string one = bounces;
  one.erase(0, one.find("[time]"));
  const Case ball = {"ball", "", {"y"}, {"floor"}};
  for (const double scale : {1.0, 1e-3, 1e3}) {
    const std::vector<std::string> units = in_units(one, scale);
    std::string heights;
    for (const double part : {0.5, 0.99, 1.0, 1.0000000001, 0.999999999999, 11.0}) {
      char digits[32];
      std::snprintf(digits, sizeof(digits), "%.17g", part * 0.1 * scale);
      heights += (heights.empty() ? "" : ", ") + std::string(digits);
    }
    heights = "[ensemble]\nmembers = 6\n[initial]\ny = { values = [" + heights + "] }\n";
    for (const char* e : {"parameters.e=0", "parameters.e=0.7"}) {
      const std::vector<std::string> more = together({e, fields.front(), "time.end=1"}, units);
      const Result expected = run_text(plain(heights + one), Way{"reference", GetParam()}, more);
      const Difference own = compare(ball, run_text(plain(heights + one), Way{"cpu", GetParam()}, more), expected, e);
      EXPECT_LE(own.state, 1e-12) << scale << ' ' << e;
      EXPECT_EQ(expected.status()[0], Status::not_assembled) << scale;
      EXPECT_EQ(expected.status()[1], Status::not_assembled) << scale;
      for (std::size_t i = 2; i < 6; ++i) EXPECT_EQ(expected.status()[i], Status::ok) << i;
    }
    for (const char* backend : {"cpu", "reference"}) {
      const auto status_of = [&](const char* override) {
        return run_text(plain(one), Way{backend, GetParam()}, together({override}, units)).status()[0];
      };
      EXPECT_EQ(status_of("solver.max_changes=4"), Status::too_many_changes) << backend;
      EXPECT_EQ(status_of("solver.max_changes=10000"), Status::ok) << backend;
    }
  }
}

/// Two walls that touch a point: reflections between them end for e < 1 and do not for e = 1.
TEST_P(ContactAgreement, OfJammedContacts) {
  std::string text = R"toml(
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
)toml";
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
  const Result result = run_text(plain(text), Way{"cpu", GetParam()});
  const auto last = result.times().size() - 1;
  EXPECT_EQ(result.status()[0], Status::ok);
  EXPECT_GE(result.event_count("floor")[0], 3);
  EXPECT_NEAR(result.values("y", last)[0], 0.1, 1e-12);
}

}  // namespace
}  // namespace kalaba
