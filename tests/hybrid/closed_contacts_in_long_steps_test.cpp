// Closed contacts whose forces or slips oscillate while the state moves smoothly: adaptive steps grow beyond the
// periods, and every release and every reversal of the slip must still be found. Closed forms.

#include <cmath>
#include <numbers>
#include <string>
#include <vector>

#include "hybrid/hybrid.hpp"

namespace kalaba {
namespace closed_contacts {

using hybrid::run_text;

constexpr double g = 9.81;
constexpr double pi = std::numbers::pi;

/// Zero of a function that is positive at a and not at b, by bisection.
template <class Function>
double zero_between(const Function& value, double a, double b) {
  for (int i = 0; i < 200 && a < b; ++i) {
    const double middle = a + (b - a) / 2;
    (value(middle) > 0 ? a : b) = middle;
  }
  return b;
}
/// First zero of a function that is positive behind t, found in steps of h; `end` if there is none before.
template <class Function>
double first_zero(const Function& value, double t, double h, double end) {
  double a = t + 1e-3 * h;
  for (; a < end; a += h) {
    if (!(value(a + h) > 0)) return zero_between(value, a, a + h);
  }
  return end;
}

std::string list_of(const std::vector<double>& values) {
  std::string list = "{ values = [";
  for (std::size_t i = 0; i < values.size(); ++i) list += (i > 0 ? ", " : "") + std::to_string(values[i]);
  return list + "] }\n";
}

std::vector<std::string> with_defaults(const hybrid::Way& way) {
  return {std::string("solver.backend=") + way.backend, std::string("solver.compile=") + way.compile,
          "solver.threads=1", std::string("solver.integrator=") + way.integrator};
}

class ClosedContacts : public testing::TestWithParam<hybrid::Way> {};
INSTANTIATE_TEST_SUITE_P(, ClosedContacts,
                         testing::Values(hybrid::Way{"cpu", "rk4", "always"}, hybrid::Way{"cpu", "dopri5", "always"},
                                         hybrid::Way{"cpu", "dop853", "always"},
                                         hybrid::Way{"reference", "dopri5", "auto"},
                                         hybrid::Way{"reference", "dop853", "auto"}),
                         [](const auto& info) { return hybrid::name_of(info.param); });

/// A ball that rests on a floor is lifted by a periodic force.
const std::string ball = R"toml(
[model]
name = "ball"
lagrangian = "m*y_dot^2/2 - m*g*y"
[model.parameters]
m = 1
g = 9.81
P = 13.0
W = 3.0
[model.coordinates]
y = "m"
[model.force]
y = "P*sin(W*t)"
[model.unilateral]
floor = { gap = "y" }
[time]
end = 20.0
dt = 0.001
save_every = "final"
[output]
fields = ["y"]
[parameters]
W = )toml";

/// Number of its impacts.
long impacts_of(double frequency, double force, double end) {
  const double onset = std::asin(g / force) / frequency;
  const double period = 2 * pi / frequency;
  long count = 0;
  double t = 0;
  for (;;) {
    double from = t;
    if (force * std::sin(frequency * t) <= g) from = onset + std::ceil((t - onset) / period - 1e-9) * period;
    const auto height = [&](double at) {
      const double apart = at - from;
      return -force / (frequency * frequency) * (std::sin(frequency * at) - std::sin(frequency * from)) +
             force / frequency * std::cos(frequency * from) * apart - g * apart * apart / 2;
    };
    t = first_zero(height, from, period / 1000, end);
    if (!(t < end)) return count;
    ++count;
  }
}

TEST_P(ClosedContacts, AreReleasedByAPeriodicForce) {
  const std::vector<double> frequencies = {8.0, 17.89, 21.15, 25.5, 29.65, 32.25, 38.29, 47.03, 59.1};
  const Result result = run_text(ball + list_of(frequencies), with_defaults(GetParam()));
  for (std::size_t i = 0; i < frequencies.size(); ++i) {
    EXPECT_EQ(result.status()[i], Status::ok);
    EXPECT_EQ(result.event_count("floor")[i], impacts_of(frequencies[i], 13, 20)) << frequencies[i];
  }
}

/// Time and output of a block that slides on a floor.
const std::string end_of_block = R"toml([time]
end = 4.0
dt = 0.001
save_every = "final"
[output]
fields = ["x"]
[parameters]
)toml";

