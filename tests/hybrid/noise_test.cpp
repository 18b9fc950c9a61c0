// White-noise forces: their random numbers, stationary states in closed form, agreement of the backends.

#include <Random123/philox.h>

#include <Eigen/Dense>
#include <random>

#include "hybrid/hybrid.hpp"
#include "kalaba/backend/pack.hpp"
#include "kalaba/core/base/normal.hpp"

namespace kalaba {
namespace {

using hybrid::all_ways;
using hybrid::has_same_bits;
using hybrid::refusal_of;
using hybrid::run_text;
using hybrid::Way;

const Way cpu = {"cpu", "rk4", "never"};

TEST(RandomWords, AgreeWithRandom123) {
  std::mt19937_64 random(7);
  for (int trial = 0; trial < 1000; ++trial) {
    const std::uint64_t a = random();
    const std::uint64_t b = random();
    const std::uint64_t key = random();
    const auto low = [](std::uint64_t x) { return static_cast<std::uint32_t>(x); };
    const auto high = [](std::uint64_t x) { return static_cast<std::uint32_t>(x >> 32); };
    const Words words = philox({{low(a), high(a), low(b), high(b)}}, key);
    const auto expected = r123::Philox4x32()({{low(a), high(a), low(b), high(b)}}, {{low(key), high(key)}});
    for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(words.of[i], expected[i]);
  }
}

TEST(NormalNumbers, HaveTheMomentsOfTheirDistribution) {
  constexpr int count = 400'000;
  double moments[5] = {};
  double product = 0;
  double before = 0;
  for (int i = 0; i < count; ++i) {
    const double x =
        normal_of(noise_key(3, static_cast<unsigned long long>(i % 1000)), static_cast<double>(i / 1000), 5);
    for (int k = 1; k < 5; ++k) moments[k] += std::pow(x, k) / count;
    product += x * before / count;
    before = x;
  }
  EXPECT_NEAR(moments[1], 0, 0.007);  // four standard errors
  EXPECT_NEAR(moments[2], 1, 0.009);
  EXPECT_NEAR(moments[3], 0, 0.025);
  EXPECT_NEAR(moments[4], 3, 0.062);
  EXPECT_NEAR(product, 0, 0.007);
}

TEST(NormalNumbers, AreTheSameInEveryLane) {
  using P = Pack<double>;
  double keys[P::lanes];
  double ticks[P::lanes];
  for (int lane = 0; lane < P::lanes; ++lane) {
    keys[lane] = noise_key(11, static_cast<unsigned long long>(lane));
    ticks[lane] = lane == 0 ? 9007199254740991.0 : 1000.0 * lane;
    EXPECT_LT(keys[lane], 9007199254740992.0);
  }
  const P numbers = normal_of(P::from(keys), P::from(ticks), 77);
  for (int lane = 0; lane < P::lanes; ++lane) {
    EXPECT_TRUE(has_same_bits(lane_of(numbers, lane), normal_of(keys[lane], ticks[lane], 77)));
  }
}

/// Two coupled, damped oscillators with a mass matrix, in a heat bath of temperature kT = 2 J: sigma^2 = 2 gamma kT.
const std::string oscillators = R"toml(
[ensemble]
members = 4000
seed = 5
[output]
fields = ["q", "w"]
[time]
end = 30.0
dt = 0.1
save_every = 10
[model]
name = "oscillators"
lagrangian = "(a_dot^2 + a_dot*b_dot + b_dot^2)*1[kg] - k*a^2/2 - k*(b - a)^2/2"
[model.parameters]
k = "3 N/m"
c = "0.7 kg/s"
s = "1.6733200530681511 N s^(1/2)"
[model.coordinates]
a = "m"
b = "m"
[model.force]
a = "-c*a_dot"
b = "-c*b_dot"
[model.noise]
every = 0.1
a = "s"
b = "s"
)toml";

/// Covariance of (a, b, a', b') at the end of a step, from that of the linear motion: half of the interval, the impulse
/// of the noise, and the other half.
Eigen::Matrix4d stationary(double every) {
  Eigen::Matrix2d mass;
  mass << 2, 1, 1, 2;
  Eigen::Matrix2d stiffness;
  stiffness << 6, -3, -3, 3;
  const Eigen::Matrix2d inverse = mass.inverse();
  Eigen::Matrix4d motion = Eigen::Matrix4d::Zero();
  motion.topRightCorner<2, 2>().setIdentity();
  motion.bottomLeftCorner<2, 2>() = -inverse * stiffness;
  motion.bottomRightCorner<2, 2>() = -0.7 * inverse;
  Eigen::Matrix4d half = Eigen::Matrix4d::Identity();
  Eigen::Matrix4d term = Eigen::Matrix4d::Identity();
  for (int k = 1; k < 30; ++k) {
    term = term * motion * (every / 2) / k;
    half += term;
  }
  Eigen::Matrix4d impulse = Eigen::Matrix4d::Zero();
  impulse.bottomRightCorner<2, 2>() = inverse * 2.8 * every * inverse;
  Eigen::Matrix4d covariance = Eigen::Matrix4d::Zero();
  for (int k = 0; k < 4000; ++k) {
    covariance = half * (half * covariance * half.transpose() + impulse) * half.transpose();
  }
  return covariance;
}

/// The exact covariance of positions is kT K^-1; the splitting has an error of order 4 in it, and of order 2 in that of
/// the rates, whose exact covariance is kT M^-1.
TEST(Noise, SplittingIsAccurate) {
  Eigen::Matrix2d positions;
  positions << 1, 1, 1, 2;
  positions *= 2.0 / 3;
  double before[2] = {};
  for (const double every : {0.2, 0.1}) {
    const Eigen::Matrix4d found = stationary(every);
    const double of_positions = (found.topLeftCorner<2, 2>() - positions).norm() / positions.norm();
    EXPECT_LT(of_positions, 3e-3 * std::pow(every / 0.2, 4));
    Eigen::Matrix2d rates;
    rates << 2, -1, -1, 2;
    rates *= 2.0 / 3;
    const double of_rates = (found.bottomRightCorner<2, 2>() - rates).norm() / rates.norm();
    EXPECT_LT(of_rates, 1e-2 * std::pow(every / 0.2, 2));
    before[0] = of_positions;
    before[1] = of_rates;
  }
  EXPECT_GT(before[0], 0);
  EXPECT_GT(before[1], 0);
}

TEST(Noise, HeatBathHasItsCovariance) {
  for (const char* integrator : {"rk4", "dop853"}) {
    const Result result = run_text(oscillators, Way{"cpu", integrator, "always"});
    const Eigen::Matrix4d expected = stationary(0.1);
    Eigen::Matrix4d found = Eigen::Matrix4d::Zero();
    const char* const names[] = {"a", "b", "a_dot", "b_dot"};
    const std::size_t frames = result.times().size();
    long count = 0;
    for (std::size_t frame = frames / 2; frame < frames; ++frame) {
      for (std::size_t member = 0; member < 4000; ++member) {
        ASSERT_EQ(result.status()[member], Status::ok);
        Eigen::Vector4d x;
        for (int i = 0; i < 4; ++i) x[i] = result.values(names[i], frame)[member];
        found += x * x.transpose();
        ++count;
      }
    }
    found /= static_cast<double>(count);
    // Some 4,000 times 4 independent states: a standard error of 1.1 %.
    for (int i = 0; i < 4; ++i) {
      for (int j = 0; j < 4; ++j) {
        EXPECT_NEAR(found(i, j), expected(i, j), 0.045 * std::sqrt(expected(i, i) * expected(j, j)))
            << integrator << i << j;
      }
    }
  }
}

/// A rod in a field, its length stated twice: the mean of z/L is coth x - 1/x with x = m g L/kT = 3.
const std::string rod = R"toml(
[ensemble]
members = 4000
[output]
fields = ["q", "w", "violation"]
[time]
end = 25.0
dt = 0.05
save_every = 20
[model]
name = "rod"
lagrangian = "m*(x_dot^2 + y_dot^2 + z_dot^2)/2 + m*g*z"
[model.parameters]
m = "1 kg"
g = "9.81 m/s^2"
L = "1 m"
c = "1 kg/s"
s = "2.5573423705088842 N s^(1/2)"
[model.coordinates]
x = "m"
y = "m"
z = "m"
[model.holonomic]
rod = "x^2 + y^2 + z^2 = L^2"
again = "x^2 + y^2 + z^2 = L^2"
[model.force]
x = "-c*x_dot"
y = "-c*y_dot"
z = "-c*z_dot"
[model.noise]
every = 0.05
x = "s"
y = "s"
z = "s"
[model.start]
z = 1
)toml";

