#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "kalaba/block.hpp"
#include "scenario/grid_axes.hpp"
#include "scenario/random.hpp"
#include "scenario/scenario.hpp"
#include "scenarios/fake_systems.hpp"
#include "scenarios/scratch_folder.hpp"

namespace kalaba {
namespace {

constexpr int m = 0, L = 1, g = 2;  // parameters of the fake pendulum
constexpr int x = 0, z = 1;         // its coordinates
constexpr int p_x = 0, p_z = 1;     // its rates
constexpr long sample = 100'000;    // members of a statistical test
const std::string many = "ensemble.members=100000";

const std::vector<System>& systems() {
  static const std::vector<System> fakes = fake_systems();
  return fakes;
}

Scenario pendulum(const std::vector<std::string>& overrides) { return load_scenario("pendulum", overrides, systems()); }

/// Members first … first + count - 1 of a pendulum scenario.
Block members_of(const Scenario& scenario, long first, long count) {
  Block block(3, 2, 2, count);
  block.assign(first, count);
  scenario.source->fill(block);
  return block;
}
Block members_of(const Scenario& scenario) { return members_of(scenario, 0, scenario.members); }

std::vector<double> copy_of(std::span<const double> row) { return {row.begin(), row.end()}; }

std::vector<double> lengths(const std::vector<std::string>& overrides) {
  Block block = members_of(pendulum(overrides));
  return copy_of(block.parameter(L));
}

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

// ---- grids and files ----

TEST(Grid, IsFullFactorialWithTheLastAxisFastest) {
  const Scenario scenario =
      pendulum({"initial.p_x={values=[7, 8]}", "parameters.L={values=[5, 3, 4]}", "initial.z={linspace=[0, 1, 2]}"});
  ASSERT_EQ(scenario.members, 12);
  Block block = members_of(scenario);
  std::size_t member = 0;
  for (const double momentum : {7.0, 8.0}) {
    for (const double length : {5.0, 3.0, 4.0}) {
      for (const double height : {0.0, 1.0}) {
        EXPECT_EQ(std::tuple(block.parameter(L)[member], block.coordinate(z)[member], block.rate(p_x)[member]),
                  std::tuple(length, height, momentum))
            << member;
        ++member;
      }
    }
  }
}

TEST(Grid, RepeatsForMoreMembers) {
  const std::vector<double> expected = {1, 2, 1, 2, 1, 2};
  EXPECT_EQ(lengths({"ensemble.members=6", "parameters.L={values=[1, 2]}"}), expected);
}

TEST(Grid, HasExactEnds) {
  const std::vector<double> values = lengths({"parameters.L={linspace=[0.1, 0.7, 7]}"});
  ASSERT_EQ(values.size(), 7U);
  EXPECT_EQ(values.front(), 0.1);
  EXPECT_EQ(values.back(), 0.7);
  for (std::size_t i = 0; i < 7; ++i) EXPECT_NEAR(values[i], 0.1 + 0.1 * static_cast<double>(i), 1e-15);
  EXPECT_EQ(lengths({"parameters.L={linspace=[0.3, 9, 1]}"}), std::vector<double>{0.3});
  const std::vector<double> falling = {3, 2, 1};
  EXPECT_EQ(lengths({"parameters.L={linspace=[3, 1, 3]}"}), falling);
}

TEST(Csv, GivesAValueAMember) {
  const ScratchFolder folder;
  folder.write("a.csv", "\xEF\xBB\xBFmember, \"L\" ,mass\r\n0, 1.5,2\r\n1,+2.5e0,3\r\n\r\n");
  folder.write("b.csv", "g\n4\n\"5\"");
  const std::string file = folder.write("s.toml",
                                        "system = 'pendulum'\n[parameters]\nL = { file = 'a.csv' }\n"
                                        "m = { file = 'a.csv', column = 'mass' }\ng = { file = 'b.csv' }\n");
  const Scenario scenario = load_scenario(file, {}, systems());
  ASSERT_EQ(scenario.members, 2);
  Block block = members_of(scenario);
  EXPECT_EQ(copy_of(block.parameter(L)), (std::vector<double>{1.5, 2.5}));
  EXPECT_EQ(copy_of(block.parameter(m)), (std::vector<double>{2, 3}));
  EXPECT_EQ(copy_of(block.parameter(g)), (std::vector<double>{4, 5}));
}

// ---- the order of a grid ----

TEST(Grid, HasItsAxesInTheOrderInWhichTheyAreWritten) {
  const std::vector<double> slow = {1, 1, 2, 2};
  const std::vector<double> fast = {1, 2, 1, 2};
  EXPECT_EQ(lengths({"parameters.L={values=[1, 2]}", "parameters.m={values=[3, 4]}"}), slow);
  EXPECT_EQ(lengths({"parameters.m={values=[3, 4]}", "parameters.L={values=[1, 2]}"}), fast);
  EXPECT_EQ(lengths({"initial.x={values=[3, 4]}", "parameters.L={values=[1, 2]}"}), fast);

  const ScratchFolder folder;
  const std::string file = folder.write("s.toml",
                                        "system = 'pendulum'\n[initial]\nx = { values = [3, 4] }\n"
                                        "[parameters]\nL = { values = [1, 2] }\n");
  const auto of_file = [&](const std::vector<std::string>& overrides) {
    Block block = members_of(load_scenario(file, overrides, systems()));
    return copy_of(block.parameter(L));
  };
  EXPECT_EQ(of_file({}), fast);
  EXPECT_EQ(of_file({"ensemble.grid=['parameters.L', 'initial.x']"}), slow);
  EXPECT_EQ(of_file({"initial.x={values=[3, 4]}"}), slow);  // an override is written behind the file
}

TEST(Grid, KeepsItsOrderInTheEffectiveText) {
  const Scenario first = pendulum({"initial.x={values=[3, 4]}", "parameters.L={linspace=[1, 2, 3]}"});
  const Scenario again = load_scenario_text(first.text, "again", {}, systems());
  EXPECT_EQ(again.text, first.text);
  Block one = members_of(first);
  Block other = members_of(again);
  EXPECT_EQ(copy_of(one.parameter(L)), copy_of(other.parameter(L)));
  const std::vector<GridAxis> axes = grid_axes(first.text);
  ASSERT_EQ(axes.size(), 2U);
  EXPECT_EQ(axes[0].name, "initial.x");
  EXPECT_EQ(axes[0].points, 2);
  EXPECT_EQ(axes[1].name, "parameters.L");
  EXPECT_EQ(axes[1].points, 3);
  EXPECT_TRUE(grid_axes(pendulum({"parameters.L={uniform=[1, 2]}"}).text).empty());
}

TEST(Grid, RefusesAxesThatItHasNot) {
  const auto message = [](const std::string& grid) -> std::string {
    try {
      pendulum({"parameters.L={values=[1, 2]}", "parameters.m={values=[3, 4]}", "ensemble.grid=" + grid});
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_NE(message("['parameters.L']").find("parameters.m is missing"), std::string::npos);
  EXPECT_NE(message("['parameters.L', 'parameters.m', 'parameters.g']").find("found \"parameters.g\""),
            std::string::npos);
  EXPECT_NE(message("['parameters.L', 'parameters.m', 'parameters.L']").find("named twice"), std::string::npos);
}

// ---- the start ----

TEST(Start, FollowsTheMembersOwnParameters) {
  Block block = members_of(pendulum({"parameters.L={values=[1, 2]}", "parameters.m=3"}));
  EXPECT_EQ(copy_of(block.coordinate(x)), (std::vector<double>{0.8, 1.6}));
  EXPECT_EQ(copy_of(block.coordinate(z)), (std::vector<double>{0.6, 1.2}));
  EXPECT_EQ(copy_of(block.rate(p_x)), (std::vector<double>{0.7 * 3, 0.7 * 3}));
}

TEST(Start, TakesWhatIsGiven) {
  Block block = members_of(pendulum({"parameters.L={values=[1, 2]}", "initial.z=-0.5", "initial.p_z=0.25"}));
  EXPECT_EQ(copy_of(block.coordinate(x)), (std::vector<double>{0.8, 1.6}));
  EXPECT_EQ(copy_of(block.coordinate(z)), (std::vector<double>{-0.5, -0.5}));
  EXPECT_EQ(copy_of(block.rate(p_z)), (std::vector<double>{0.25, 0.25}));
}

}  // namespace
}  // namespace kalaba
