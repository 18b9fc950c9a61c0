// Fits that are refused, and their errors.

#include <gtest/gtest.h>

#include "fit/double_pendulum.hpp"
#include "fit/problem.hpp"
#include "support/error_of.hpp"

namespace kalaba::fit {
namespace {

struct Refusal {
  Request request;
  const char* message;
};

TEST(Fit, RefusesWhatCannotBeFitted) {
  const DoublePendulum pendulum;
  const std::vector<std::string> many(17, "parameters.L");
  const std::vector<Refusal> refusals = {
      {{.free = {"parameters.l"}}, "--free: unknown variable \"parameters.l\"; did you mean parameters.L? (there are "},
      {{.free = {"L"}}, "--free: unknown variable \"L\"; did you mean parameters.L?"},
      {{.free = {"structure.links"}}, "--free: expected a parameter or a start, found \"structure.links\", a whole "},
      {{.free = {"initial.x1", "initial.x1"}}, "--free: \"initial.x1\" is there twice"},
      {{.bounds = {{"parameters.m", 0, 1}}}, "--bounds: expected a free variable, found \"parameters.m\""},
      {{.bounds = {{"parameters.L", 2, 1}}}, "--bounds: parameters.L: expected LOW:HIGH, two numbers that ascend"},
      {{.bounds = {{"parameters.L", 2, 3}}},
       "--bounds: parameters.L: expected the scenario's own value, from which "
       "the first start goes, within 2:3, found 1 m"},
      {{.bounds = {{"parameters.L", 0, 3}, {"parameters.L", 0, 2}}}, "--bounds: parameters.L has two"},
      {{.sigmas = {{"x1", 0.1}}}, "--sigma: expected one for every measured column, or none at all; y1 has none"},
      {{.sigmas = {{"x3", 0.1}}}, "--sigma: expected a measured column (x1, y1, x2, y2), found \"x3\""},
      {{.sigmas = {{"x1", 0.0}}}, "--sigma: x1: expected a standard deviation above 0, found 0"},
      {{.starts = 2},
       "--starts: expected bounds of every free variable to draw from, parameters.L has none; "
       "--bounds parameters.L=LOW:HIGH"},
  };
  for (const Refusal& each : refusals) {
    const Error error = test::error_of([&] { pendulum.problem(pendulum.data(0), each.request); });
    EXPECT_EQ(error.code(), ExitCode::bad_input);
    EXPECT_EQ(std::string(error.what()).substr(0, std::string(each.message).size()), each.message);
  }
}

TEST(Fit, RefusesMotionsThatAreStopped) {
  DoublePendulum pendulum;
  pendulum.options.events = {{.name = "low", .when = "y1 + 1"}};
  const Error error = test::error_of([&] { pendulum.problem(pendulum.data(0), {}); });
  EXPECT_STREQ(error.what(),
               "chain: a fit does not go with events that stop the motion, found low; -s 'events=[]' leaves them out");
  pendulum.options.events[0].action = EventAction::record;
  EXPECT_TRUE(pendulum.problem(pendulum.data(0), {}).options.events.empty()) << "it changes no motion";
}

TEST(Fit, KeepsEventsThatChangeMembers) {
  DoublePendulum pendulum;
  pendulum.options.events = {
      {.name = "low", .when = "y1 + 1", .action = EventAction::record, .set = {{"y1_dot", "-y1_dot"}}},
      {.name = "high", .when = "y1", .action = EventAction::record}};
  const std::vector<Event> kept = pendulum.problem(pendulum.data(0), {}).options.events;
  ASSERT_EQ(kept.size(), 1U);
  EXPECT_EQ(kept.front().name, "low");
}

TEST(Fit, RefusesDiscreteVariables) {
  SystemInfo info = find_system("chain", {{"links", 2}}).info;
  info.parameters.push_back({"u", "N", 0, ""});
  info.discrete = 1;
  for (const auto& [name, message] :
       {std::pair("parameters.u", "found \"parameters.u\", a discrete variable, whose start the model states"),
        std::pair("parameters.v", "--free: unknown variable \"parameters.v\"")}) {
    const Error error = test::error_of([&, variable = name] { check_free(info, {variable}); });
    EXPECT_NE(std::string(error.what()).find(message), std::string::npos) << error.what();
    EXPECT_EQ(std::string(error.what()).find("parameters.u,"), std::string::npos) << error.what();
  }
}

TEST(Fit, RefusesMoreThanSixteen) {
  const System& system = find_system("chain", {{"links", 8}});
  std::vector<std::string> names;
  for (int i = 1; i <= 8; ++i) {
    names.push_back("initial.x" + std::to_string(i));
    names.push_back("initial.y" + std::to_string(i));
  }
  check_free(system.info, names);
  names.emplace_back("parameters.L");
  const Error error = test::error_of([&] { check_free(system.info, names); });
  EXPECT_STREQ(error.what(), "--free: expected at most 16 variables, found 17");
}

TEST(Fit, RefusesDataThatTheMotionDoesNotReach) {
  const DoublePendulum pendulum;
  Measurements late = pendulum.data(0);
  late.times.back() = 1.6;
  EXPECT_THROW(pendulum.problem(late, {}), Error);
  Measurements early = pendulum.data(0);
  early.times.front() = -0.1;
  EXPECT_THROW(pendulum.problem(early, {}), Error);
  Measurements few = pendulum.data(0);
  few.readings.resize(2);
  const Error error = test::error_of([&] { pendulum.problem(few, {}); });
  EXPECT_STREQ(error.what(), "--data: expected at least as many numbers as free variables, 3, found 2");
}

}  // namespace
}  // namespace kalaba::fit
