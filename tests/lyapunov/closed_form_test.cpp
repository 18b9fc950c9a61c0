// Lyapunov exponents compared with closed forms, hand-written equations, and each other.

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <numeric>

#include "lyapunov/exponents_of.hpp"
#include "support/swing.hpp"

namespace kalaba::lyapunov {
namespace {

constexpr double pi = 3.14159265358979323846;
const std::vector<std::string> integrators = {"rk4", "dopri5", "dop853"};

/// The longest method by the reference, whose loop takes the compiler no time: runs_test.cpp has it on the CPU.
std::vector<std::string> tight(const std::string& integrator, std::vector<std::string> overrides) {
  overrides.push_back("solver.integrator=" + integrator);
  if (integrator == "dop853") overrides.emplace_back("solver.backend=reference");
  if (integrator != "rk4") {
    overrides.emplace_back("solver.relative_tolerance=1e-12");
    overrides.emplace_back("solver.absolute_tolerance=1e-14");
  }
  return overrides;
}

/// Oscillator of frequency 3 rad/s without damping.
const std::string oscillator = R"toml([model]
name = "oscillator"
lagrangian = "m*x_dot^2/2 - k*x^2/2"
[model.parameters]
m = "2 kg"
k = "18 N/m"
c = "0 kg/s"
[model.coordinates]
x = "m"
[model.force]
x = "-c*x_dot"
[model.start]
x = 0.1
[model.time]
end = 10.0
dt = 1e-3
)toml";

/// At whole periods the flow is the identity.
TEST(LyapunovExponents, OfAnOscillatorAreZero) {
  for (const std::string& integrator : integrators) {
    const auto overrides = tight(integrator, {"time.save_at=" + list({0, 2 * pi / 3, 8 * pi / 3})});
    const Exponents found = exponents_of(stated(oscillator, overrides));
    for (const double each : found.at(0)) EXPECT_TRUE(std::isnan(each));
    for (const std::size_t frame : {1, 2}) {
      ASSERT_EQ(found.at(frame).size(), 2U);
      for (const double each : found.at(frame)) EXPECT_NEAR(each, 0, 1e-6) << integrator;
    }
    EXPECT_EQ(found.whole.lyapunov.directions, 2);
    EXPECT_FALSE(found.shows_columns);
  }
}

/// x'' = -2 a x' - 9 x turns with sqrt(9 - a^2) and shrinks with a.
TEST(LyapunovExponents, OfADampedOscillatorAreMinusHalfItsDamping) {
  const double a = 0.3;
  const double period = 2 * pi / std::sqrt(9 - a * a);
  for (const std::string& integrator : integrators) {
    const auto overrides =
        tight(integrator, {"parameters.c=" + std::to_string(4 * a), "time.save_at=" + list({1.0, period, 4 * period})});
    const Exponents found = exponents_of(stated(oscillator, overrides));
    EXPECT_NEAR(found.at(0)[0] + found.at(0)[1], -2 * a, 1e-9) << integrator;  // Liouville, at any time
    for (const std::size_t frame : {1, 2}) {
      for (const double each : found.at(frame)) EXPECT_NEAR(each, -a, 1e-6) << integrator;
    }
  }
}

const std::string upright = R"toml([model]
name = "upright"
lagrangian = "m*L^2*theta_dot^2/2 - m*g*L*cos(theta)"
[model.parameters]
m = "1.3 kg"
g = "9.81 m/s^2"
L = "0.9 m"
[model.coordinates]
theta = "rad"
[model.start]
theta = 0.0
[model.time]
end = 6.0
dt = 1e-3
save_every = 500
)toml";

/// Pendulum upright, as a point mass on a rod whose constraint is stated twice.
const std::string upright_rod = text_of({.rods = R"(rod = "x^2 + y^2 = L^2"
again = "2*x^2 + 2*y^2 = 2*L^2"
)",
                                         .start = "x = 0.0\ny = \"L\"\n",
                                         .time = "end = 6.0\ndt = 1e-3\nsave_every = 500\n"});

