// Grids of values, columns of files, and starts computed from other values.

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "scenario/sampling/design_facts.hpp"
#include "scenarios/pendulum_members.hpp"
#include "scenarios/scratch_folder.hpp"
#include "support/error_of.hpp"

namespace kalaba {
namespace {

using namespace test;

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
  const std::vector<GridAxis> axes = design_facts(first.text).grid;
  ASSERT_EQ(axes.size(), 2U);
  EXPECT_EQ(axes[0].name, "initial.x");
  EXPECT_EQ(axes[0].points, 2);
  EXPECT_EQ(axes[1].name, "parameters.L");
  EXPECT_EQ(axes[1].points, 3);
  EXPECT_TRUE(design_facts(pendulum({"parameters.L={uniform=[1, 2]}"}).text).grid.empty());
}

TEST(Grid, RefusesAxesThatItHasNot) {
  const auto message = [](const std::string& grid) -> std::string {
    return test::message_of([&] {
      pendulum({"parameters.L={values=[1, 2]}", "parameters.m={values=[3, 4]}", "ensemble.grid=" + grid});
    });
  };
  EXPECT_NE(message("['parameters.L']").find("parameters.m is missing"), std::string::npos);
  EXPECT_NE(message("['parameters.L', 'parameters.m', 'parameters.g']").find("found \"parameters.g\""),
            std::string::npos);
  EXPECT_NE(message("['parameters.L', 'parameters.m', 'parameters.L']").find("named twice"), std::string::npos);
}

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
