// Sampling: the random numbers, the distributions, and their assignment to members.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "scenario/sampling/random.hpp"
#include "scenarios/pendulum_members.hpp"

namespace kalaba {
namespace {

using namespace test;

// ---- the recipe ----

TEST(Random, IsPhiloxOfTheDocumentedWords) {
  EXPECT_EQ(stream_of(""), 0x811c9dc5U);
  EXPECT_EQ(stream_of("a"), 0xe40c292cU);  // FNV-1a's published test vectors
  EXPECT_EQ(stream_of("foobar"), 0xbf9cf968U);
  // Random123's known answer for a zero counter and key: 6627e8d5 e169c58d bc57ac4c 9b00dbd8.
  const UniformPair zero = uniform_pair(0, 0, 0);
  const auto unit = [](std::uint64_t word) { return (static_cast<double>(word >> 12) + 0.5) * 0x1p-52; };
  EXPECT_EQ(zero.first, unit(0xe169c58d6627e8d5));
  EXPECT_EQ(zero.second, unit(0x9b00dbd8bc57ac4c));
}

/// Values computed apart from this code, from the recipe of random.hpp.
TEST(Random, HasTheValuesOfTheRecipe) {
  const UniformPair u = uniform_pair(0x123456789abcdef0, 0x1'0000'0007, stream_of("parameters.L"));
  EXPECT_EQ(u.first, 0.5702691135973484);
  EXPECT_EQ(u.second, 0.7026420047428142);
}

TEST(Random, UsesAllOfTheSeedAndTheMember) {
  std::set<double> seen;
  for (const std::uint64_t seed : {0UL, 1UL, 1UL << 32, 1UL << 63}) {
    for (const std::uint64_t member : {0UL, 1UL, 1UL << 32, 1UL << 39}) {
      for (const std::uint32_t stream : {0U, 1U, 1U << 31}) seen.insert(uniform_pair(seed, member, stream).first);
    }
  }
  EXPECT_EQ(seen.size(), 48U);
}

TEST(Sampler, DrawsByTheRecipe) {
  Block block = members_of(pendulum({"ensemble.seed=5", "ensemble.members=9", "parameters.L={uniform=[2, 6]}",
                                     "parameters.m={normal=[3, 0.5]}", "initial.x={log_uniform=[1e-3, 10]}"}));
  for (std::size_t i = 0; i < 9; ++i) {
    const UniformPair length = uniform_pair(5, i, stream_of("parameters.L"));
    EXPECT_DOUBLE_EQ(block.parameter(L)[i], 2 + 4 * length.first);
    const UniformPair mass = uniform_pair(5, i, stream_of("parameters.m"));
    const double normal = std::sqrt(-2 * std::log(mass.first)) * std::cos(2 * std::numbers::pi * mass.second);
    EXPECT_DOUBLE_EQ(block.parameter(m)[i], 3 + 0.5 * normal);
    const UniformPair place = uniform_pair(5, i, stream_of("initial.x"));
    EXPECT_NEAR(std::log10(block.coordinate(x)[i]), -3 + 4 * place.first, 1e-14);
  }
}

// ---- statistics; the seed is fixed, so a bound that holds holds for ever ----

struct Moments {
  double mean;
  double variance;
};

Moments moments_of(const std::vector<double>& values) {
  const double count = static_cast<double>(values.size());
  const double mean = std::accumulate(values.begin(), values.end(), 0.0) / count;
  double squares = 0;
  for (const double value : values) squares += (value - mean) * (value - mean);
  return {mean, squares / (count - 1)};
}

/// sqrt(n) times the Kolmogorov-Smirnov distance; 1.63 is exceeded once in a hundred samples of the distribution.
template <class Distribution>
double kolmogorov_smirnov(std::vector<double> values, Distribution cumulative) {
  std::sort(values.begin(), values.end());
  const double count = static_cast<double>(values.size());
  double distance = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double expected = cumulative(values[i]);
    const auto below = static_cast<double>(i);
    distance = std::max({distance, expected - below / count, (below + 1) / count - expected});
  }
  return std::sqrt(count) * distance;
}

TEST(Sampler, SpreadsUniformValuesEvenly) {
  const std::vector<double> values = lengths({many, "parameters.L={uniform=[-1, 3]}"});
  EXPECT_NEAR(moments_of(values).mean, 1, 4 * std::sqrt(16.0 / 12 / sample));
  EXPECT_NEAR(moments_of(values).variance, 16.0 / 12, 0.01);
  EXPECT_LT(kolmogorov_smirnov(values, [](double v) { return (v + 1) / 4; }), 1.63);
  EXPECT_GT(*std::min_element(values.begin(), values.end()), -1);
  EXPECT_LT(*std::max_element(values.begin(), values.end()), 3);
}

TEST(Sampler, SpreadsNormalValuesNormally) {
  const std::vector<double> values = lengths({many, "parameters.L={normal=[2, 0.5]}"});
  EXPECT_NEAR(moments_of(values).mean, 2, 4 * 0.5 / std::sqrt(sample));
  EXPECT_NEAR(moments_of(values).variance, 0.25, 4 * 0.25 * std::sqrt(2.0 / sample));
  EXPECT_LT(kolmogorov_smirnov(values, [](double v) { return 0.5 * std::erfc((2 - v) / 0.5 / std::sqrt(2.0)); }), 1.63);
}

TEST(Sampler, SpreadsLogUniformValuesEvenlyInTheirLogarithm) {
  const std::vector<double> values = lengths({many, "parameters.L={log_uniform=[1e-2, 1e2]}"});
  EXPECT_LT(kolmogorov_smirnov(values, [](double v) { return (std::log10(v) + 2) / 4; }), 1.63);
}

TEST(Sampler, DrawsVariablesIndependently) {
  Block block = members_of(pendulum({many, "parameters.L={normal=[0, 1]}", "parameters.m={normal=[0, 1]}"}));
  double same_member = 0;
  double next_member = 0;
  for (std::size_t i = 0; i + 1 < sample; ++i) {
    same_member += block.parameter(L)[i] * block.parameter(m)[i];
    next_member += block.parameter(L)[i] * block.parameter(L)[i + 1];
  }
  EXPECT_LT(std::abs(same_member) / sample, 4 / std::sqrt(sample));
  EXPECT_LT(std::abs(next_member) / sample, 4 / std::sqrt(sample));
}

TEST(Sampler, KeepsToDegenerateAndExtremeRanges) {
  for (const double value : lengths({"ensemble.members=100", "parameters.L={uniform=[0.1, 0.1]}"})) {
    EXPECT_EQ(value, 0.1);
  }
  for (const double value : lengths({"ensemble.members=100", "parameters.L={normal=[0.3, 0]}"})) EXPECT_EQ(value, 0.3);
  for (const double value : lengths({"ensemble.members=100", "parameters.L={log_uniform=[0.7, 0.7]}"})) {
    EXPECT_EQ(value, 0.7);
  }
  for (const double value : lengths({"ensemble.members=100", "parameters.L={uniform=[-1.7e308, 1.7e308]}"})) {
    EXPECT_TRUE(std::isfinite(value));
  }
  const std::vector<double> wide = {-1.7e308, 0, 1.7e308};
  EXPECT_EQ(lengths({"parameters.L={linspace=[-1.7e308, 1.7e308, 3]}"}), wide);
}

// ---- a member depends on its index alone ----

TEST(Sampler, GivesTheSameMembersInAnyBlocks) {
  const std::vector<std::string> overrides = {"ensemble.members=300", "parameters.L={uniform=[1, 2]}",
                                              "parameters.m={linspace=[1, 2, 3]}", "initial.z={normal=[0, 1]}"};
  const Scenario scenario = pendulum(overrides);
  Block whole = members_of(scenario);
  for (const auto& [first, count] : {std::pair(299L, 1L), std::pair(100L, 150L), std::pair(0L, 100L)}) {
    Block part = members_of(scenario, first, count);
    for (long i = 0; i < count; ++i) {
      const auto here = static_cast<std::size_t>(i);
      const auto there = static_cast<std::size_t>(first + i);
      for (const int p : {m, L, g}) EXPECT_EQ(part.parameter(p)[here], whole.parameter(p)[there]);
      for (const int q : {x, z}) EXPECT_EQ(part.coordinate(q)[here], whole.coordinate(q)[there]);
      for (const int w : {p_x, p_z}) EXPECT_EQ(part.rate(w)[here], whole.rate(w)[there]);
    }
  }
}

TEST(Sampler, GivesTheSameValuesWhateverTheOtherVariables) {
  const std::vector<double> alone = lengths({"ensemble.members=50", "parameters.L={uniform=[1, 2]}"});
  EXPECT_EQ(lengths({"ensemble.members=50", "parameters.L={uniform=[1, 2]}", "parameters.m={normal=[0, 1]}",
                     "initial.x={uniform=[0, 1]}", "parameters.g={values=[1, 2]}"}),
            alone);
  std::vector<double> more = lengths({"ensemble.members=80", "parameters.L={uniform=[1, 2]}"});
  more.resize(50);
  EXPECT_EQ(more, alone);
}

TEST(Sampler, GivesOtherMembersFarOut) {
  const Scenario scenario = pendulum({"ensemble.members=5000000000", "parameters.L={uniform=[1, 2]}"});
  std::set<double> seen;
  for (const long first : {0L, 1L << 16, 1L << 20, 1L << 31, 1L << 32}) {
    Block block = members_of(scenario, first, 10);
    for (const double value : block.parameter(L)) seen.insert(value);
  }
  EXPECT_EQ(seen.size(), 50U);
}

TEST(Sampler, GivesOtherMembersForAnotherSeed) {
  EXPECT_NE(lengths({"ensemble.seed=1", "parameters.L={uniform=[1, 2]}"}),
            lengths({"ensemble.seed=2", "parameters.L={uniform=[1, 2]}"}));
}

}  // namespace
}  // namespace kalaba