/// At rest, adaptive steps of the reference have their maximum length, whatever the growth of the columns.
TEST(LyapunovExponents, OfAPendulumThatStandsUpright) {
  const double rate = std::sqrt(9.81 / 0.9);
  for (const std::string& text : {upright, upright_rod}) {
    for (const std::string& integrator : integrators) {
      std::vector<std::string> overrides = tight(integrator, {});
      if (integrator != "rk4") overrides.emplace_back("solver.largest_step=0.01");
      if (integrator == "dopri5" && text == upright_rod) overrides.emplace_back("solver.backend=reference");
      const Exponents found = exponents_of(stated(text, overrides));
      EXPECT_NEAR(found.between(8, 12, 0), rate, 1e-8) << integrator;
      EXPECT_NEAR(found.between(8, 12, 1), -rate, 1e-8) << integrator;
      for (std::size_t i = 2; i < found.last().size(); ++i) EXPECT_TRUE(std::isnan(found.last()[i])) << i;
      EXPECT_EQ(found.whole.lyapunov.members, 1);
      EXPECT_EQ(found.whole.lyapunov.directions, 2);
      EXPECT_EQ(found.whole.lyapunov.greatest, found.last()[0]);
      EXPECT_EQ(found.whole.lyapunov.grown_apart, 0);
      EXPECT_EQ(found.whole.lyapunov.outgrown_steps, 0);
    }
  }
}

/// Steps without an upper bound.
TEST(LyapunovExponents, SayWhereStepsAreTooLongForTheirDirections) {
  for (const std::string& integrator : integrators) {
    std::vector<std::string> overrides = tight(integrator, {});
    if (integrator == "dopri5") overrides.emplace_back("solver.backend=reference");
    const Exponents found = exponents_of(stated(upright, overrides));
    EXPECT_EQ(found.whole.lyapunov.outgrown_steps, integrator == "rk4" ? 0 : 1) << integrator;
  }
}

/// On the CPU the errors of the directions bound the steps of a member at rest.
TEST(LyapunovExponents, HaveStepsThatFollowTheirDirections) {
  for (const std::string integrator : {"rk4", "dopri5"}) {
    const Exponents found = exponents_of(stated(upright, tight(integrator, {})));
    EXPECT_EQ(found.whole.lyapunov.outgrown_steps, 0) << integrator;
    EXPECT_NEAR(found.between(8, 12, 0), std::sqrt(9.81 / 0.9), 1e-6) << integrator;
  }
}

TEST(LyapunovExponents, SayWhereDirectionsGrewFartherApartThanDigitsCarry) {
  EXPECT_EQ(exponents_of(stated(upright, {"time.save_every=\"final\""})).whole.lyapunov.grown_apart, 1);
}

/// Starts of three coordinates give only two independent directions: the third is along the rod.
TEST(LyapunovExponents, CountIndependentDirectionsAlone) {
  const std::vector<std::string> overrides = {"sensitivities.of=[\"initial.y\", \"initial.x\"]"};
  const Exponents found = exponents_of(stated(upright_rod, overrides));
  EXPECT_EQ(found.whole.lyapunov.directions, 1);
  EXPECT_NEAR(found.between(8, 12, 0), std::sqrt(9.81 / 0.9), 1e-8);
  EXPECT_TRUE(std::isnan(found.last()[1]));
}

// Hénon and Heiles's system at the energy of escape, 1/6, of unit mass, stiffness and cubic term.
const std::string henon_heiles = R"toml([model]
name = "henon_heiles"
lagrangian = "m*(x_dot^2 + y_dot^2)/2 - k*(x^2 + y^2)/2 - a*(x^2*y - y^3/3)"
[model.parameters]
m = "1 kg"
k = "1 N/m"
a = "1 N/m^2"
E = "0.1666 J"
y0 = "0.1 m"
u0 = "0.2 m/s"
[model.coordinates]
x = "m"
y = "m"
[model.start]
x = 0.0
y = "y0"
x_dot = "sqrt(2*(E - k*y0^2/2 + a*y0^3/3)/m - u0^2)"
y_dot = "u0"
[model.time]
end = 50.0
dt = 0.01
save_every = 100
)toml";

using Numbers = std::array<double, 20>;  // x, y, x', y' and four columns of them

Numbers rates(const Numbers& s) {
  Numbers d;
  const double x = s[0];
  const double y = s[1];
  d[0] = s[2];
  d[1] = s[3];
  d[2] = -x - 2 * x * y;
  d[3] = -y - x * x + y * y;
  for (std::size_t k = 4; k < 20; k += 4) {
    d[k] = s[k + 2];
    d[k + 1] = s[k + 3];
    d[k + 2] = -(1 + 2 * y) * s[k] - 2 * x * s[k + 1];
    d[k + 3] = -2 * x * s[k] + (2 * y - 1) * s[k + 1];
  }
  return d;
}

Numbers moved(const Numbers& s, double by, const Numbers& rate) {
  Numbers sum = s;
  for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += by * rate[i];
  return sum;
}

