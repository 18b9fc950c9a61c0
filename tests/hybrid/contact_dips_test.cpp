// Gaps that become negative and positive again within one step: sweeps over phases and amplitudes, by every integrator
// with contacts, on the backends cpu and reference.

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "hybrid/hybrid.hpp"

namespace kalaba {
namespace contact_dips {

using hybrid::run_text;

/// An integrator with its tolerances, or with its step.
struct Steps {
  const char* integrator;
  double relative;
  double absolute;
  double dt;

  double error() const { return 16 * absolute; }  ///< in the tolerance of a gap
};
const std::vector<Steps> all_steps = {
    {"rk4", 0, 0, 0.1},          {"rk4", 0, 0, 0.25},         {"dopri5", 1e-3, 1e-6, 0.1},  {"dopri5", 1e-6, 1e-9, 0.1},
    {"dop853", 1e-3, 1e-6, 0.1}, {"dop853", 1e-6, 1e-9, 0.1}, {"dop853", 1e-10, 1e-13, 0.1}};

/// `compile`: of the backend cpu.
Result run_by(const std::string& text, const Steps& steps, const std::string& backend,
              const std::string& compile = "never") {
  std::vector<std::string> overrides = {"solver.backend=" + backend, "solver.threads=1",
                                        std::string("solver.integrator=") + steps.integrator,
                                        "time.dt=" + std::to_string(steps.dt)};
  const auto add = [&](const std::string& key, double value) {
    char digits[32];
    std::snprintf(digits, sizeof(digits), "%.17g", value);
    overrides.push_back("solver." + key + "=" + digits);
  };
  if (backend == "cpu") overrides.push_back("solver.compile=" + compile);
  if (steps.relative > 0) add("relative_tolerance", steps.relative);
  if (steps.absolute > 0) add("absolute_tolerance", steps.absolute);
  return run_text(text, overrides);
}

/// A model, its gaps as functions of a result, a frame and a member, and the size of their terms.
struct Case {
  const char* name;
  std::string text;
  std::vector<const char*> contacts;
  std::function<double(const Result& result, std::size_t frame, std::size_t member, std::size_t contact)> gap;
  double terms;
  std::size_t least_ok;  ///< members that end `ok`, at least
};

constexpr std::size_t members = 512;

const std::string sweep = R"toml(
[ensemble]
members = 512
[output]
fields = ["q", "w", "invariants"]
[time]
dt = 0.1
save_every = 1
)toml";

/// Oscillator that comes to the depth d below the floor in every period.
const Case oscillator = {"oscillator",
                         sweep + R"toml(end = 1.5
[parameters]
d = { uniform = [0.0001, 0.3] }
[initial]
ph = { uniform = [0.0, 6.28] }
[model]
name = "oscillator"
lagrangian = "m*y_dot^2/2 - m*om^2*(y - A + d)^2/2 + m*L^2*ph_dot^2/2"
[model.parameters]
m = "1 kg"
L = "1 m"
om = "6.283185307179586 1/s"
A = "1 m"
d = "0.01 m"
[model.coordinates]
y = "m"
ph = "1"
[model.start]
y = "A - d + A*cos(ph)"
y_dot = "-A*om*sin(ph)"
[model.unilateral]
floor = { gap = "y", restitution = 0.0 }
)toml",
                         {"floor"},
                         [](const Result& result, std::size_t frame, std::size_t member, std::size_t) {
                           return result.values("y", frame)[member];
                         },
                         2,
                         400};

/// A slow and a fast oscillator, each with a contact of its own, of millimetres.
const Case two = {"two",
                  sweep + R"toml(end = 0.5
[parameters]
d = { uniform = [1e-7, 3e-4] }
om2 = { uniform = [10, 100] }
[initial]
ph = { uniform = [0.0, 6.28] }
[model]
name = "two"
lagrangian = "m*(y_dot^2 + z_dot^2 + A^2*ph_dot^2)/2 - m*om^2*(y - A + d)^2/2 - m*om2^2*(z - B)^2/2"
[model.parameters]
m = "1 kg"
om = "6.283185307179586 1/s"
om2 = "60 1/s"
A = "1e-3 m"
B = "1e-3 m"
d = "1e-5 m"
[model.coordinates]
y = "m"
z = "m"
ph = "1"
[model.start]
y = "A - d + A*cos(ph)"
y_dot = "-A*om*sin(ph)"
z = "B + (B + d)*sin(ph)"
z_dot = "(B + d)*cos(ph)*om2"
[model.unilateral]
floor = { gap = "y", restitution = 0.3 }
wall = { gap = "z", restitution = 0.3 }
)toml",
                  {"floor", "wall"},
                  [](const Result& result, std::size_t frame, std::size_t member, std::size_t contact) {
                    return result.values(contact == 0 ? "y" : "z", frame)[member];
                  },
                  2e-3,
                  200};