TEST(Noise, RodInAFieldHasItsMean) {
  const Result result = run_text(rod, cpu);
  double mean = 0;
  double speeds = 0;
  long count = 0;
  const std::size_t frames = result.times().size();
  for (std::size_t frame = frames / 5; frame < frames; ++frame) {
    for (std::size_t member = 0; member < 4000; ++member) {
      ASSERT_EQ(result.status()[member], Status::ok);
      EXPECT_LE(result.values("violation", frame)[member], 1e-9);
      mean += result.values("z", frame)[member];
      for (const char* rate : {"x_dot", "y_dot", "z_dot"}) speeds += std::pow(result.values(rate, frame)[member], 2);
      ++count;
    }
  }
  EXPECT_NEAR(mean / static_cast<double>(count), 1 / std::tanh(3.0) - 1.0 / 3, 4e-3);  // four standard errors
  EXPECT_NEAR(speeds / static_cast<double>(count), 2 * 3.27, 0.01 * 2 * 3.27);
}

class NoisyRuns : public testing::TestWithParam<Way> {};
INSTANTIATE_TEST_SUITE_P(, NoisyRuns, testing::ValuesIn(all_ways()),
                         [](const auto& info) { return hybrid::name_of(info.param); });

/// One path of the noise, on every backend and integrator.
TEST_P(NoisyRuns, FollowTheSamePath) {
  const std::vector<std::string> few = {"ensemble.members=3", "time.end=2", "time.dt=0.01"};
  const Result expected = run_text(rod, Way{"reference", "rk4", "never"}, few);
  const Result found = run_text(rod, GetParam(), few);
  const std::size_t last = expected.times().size() - 1;
  for (std::size_t member = 0; member < 3; ++member) {
    ASSERT_EQ(found.status()[member], Status::ok);
    for (const char* name : {"x", "y", "z", "x_dot", "y_dot", "z_dot"}) {
      EXPECT_NEAR(found.values(name, last)[member], expected.values(name, last)[member], 2e-6) << name;
    }
    EXPECT_GT(std::abs(found.values("x", last)[member]), 1e-3);
  }
}

