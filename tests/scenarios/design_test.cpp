#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numbers>
#include <set>
#include <string>
#include <vector>

#include "scenario/sampling/distribution.hpp"
#include "scenario/sampling/unit_design.hpp"
#include "scenarios/failure.hpp"
#include "scenarios/pendulum_members.hpp"

namespace kalaba {
namespace {

using namespace test;

std::vector<double> values_of(const Scenario& scenario, int parameter) {
  Block block = members_of(scenario);
  return copy_of(block.parameter(parameter));
}

/// Which of `count` even intervals of [0, 1] hold a value.
std::set<long> strata(const std::vector<double>& values, long count) {
  std::set<long> hit;
  for (const double value : values) hit.insert(static_cast<long>(value * static_cast<double>(count)));
  return hit;
}

double correlation(const std::vector<double>& a, const std::vector<double>& b) {
  double ab = 0;
  for (std::size_t i = 0; i < a.size(); ++i) ab += (a[i] - 0.5) * (b[i] - 0.5);
  return 12 * ab / static_cast<double>(a.size());
}

// ---- Latin hypercubes

TEST(LatinHypercube, HitsEveryStratumOnce) {
  for (const long members : {1L, 2L, 3L, 7L, 64L, 1000L}) {
    const Scenario scenario =
        pendulum({"ensemble.design=latin_hypercube", "parameters.L={uniform=[0, 1]}", "parameters.m={uniform=[0, 1]}",
                  "ensemble.members=" + std::to_string(members)});
    for (const int parameter : {L, m}) {
      EXPECT_EQ(strata(values_of(scenario, parameter), members).size(), static_cast<std::size_t>(members));
    }
  }
}

/// The members of an ensemble stay where their number is doubled, once or several times.
TEST(LatinHypercube, KeepsItsMembersWhereTheirNumberIsDoubled) {
  for (const long few : {1L, 3L, 16L, 25L, 100L}) {
    const UnitCube small = {SamplingDesign::latin_hypercube, 5, few};
    for (const long many : {2 * few, 4 * few, 64 * few}) {
      const UnitCube large = {SamplingDesign::latin_hypercube, 5, many};
      for (const std::uint32_t stream : {1U, 2U}) {
        for (long member = 0; member < few; ++member) {
          ASSERT_EQ(small.at(member, stream, 0), large.at(member, stream, 0)) << few << " of " << many;
        }
        std::vector<double> values;
        for (long member = 0; member < many; ++member) values.push_back(large.at(member, stream, 0));
        EXPECT_EQ(strata(values, many).size(), static_cast<std::size_t>(many));
      }
    }
  }
}

TEST(LatinHypercube, IsUncorrelatedInEveryDoubling) {
  constexpr long members = 1 << 13;
  const UnitCube cube = {SamplingDesign::latin_hypercube, 9, members};
  for (long first = 0; first < members; first = std::max(2 * first, 1024L)) {
    std::vector<double> a;
    std::vector<double> b;
    for (long member = first; member < std::max(2 * first, 1024L); ++member) {
      a.push_back(cube.at(member, 1, 0));
      b.push_back(cube.at(member, 2, 1));
    }
    EXPECT_LT(std::abs(correlation(a, b)), 3.5 / std::sqrt(static_cast<double>(a.size()))) << first;
  }
}

TEST(LatinHypercube, OrdersVariablesOnTheirOwn) {
  const Scenario scenario = pendulum({"ensemble.design=latin_hypercube", "parameters.L={uniform=[0, 1]}",
                                      "parameters.m={uniform=[0, 1]}", "ensemble.members=10000"});
  EXPECT_LT(std::abs(correlation(values_of(scenario, L), values_of(scenario, m))), 0.03);
  std::set<std::uint64_t> places;
  for (std::uint64_t i = 0; i < 1'000; ++i) places.insert(latin_place(3, 17, i, 1'000));
  EXPECT_EQ(places.size(), 1'000U);
  EXPECT_EQ(*places.rbegin(), 999U);
  EXPECT_NE(latin_place(3, 17, 5, 1'000'000), latin_place(4, 17, 5, 1'000'000));
}

TEST(LatinHypercube, GivesTheQuantilesOfANormal) {
  const Scenario scenario =
      pendulum({"ensemble.design=latin_hypercube", "parameters.L={normal=[3, 0.5]}", "ensemble.members=10000"});
  std::vector<double> values = values_of(scenario, L);
  std::sort(values.begin(), values.end());
  for (const auto& [share, z] : {std::pair(0.5, 0.0), {0.841344746, 1.0}, {0.977249868, 2.0}}) {
    EXPECT_NEAR(values[static_cast<std::size_t>(share * 1e4)], 3 + 0.5 * z, 1e-3);  // independent draws: 0.01
  }
}

// ---- Sobol' points

TEST(Sobol, HasThePublishedFirstPoints) {
  // Joe and Kuo's, in the order of the index.
  constexpr double points[3][8] = {{0, 0.5, 0.25, 0.75, 0.125, 0.625, 0.375, 0.875},
                                   {0, 0.5, 0.75, 0.25, 0.625, 0.125, 0.375, 0.875},
                                   {0, 0.5, 0.75, 0.25, 0.375, 0.875, 0.625, 0.125}};
  for (int dimension = 0; dimension < 3; ++dimension) {
    for (std::uint32_t i = 0; i < 8; ++i) EXPECT_EQ(sobol_bits(i, dimension) * 0x1p-32, points[dimension][i]);
  }
}

/// scipy.stats.qmc.Sobol(40, scramble=False, bits=32) 1.17.1, which goes through the same points in Gray's order: its
/// point 13094 is number 0x2ab5.
TEST(Sobol, HasScipysPointInEveryDimension) {
  constexpr std::array<std::uint32_t, most_sobol_variables> expected = {
      0xad540000, 0x67fc0000, 0x98cc0000, 0xc89c0000, 0xa9b40000, 0x4c540000, 0xb8540000, 0x26440000,
      0xcc040000, 0x773c0000, 0x95c40000, 0xe30c0000, 0x04140000, 0xc05c0000, 0x61140000, 0x8fcc0000,
      0x1f440000, 0xe84c0000, 0xe7040000, 0xff2c0000, 0xd7c40000, 0x590c0000, 0xd1240000, 0x9f9c0000,
      0x00bc0000, 0x66f40000, 0x5af40000, 0x04a40000, 0x5e340000, 0xc3cc0000, 0x8bb40000, 0x773c0000,
      0x246c0000, 0x618c0000, 0xe6f40000, 0x835c0000, 0xdeec0000, 0xa3440000, 0x8a7c0000, 0xe17c0000};
  for (int dimension = 0; dimension < most_sobol_variables; ++dimension) {
    EXPECT_EQ(sobol_bits(0x2ab5, dimension), expected[static_cast<std::size_t>(dimension)]) << dimension;
  }
}

/// Owen's: whether a bit flips depends on those before it, so that what points share in front stays shared.
TEST(Sobol, IsScrambledByNestedFlips) {
  std::set<std::uint32_t> flips;
  for (std::uint32_t i = 0; i < 1024; ++i) {
    const std::uint32_t bits = sobol_bits(i, 3);
    flips.insert((owen_scrambled(bits, 99) ^ bits) >> 20);
    for (int shared = 1; shared < 32; ++shared) {
      const std::uint32_t other = bits ^ (1U << (31 - shared));
      EXPECT_EQ((owen_scrambled(other, 99) ^ owen_scrambled(bits, 99)) >> (31 - shared), 1U) << shared;
    }
  }
  EXPECT_GT(flips.size(), 100U);  // one alone would be a shift
}

TEST(UnitCube, ScramblesEachVariableOnItsOwnAndFillsItsStrata) {
  for (const SamplingDesign design : {SamplingDesign::latin_hypercube, SamplingDesign::sobol}) {
    const UnitCube cube = {design, 5, 64};
    const double cells = design == SamplingDesign::sobol ? 0x1p32 : 64;
    std::set<double> places;  // within the strata
    int same = 0;
    for (long member = 0; member < 64; ++member) {
      const double u = cube.at(member, 1, 4);
      places.insert(u * cells - std::floor(u * cells));
      same += std::floor(64 * u) == std::floor(64 * cube.at(member, 2, 4)) ? 1 : 0;
    }
    EXPECT_EQ(places.size(), 64U);
    EXPECT_LT(same, 10);  // of the same dimension, for two variables
  }
}

TEST(Sobol, StaysANetWhenScrambled) {
  constexpr std::uint32_t count = 1024;
  for (int dimension = 0; dimension < most_sobol_variables; ++dimension) {
    for (const bool scrambled : {false, true}) {
      std::vector<double> values;
      for (std::uint32_t i = 0; i < count; ++i) {
        const std::uint32_t bits = sobol_bits(i, dimension);
        values.push_back((scrambled ? owen_scrambled(bits, 99) : bits) * 0x1p-32);
      }
      EXPECT_EQ(strata(values, count).size(), count) << dimension;
    }
  }
}

TEST(Sobol, FillsEveryElementaryBoxOfTheFirstTwoVariables) {
  const Scenario scenario = pendulum({"ensemble.design=sobol", "parameters.L={uniform=[0, 1]}",
                                      "parameters.m={uniform=[0, 1]}", "ensemble.members=256", "ensemble.seed=4"});
  const std::vector<double> a = values_of(scenario, m);
  const std::vector<double> b = values_of(scenario, L);
  for (int bits = 0; bits <= 8; ++bits) {
    std::set<std::pair<int, int>> boxes;
    for (std::size_t i = 0; i < a.size(); ++i) {
      boxes.emplace(static_cast<int>(std::ldexp(a[i], bits)), static_cast<int>(std::ldexp(b[i], 8 - bits)));
    }
    EXPECT_EQ(boxes.size(), 256U) << bits;
  }
}

TEST(Sobol, IsScrambledBySeed) {
  const std::vector<std::string> given = {"ensemble.design=sobol", "parameters.L={uniform=[0, 1]}",
                                          "ensemble.members=8"};
  std::vector<std::string> other = given;
  other.emplace_back("ensemble.seed=2");
  EXPECT_NE(values_of(pendulum(given), L), values_of(pendulum(other), L));
}

// ---- one at a time

TEST(OneAtATime, VariesEachAxisWhileTheOthersRest) {
  const Scenario scenario = pendulum({"ensemble.design=one_at_a_time", "parameters.L={linspace=[2, 4, 3]}",
                                      "parameters.m={values=[5, 7]}", "parameters.g=9"});
  EXPECT_EQ(scenario.members, 6);
  EXPECT_EQ(values_of(scenario, m), (std::vector<double>{1, 1, 1, 1, 5, 7}));
  EXPECT_EQ(values_of(scenario, L), (std::vector<double>{1, 2, 3, 4, 1, 1}));
  EXPECT_EQ(values_of(scenario, 2), std::vector<double>(6, 9.0));
}

TEST(OneAtATime, AStartAtRestFollowsFromTheParametersOfItsMember) {
  const Scenario scenario =
      pendulum({"ensemble.design=one_at_a_time", "parameters.L={linspace=[2, 4, 3]}", "initial.x={values=[0.3, 0.5]}"});
  Block block(3, 2, 2, scenario.members);
  block.assign(0, scenario.members);
  scenario.source->fill(block);
  const std::vector<double> expected = {0.8, 0.8 * 2, 0.8 * 3, 0.8 * 4, 0.3, 0.5};
  EXPECT_EQ(std::vector<double>(block.coordinate(0).begin(), block.coordinate(0).end()), expected);
}

// ---- distributions

TEST(TruncatedNormal, KeepsItsShapeWithinItsBounds) {
  const auto below = [](double z) { return std::erfc(-z / std::numbers::sqrt2) / 2; };
  for (const auto& [low, high] : {std::pair(-1.0, 2.0), {0.5, 3.0}, {6.0, 7.0}, {-9.0, -8.0}, {10.0, 10.5}}) {
    std::vector<double> values = values_of(
        pendulum({"ensemble.members=20000", "ensemble.design=latin_hypercube",
                  "parameters.L={normal=[0, 1], within=[" + std::to_string(low) + ", " + std::to_string(high) + "]}"}),
        L);
    std::sort(values.begin(), values.end());
    EXPECT_GE(values.front(), low);
    EXPECT_LE(values.back(), high);
    // In the upper tail the shares are taken from above: near 1 they have no digits left.
    const bool upper = low > 0;
    const double all = upper ? below(-low) - below(-high) : below(high) - below(low);
    for (const double share : {0.1, 0.5, 0.9}) {
      const double value = values[static_cast<std::size_t>(share * 20000)];
      const double found = upper ? 1 - (below(-value) - below(-high)) / all : (below(value) - below(low)) / all;
      EXPECT_NEAR(found, share, 2e-4) << low;
    }
  }
}

TEST(TruncatedNormal, DoesNotLeaveItsBoundsByRounding) {
  for (int i = 1; i < 200; ++i) {
    Distribution normal{.kind = Distribution::Kind::normal, .first = 0.1, .second = 0.3, .is_truncated = true};
    normal.low = -0.01 * i;
    normal.high = 0.013 * i;
    EXPECT_GE(normal.quantile(0x1p-53), normal.low);
    EXPECT_LE(normal.quantile(1 - 0x1p-53), normal.high);
  }
}

TEST(Discrete, GivesNothingToAValueWithoutWeight) {
  // For the largest u, the remainder behind the last weight is 0 up to rounding, and not negative.
  const Distribution discrete{
      .kind = Distribution::Kind::discrete, .values = {1, 2, 3, 9}, .weights = {0.1, 0.2, 0.3, 0}};
  EXPECT_EQ(discrete.quantile(1 - 0x1p-53), 3);
}

TEST(Discrete, TakesValuesAsOftenAsTheyWeigh) {
  const auto counts = [](const std::string& distribution) {
    std::map<double, int> counts;
    for (const double value : values_of(
             pendulum({"ensemble.members=600", "ensemble.design=latin_hypercube", "parameters.L=" + distribution}),
             L)) {
      ++counts[value];
    }
    return counts;
  };
  EXPECT_EQ(counts("{discrete=[1, 2, 5]}"), (std::map<double, int>{{1, 200}, {2, 200}, {5, 200}}));
  EXPECT_EQ(counts("{discrete=[1, 2, 5], weights=[3, 0, 1]}"), (std::map<double, int>{{1, 450}, {5, 150}}));
}

TEST(Discrete, IsDrawnWithoutADesignToo) {
  int ones = 0;
  const std::vector<double> values =
      values_of(pendulum({"ensemble.members=10000", "parameters.L={discrete=[1, 2], weights=[1, 3]}"}), L);
  for (const double value : values) ones += value == 1 ? 1 : 0;
  EXPECT_NEAR(ones, 2500, 130);  // three standard deviations
}

// ---- the scenario

TEST(Design, IsKeptByTheEffectiveScenario) {
  for (const char* design : {"latin_hypercube", "sobol"}) {
    const Scenario scenario =
        pendulum({std::string("ensemble.design=") + design, "ensemble.members=50",
                  "parameters.L={normal=[1, 0.2], within=[0.5, 2]}", "parameters.m={discrete=[1, 2], weights=[1, 3]}"});
    const Scenario again = load_scenario_text(scenario.text, "again", {}, systems());
    EXPECT_EQ(again.text, scenario.text);
    for (const int parameter : {L, m}) EXPECT_EQ(values_of(again, parameter), values_of(scenario, parameter));
  }
}

TEST(DesignError, NamesTheKeyAndWhatWasExpected) {
  const ScratchFolder folder;
  const auto message = [&](const std::vector<std::string>& overrides) {
    return first_message(folder, "pendulum", overrides);
  };
  EXPECT_EQ(message({"ensemble.design=latin_hypercub"}),
            "-s ensemble.design=latin_hypercub: expected one of independent, latin_hypercube, sobol, "
            "one_at_a_time, saltelli, found \"latin_hypercub\"; did you mean latin_hypercube?");
  const auto says = [&](const std::vector<std::string>& overrides, const std::string& text) {
    EXPECT_NE(message(overrides).find(text), std::string::npos) << message(overrides);
  };
  says({"ensemble.design=sobol"}, "expected a variable that is drawn, such as { uniform = [0.5, 2] }");
  says({"ensemble.design=one_at_a_time"}, "expected a linspace or values to vary one at a time, found none");
  says({"ensemble.design=one_at_a_time", "parameters.L={uniform=[1, 2]}", "ensemble.members=9"},
       "expected a number, linspace or values, which the design one_at_a_time varies");
  says({"ensemble.design=one_at_a_time", "parameters.L={linspace=[1, 2, 4]}", "ensemble.members=7"},
       "expected 5 members, one and the points of every axis, for the design one_at_a_time; found 7");
  says({"parameters.L={normal=[1, 2], within=[3, 3]}"}, "expected [low, high] with low < high, found [3, 3]");
  says({"parameters.L={normal=[1, 0], within=[0, 3]}"}, "expected a normal with sd > 0");
  says({"parameters.L={normal=[0, 1], within=[90, 91]}"}, "expected bounds within 35 standard deviations");
  says({"parameters.L={uniform=[1, 2], within=[0, 3]}"}, "only a normal has within");
  says({"parameters.L={values=[1, 2], weights=[0, 3]}"}, "only a discrete has weights");
  says({"parameters.L={discrete=[1, 2], weights=[1]}"}, "expected 2 weights, one a value");
  says({"parameters.L={discrete=[1, 2], weights=[1, -1]}"}, "expected weights of at least 0, found -1");
  says({"parameters.L={discrete=[1, 2], weights=[0, 0]}"}, "expected weights of a positive sum, found 0");
  says({"parameters.L={discrete=[]}"}, "at least one number");
}

}  // namespace
}  // namespace kalaba
