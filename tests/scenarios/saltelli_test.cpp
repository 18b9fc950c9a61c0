// Design saltelli: values shared between members, and errors.

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "scenario/sampling/design_facts.hpp"
#include "scenario/sampling/random.hpp"
#include "scenario/sampling/unit_design.hpp"
#include "scenarios/failure.hpp"
#include "scenarios/pendulum_members.hpp"

namespace kalaba {
namespace {

using namespace test;

Scenario pendulum(std::vector<std::string> overrides, long members, const char* design = "saltelli") {
  overrides.push_back("ensemble.members=" + std::to_string(members));
  overrides.push_back(std::string("ensemble.design=") + design);
  return load_scenario("pendulum", overrides, systems());
}

const std::vector<std::string> three = {"parameters.L={uniform=[0, 1]}", "parameters.m={normal=[2, 0.1]}",
                                        "initial.x={log_uniform=[1, 2]}"};

/// [variable in the design's order][member]
std::vector<std::vector<double>> drawn(const Scenario& scenario, long first, long count) {
  Block block = members_of(scenario, first, count);
  return {copy_of(block.parameter(m)), copy_of(block.parameter(L)), copy_of(block.coordinate(x))};
}

TEST(Saltelli, EachMemberTakesOneVariableOfBIntoA) {
  const auto values = drawn(pendulum(three, 100), 0, 100);
  for (std::size_t variable = 0; variable < 3; ++variable) {
    for (std::size_t at = 0; at < 100; at += 5) {
      const double a = values[variable][at];
      const double b = values[variable][at + 1];
      EXPECT_NE(a, b);
      for (std::size_t place = 2; place < 5; ++place) {
        EXPECT_EQ(values[variable][at + place], place - 2 == variable ? b : a) << variable << " " << at + place;
      }
    }
  }
}

/// Its a are the members of the design sobol; its b those of other dimensions, and of streams of their own.
TEST(Saltelli, IsOfSobolPointsOfTwiceAsManyVariables) {
  const auto values = drawn(pendulum(three, 320), 0, 320);
  const auto points = drawn(pendulum(three, 64, "sobol"), 0, 64);
  const std::vector<std::string> names = {"parameters.m", "parameters.L", "initial.x"};
  for (std::size_t variable = 0; variable < 3; ++variable) {
    for (std::size_t point = 0; point < 64; ++point) EXPECT_EQ(values[variable][5 * point], points[variable][point]);
  }
  const UnitCube sobol = {SamplingDesign::sobol, 1, 64};
  for (long point = 0; point < 64; ++point) {
    EXPECT_EQ(values[L][static_cast<std::size_t>(5 * point + 1)], sobol.at(point, stream_of("parameters.L'"), 3 + L));
  }
}

TEST(Saltelli, AMemberDoesNotDependOnHowManyThereAreNorOnItsBlock) {
  const auto all = drawn(pendulum(three, 1000), 0, 1000);
  const auto few = drawn(pendulum(three, 60), 0, 60);
  const auto part = drawn(pendulum(three, 1000), 503, 30);
  for (std::size_t variable = 0; variable < 3; ++variable) {
    for (std::size_t i = 0; i < 60; ++i) EXPECT_EQ(few[variable][i], all[variable][i]);
    for (std::size_t i = 0; i < 30; ++i) EXPECT_EQ(part[variable][i], all[variable][503 + i]);
  }
}

TEST(Saltelli, AFormulaFollowsFromWhatIsDrawn) {
  std::vector<std::string> overrides = {"parameters.L={uniform=[1, 2]}", "parameters.m={uniform=[1, 2]}",
                                        "parameters.g=\"2[1/s^2]*L\""};
  Block block = members_of(pendulum(overrides, 40), 0, 40);
  for (std::size_t i = 0; i < 40; ++i) EXPECT_EQ(block.parameter(g)[i], 2 * block.parameter(L)[i]);
}

TEST(Saltelli, ItsVariablesAreInTheOrderOfTheMembers) {
  const Scenario scenario = pendulum(three, 10);
  EXPECT_EQ(design_facts(scenario.text).saltelli,
            (std::vector<std::string>{"parameters.m", "parameters.L", "initial.x"}));
  EXPECT_TRUE(design_facts(pendulum(three, 10, "sobol").text).saltelli.empty());
  EXPECT_TRUE(design_facts("no = TOML = at all").saltelli.empty());
  const Scenario again = load_scenario_text(scenario.text, "again", {}, systems());
  EXPECT_EQ(again.text, scenario.text);
  EXPECT_EQ(drawn(again, 0, 10), drawn(scenario, 0, 10));
}

TEST(SaltelliError, NamesTheKeyAndWhatWasExpected) {
  const ScratchFolder folder;
  const auto says = [&](std::vector<std::string> overrides, const std::string& text) {
    overrides.emplace_back("ensemble.design=saltelli");
    const std::string message = first_message(folder, "pendulum", overrides);
    EXPECT_NE(message.find(text), std::string::npos) << message;
  };
  const std::string length = "parameters.L={uniform=[1, 2]}";
  const std::string mass = "parameters.m={uniform=[1, 2]}";
  says({"ensemble.members=8"}, "ensemble.design=saltelli: expected a variable that is drawn");
  says({length, "ensemble.members=9"},
       "ensemble.design=saltelli: expected 2 to 20 drawn variables for the design saltelli, found 1");
  says({length, mass},
       "ensemble.design=saltelli: expected ensemble.members to be a whole multiple of 4, two and one for each of the 2 "
       "drawn variables, for the design saltelli; found none");
  says({length, mass, "ensemble.members=4002"},
       "ensemble.members=4002: expected a whole multiple of 4, two and one for each of the 2 drawn variables, for the "
       "design saltelli, such as 4000 or 4004; found 4002");
  says({length, mass, "ensemble.members=3"}, "such as 4; found 3");
  says({length, mass, "ensemble.members=8", "parameters.g={linspace=[9, 10, 2]}"},
       "parameters.g={linspace=[9, 10, 2]}: expected a number or a variable that is drawn on its own, as the design "
       "saltelli varies; found an axis of a grid");
  says({length, mass, "ensemble.members=8", "parameters.g={values=[9, 10]}"}, "found an axis of a grid");
  says({"ensemble.members=8",
        "correlated=[{variables=['parameters.L', 'parameters.m'], mean=[1, 1], std=[0.1, 0.1], "
        "correlation=[[1, 0.5], [0.5, 1]]}]"},
       "found a correlated normal");
  const std::string file = folder.write("members.csv", "g\n9\n9\n9\n9\n");
  says({length, mass, "parameters.g={file=\"" + file + "\", column=\"g\"}", "ensemble.members=4"},
       "found a number for every member");
}

}  // namespace
}  // namespace kalaba