TEST_P(NoisyRuns, KeepTheirBitsInEveryDivision) {
  const std::vector<std::string> few = {"ensemble.members=9", "time.end=2"};
  const Result whole = run_text(rod, GetParam(), few);
  const std::vector<std::vector<std::string>> divided = {
      {"time.save_every=1"}, {"time.save_every=7"}, {"solver.block_members=1"}, {"solver.block_members=4"}};
  for (std::vector<std::string> overrides : divided) {
    overrides.insert(overrides.end(), few.begin(), few.end());
    const Result other = run_text(rod, GetParam(), overrides);
    for (std::size_t i = 0; i < 9; ++i) {
      for (const char* name : {"x", "y", "z", "x_dot"}) {
        EXPECT_TRUE(has_same_bits(other.values(name, other.times().size() - 1)[i],
                                  whole.values(name, whole.times().size() - 1)[i]));
      }
    }
  }
}

TEST(Noise, DependsOnSeedMemberAndSource) {
  const std::vector<std::string> few = {"ensemble.members=2", "time.end=1", "ensemble.seed=1"};
  const Result first = run_text(rod, cpu, few);
  const Result second = run_text(rod, cpu, {"ensemble.members=2", "time.end=1", "ensemble.seed=2"});
  const std::size_t last = first.times().size() - 1;
  EXPECT_NE(first.values("x", last)[0], first.values("x", last)[1]);
  EXPECT_NE(first.values("x", last)[0], second.values("x", last)[0]);
  EXPECT_NE(first.values("x", last)[0], first.values("y", last)[0]);
}

/// One source along two coordinates pushes both alike; a source of its own for each does not.
TEST(Noise, SourceActsAlongAllItsCoordinates) {
  const std::string pair = R"toml(
[output]
fields = ["q", "w"]
[time]
end = 2.0
dt = 0.1
[model]
name = "pair"
[model.parameters]
s = 2
[model.coordinates]
a = "1"
b = "1"
[model.mass]
a = 1
b = 4
[model.noise]
every = 0.1
)toml";
  const Result together = run_text(pair + "wind = { a = \"s\", b = \"-4*s\" }\n", cpu);
  const std::size_t last = together.times().size() - 1;
  EXPECT_NEAR(together.values("a_dot", last)[0], -together.values("b_dot", last)[0], 1e-13);
  EXPECT_NE(together.values("a_dot", last)[0], 0);
  const Result apart = run_text(pair + "a = \"s\"\nb = \"-4*s\"\n", cpu);
  EXPECT_GT(std::abs(apart.values("a_dot", last)[0] + apart.values("b_dot", last)[0]), 1e-3);
}

TEST(Noise, WhatItDoesNotSupportIsRefused) {
  const auto model = [&](const std::string& noise) {
    return rod.substr(0, rod.find("[model.noise]")) + "[model.noise]\n" + noise + "\n[model.start]\nz = 1\n";
  };
  const auto expect = [&](const std::string& text, const std::string& why, const std::vector<std::string>& more = {}) {
    const std::string found = refusal_of(text, more);
    EXPECT_NE(found.find(why), std::string::npos) << found;
  };
  expect(model("x = \"s\""), "every is missing");
  expect(model("every = 0.1"), "found none");
  expect(model("every = -1\nx = \"s\""), "a positive number of seconds");
  expect(model("every = 1e-12\nx = \"s\""), "model.noise.every: its ticks are too close for times of this size");
  expect(model("every = 0.1\nx = \"c\""), "the intensity of the noise along x_dot");
  expect(model("every = 0.1\nu = \"s\""), "u");
  expect(model("every = 0.1\nx = \"s*x_dot\""), "t and coordinates");
  expect(model("every = 0.1\nx = \"s\"\nx_dot = \"s\""), "stated already");
  expect(rod, "noise goes with precision", {"solver.precision=single"});
  expect(rod, "noise goes with time.start", {"time.start=-1"});
  expect(rod, "sensitivities do not go through noise yet", {"sensitivities.of=[\"parameters.g\"]"});
}

}  // namespace
}  // namespace kalaba