Numbers step(const Numbers& s, double h) {
  const Numbers k1 = rates(s);
  const Numbers k2 = rates(moved(s, h / 2, k1));
  const Numbers k3 = rates(moved(s, h / 2, k2));
  const Numbers k4 = rates(moved(s, h, k3));
  return moved(moved(moved(moved(s, h / 6, k1), h / 3, k2), h / 3, k3), h / 6, k4);
}

/// Orthonormalizes the columns, and returns their growth factors.
std::array<double, 4> orthonormalize(Numbers& s) {
  std::array<double, 4> lengths;
  const auto dot = [&](std::size_t a, std::size_t b) {
    return std::inner_product(s.begin() + 4 + 4 * static_cast<long>(a), s.begin() + 8 + 4 * static_cast<long>(a),
                              s.begin() + 4 + 4 * static_cast<long>(b), 0.0);
  };
  for (std::size_t a = 0; a < 4; ++a) {
    for (std::size_t b = 0; b < a; ++b) {
      const double along = dot(a, b);
      for (std::size_t i = 0; i < 4; ++i) s[4 + 4 * a + i] -= along * s[4 + 4 * b + i];
    }
    lengths[a] = std::sqrt(dot(a, a));
    for (std::size_t i = 0; i < 4; ++i) s[4 + 4 * a + i] /= lengths[a];
  }
  return lengths;
}

TEST(LyapunovExponents, AgreeWithEquationsWrittenByHand) {
  const Exponents found = exponents_of(stated(henon_heiles, {}));
  Numbers s = {0, 0.1, 0, 0.2};
  s[2] = std::sqrt(2 * (0.1666 - 0.1 * 0.1 / 2 + 0.1 * 0.1 * 0.1 / 3) - 0.2 * 0.2);
  for (std::size_t k = 0; k < 4; ++k) s[4 + 5 * k] = 1;
  std::array<double, 4> sums = {};
  for (int i = 1; i <= 5000; ++i) {
    s = step(s, 0.01);
    if (i % 50 != 0) continue;
    const std::array<double, 4> lengths = orthonormalize(s);
    for (std::size_t k = 0; k < 4; ++k) sums[k] += std::log(lengths[k]) / 50;
  }
  std::ranges::sort(sums, std::greater<>());
  for (std::size_t k = 0; k < 4; ++k) EXPECT_NEAR(found.last()[k], sums[k], 1e-9) << k;
}

/// About 0.13 at the energy of escape, since [BGS76]; here the mean of eight starts.
TEST(LyapunovExponents, OfHenonAndHeilesAreTheKnownOnes) {
  const Exponents found =
      exponents_of(stated(henon_heiles, {"time.end=6000", "time.dt=0.02", "time.save_every=100",
                                         "parameters.y0={values=[-0.1, -0.05, 0.0, 0.05, 0.1, 0.15, 0.2, 0.25]}"}));
  double largest = 0;
  for (std::size_t member = 0; member < 8; ++member) {
    const std::vector<double>& exponents = found.last(member);
    largest += exponents[0] / 8;
    EXPECT_NEAR(exponents[0] + exponents[1] + exponents[2] + exponents[3], 0, 1e-6) << member;
    EXPECT_NEAR(exponents[0] + exponents[3], 0, 5e-3) << member;
    EXPECT_NEAR(exponents[1], 0, 5e-3) << member;
    EXPECT_NEAR(exponents[2], 0, 5e-3) << member;
  }
  EXPECT_NEAR(largest, 0.127, 0.007);
  EXPECT_EQ(found.whole.lyapunov.members, 8);
  EXPECT_LT(found.whole.lyapunov.least, largest);
  EXPECT_GT(found.whole.lyapunov.greatest, largest);
}

TEST(LyapunovExponents, OfRedundantConstraintsAreThoseOfIndependentOnes) {
  const std::vector<std::string> overrides = {"structure.links=4", "time.end=0.25", "time.save_every=25",
                                              "solver.backend=reference"};  // the compiler takes half a minute each
  const Exponents one = exponents_of(named("chain", overrides));
  const Exponents twice = exponents_of(named("chain_redundant", overrides));
  ASSERT_EQ(one.last().size(), 16U);
  for (std::size_t i = 0; i < 8; ++i) EXPECT_NEAR(twice.last()[i], one.last()[i], 1e-8) << i;
  for (std::size_t i = 8; i < 16; ++i) {
    EXPECT_TRUE(std::isnan(one.last()[i])) << i;
    EXPECT_TRUE(std::isnan(twice.last()[i])) << i;
  }
  EXPECT_GT(one.last()[0], 0.5);
}

}  // namespace
}  // namespace kalaba::lyapunov