/// Ball above a floor of which its steps know nothing: it moves with time.
const Case shaken = {"shaken",
                     sweep + R"toml(end = 1.0
[parameters]
om = { uniform = [3, 300] }
A = { uniform = [0.001, 0.1] }
[initial]
y = { uniform = [0.11, 3] }
y_dot = { uniform = [-3, 5] }
[model]
name = "shaken"
lagrangian = "m*y_dot^2/2 - m*g*y"
[model.parameters]
m = "1 kg"
g = "9.81 m/s^2"
om = "60 1/s"
A = "0.05 m"
[model.coordinates]
y = "m"
[model.start]
y = 1
[model.invariants]
floor_height = { is = "A*cos(om*t)", kind = "free" }
[model.unilateral]
floor = { gap = "y - A*cos(om*t)", restitution = 0.5 }
)toml",
                     {"floor"},
                     [](const Result& result, std::size_t frame, std::size_t member, std::size_t) {
                       return result.values("y", frame)[member] - result.values("floor_height", frame)[member];
                     },
                     3,
                     480};

void expect_no_penetration(const Case& each, const Steps& steps, const std::string& backend, const Result& result) {
  std::size_t ok = 0;
  double lowest = 0;
  for (std::size_t member = 0; member < members; ++member) {
    if (result.status()[member] != Status::ok) continue;
    ++ok;
    for (std::size_t frame = 0; frame < result.times().size(); ++frame) {
      for (std::size_t contact = 0; contact < each.contacts.size(); ++contact) {
        lowest = std::min(lowest, each.gap(result, frame, member, contact));
      }
    }
  }
  EXPECT_GE(lowest, -(steps.error() + 2e-9 * each.terms))
      << each.name << ' ' << backend << ' ' << steps.integrator << ' ' << steps.relative << ' ' << steps.dt;
  EXPECT_GE(ok, each.least_ok) << each.name << ' ' << backend << ' ' << steps.integrator << ' ' << steps.relative;
}

/// The two backends search with different bounds.
void expect_agreement(const Case& each, const Steps& steps, const Result& a, const Result& b) {
  std::size_t differ = 0;
  for (std::size_t member = 0; member < members; ++member) {
    if (a.status()[member] != b.status()[member]) ++differ;
    if (a.status()[member] != Status::ok || b.status()[member] != Status::ok) continue;
    for (const char* contact : each.contacts) {
      if (a.event_count(contact)[member] != b.event_count(contact)[member]) ++differ;
    }
  }
  EXPECT_LE(differ, members / 64) << each.name << ' ' << steps.integrator << ' ' << steps.relative << ' ' << steps.dt;
}

void expect_dips_found(const Case& each, bool agree) {
  for (const Steps& steps : all_steps) {
    const Result cpu = run_by(each.text, steps, "cpu");
    expect_no_penetration(each, steps, "cpu", cpu);
    if (steps.relative == 0) expect_no_penetration(each, steps, "compiled", run_by(each.text, steps, "cpu", "always"));
    if (steps.absolute > 0 && steps.absolute < 1e-10) continue;  // hundreds of steps
    const Result reference = run_by(each.text, steps, "reference");
    expect_no_penetration(each, steps, "reference", reference);
    if (agree) expect_agreement(each, steps, cpu, reference);
  }
}

TEST(ContactDips, OfAnOscillatorAreFound) { expect_dips_found(oscillator, true); }
TEST(ContactDips, OfTwoOscillatorsAreFound) { expect_dips_found(two, false); }
TEST(ContactDips, AboveAShakenFloorAreFound) { expect_dips_found(shaken, false); }

/// The floor rises between the ends of all steps, where it is lowest and at rest.
TEST(ContactDips, AboveAFloorThatShakesWithTheStepsAreFound) {
  Case each = shaken;
  for (std::size_t at = 0; (at = each.text.find("A*cos(om*t)", at)) != std::string::npos; at += 13) {
    each.text.replace(at, 11, "(-A*cos(om*t))");
  }
  const std::string drawn = "om = { uniform = [3, 300] }";
  each.text.replace(each.text.find(drawn), drawn.size(), "om = { values = [62.83185307179586, 125.66370614359172] }");
  each.least_ok = 400;
  const Steps steps = {"rk4", 0, 0, 0.1};
  const Result searched = run_by(each.text, steps, "cpu", "never");
  const Result compiled = run_by(each.text, steps, "cpu", "always");
  for (const Result* const result : {&searched, &compiled}) expect_no_penetration(each, steps, "cpu", *result);
  expect_agreement(each, steps, searched, compiled);
}

}  // namespace contact_dips
}  // namespace kalaba