/// A block on a floor that shakes along itself. It starts with the speed of the floor, and slides from the time on at
/// which the floor's acceleration exceeds that of the friction.
const std::string conveyor = R"toml(
[model]
name = "conveyor"
lagrangian = "m*(x_dot^2 + y_dot^2)/2 - m*g*y"
[model.parameters]
m = 1
g = 9.81
mu = 0.265
A = 0.74
W = 24.4
[model.coordinates]
x = "m"
y = "m"
[model.start]
x_dot = "A*W"
[model.unilateral]
floor = { gap = "y", friction = "mu", slip = "x_dot - A*W*cos(W*t)" }
)toml" + end_of_block + "W = ";

struct Slide {
  double x = 0;
  long events = 0;
};

/// Its place at the end, and the number of changes of its slip.
Slide slide_of(double frequency, double friction, double amplitude, double end) {
  const auto floor_speed = [&](double t) { return amplitude * frequency * std::cos(frequency * t); };
  const double deceleration = friction * g;
  double t = std::asin(deceleration / (amplitude * frequency * frequency)) / frequency;
  double speed = floor_speed(t);
  double sign = 1;
  Slide slide = {amplitude * std::sin(frequency * t), 1};
  for (;;) {
    const auto slip = [&](double at) { return sign * (speed - sign * deceleration * (at - t) - floor_speed(at)); };
    const double next = first_zero(slip, t, 2 * pi / frequency / 1000, end);
    const double apart = next - t;
    slide.x += speed * apart - sign * deceleration * apart * apart / 2;
    if (!(next < end)) return slide;
    speed -= sign * deceleration * apart;
    sign = -sign;
    t = next;
    ++slide.events;
  }
}

TEST_P(ClosedContacts, ReverseTheirSlipOnAShakenFloor) {
  const std::vector<double> frequencies = {12.5, 16.3, 20.9, 24.4, 27.7, 33.1, 41.9, 50.7};
  const Result result = run_text(conveyor + list_of(frequencies), with_defaults(GetParam()));
  const auto x = result.values("x", result.times().size() - 1);
  for (std::size_t i = 0; i < frequencies.size(); ++i) {
    const Slide slide = slide_of(frequencies[i], 0.265, 0.74, 4);
    EXPECT_EQ(result.status()[i], Status::ok);
    EXPECT_EQ(result.event_count("floor_slip")[i], slide.events) << frequencies[i];
    EXPECT_NEAR(x[i], slide.x, 1e-6) << frequencies[i];
  }
}

/// A block that rests on a floor under a periodic force along it, which exceeds the friction a little or not at all.
const std::string pushed = R"toml(
[model]
name = "pushed"
lagrangian = "m*(x_dot^2 + y_dot^2)/2 - m*g*y"
[model.parameters]
m = 2
g = 9.81
mu = 0.3
F = 6.0
W = 3.0
[model.coordinates]
x = "m"
y = "m"
[model.force]
x = "F*sin(W*t)"
[model.unilateral]
floor = { gap = "y", friction = "mu", slip = "x_dot" }
)toml" + end_of_block + "F = ";

TEST_P(ClosedContacts, BeginToSlideWhereAPeriodicForceExceedsTheirFriction) {
  const double friction = 0.3 * 2 * g;
  const std::vector<double> forces = {5.5, 5.8, 5.88, 5.895, 5.95, 6.5};
  for (const double frequency : {7.3, 19.1, 44.7}) {
    std::vector<std::string> overrides = with_defaults(GetParam());
    overrides.push_back("parameters.W=" + std::to_string(frequency));
    const Result result = run_text(pushed + list_of(forces), overrides);
    for (std::size_t i = 0; i < forces.size(); ++i) {
      EXPECT_EQ(result.status()[i], Status::ok);
      const long half_periods = std::lround(std::floor(4 * frequency / pi));
      if (forces[i] < friction) {
        EXPECT_EQ(result.event_count("floor_slip")[i], 0) << forces[i];
      } else {
        EXPECT_NEAR(result.event_time("floor_slip")[i], std::asin(friction / forces[i]) / frequency, 1e-9) << forces[i];
        EXPECT_NEAR(result.event_count("floor_slip")[i], 2 * half_periods, 2) << forces[i];
      }
    }
  }
}

}  // namespace closed_contacts
}  // namespace kalaba
