// Reasons of failures: they name the number, the constraints or the condition to examine, and the time.

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "kalaba/ensemble.hpp"
#include "scenario/scenario.hpp"

namespace kalaba::reasons {
namespace {

const std::vector<System> none;

/// A particle on a line with these lines of its model.
std::string particle(const std::string& force, const std::string& mass = "1", const std::string& more = "") {
  return "[model]\nname = \"particle\"\n[model.parameters]\nb = 1\n[model.discrete]\nu = 0\n[model.coordinates]\nx = "
         "\"\"\n[model.mass]\nx = \"" +
         mass + "\"\n[model.force]\nx = \"" + force +
         "\"\n[model.start]\nx_dot = 1\n[model.time]\nend = 2\ndt = 0.01\n" + more;
}

struct Failure {
  Status status;
  std::string reason;
};

Failure failure_of(const std::string& text, const char* backend, std::vector<std::string> overrides = {}) {
  overrides.insert(overrides.end(), {std::string("solver.backend=") + backend, "solver.compile=never"});
  const Scenario scenario = load_scenario_text(text, "model.toml", overrides, none);
  const Result result = run(evenly_chosen(*scenario.system, *scenario.source, scenario.members), scenario.options);
  return {result.status()[0], result.summary.first_failure()};
}

class Reasons : public testing::TestWithParam<const char*> {
 protected:
  /// Expects that the run fails with this status, for a reason that begins with `begin` and ends with `end`.
  static void expect_reason(const std::string& text, Status status, const std::string& begin, const std::string& end,
                            std::vector<std::string> overrides = {}) {
    const Failure found = failure_of(text, GetParam(), std::move(overrides));
    EXPECT_EQ(found.status, status) << status_name(found.status);
    EXPECT_TRUE(found.reason.starts_with("member 0: " + begin) && found.reason.ends_with(end)) << found.reason;
  }
};
INSTANTIATE_TEST_SUITE_P(, Reasons, testing::Values("cpu", "reference"),
                         [](const auto& info) { return std::string(info.param); });

TEST_P(Reasons, NameTheFirstNumberThatIsNotFinite) {
  expect_reason(particle("-sqrt(b)"), Status::non_finite, "the force along x_dot is nan at t = 0 s", "",
                {"parameters.b=-1"});
  expect_reason(particle("-sqrt(0.5 - x)"), Status::non_finite, "the force along x_dot is nan at t = 0.", " s");
  expect_reason(particle("x", "1", "[[model.clocks]]\nname = \"c\"\nevery = 0.5\nset = { u = \"sqrt(0.7 - x)\" }\n"),
                Status::non_finite, "the new value of u by clock 'c' is nan at t = ", " s");
  expect_reason(particle("x^3", "1", ""), Status::non_finite, "x has grown to ", " s", {"time.end=20", "time.dt=0.5"});
}

TEST_P(Reasons, NameTheMetricAndTheConditionOfTheModel) {
  expect_reason(particle("0", "0.5 - x"), Status::singular_constraints,
                "the metric (mass matrix) is not positive definite: its entry of x_dot is ", " s");
  expect_reason(particle("0", "1/b"), Status::singular_constraints,
                "the metric (mass matrix) is not finite: its entry of x_dot is inf, at t = 0 s", "",
                {"parameters.b=0"});
  std::string confined = particle("0");
  confined.insert(confined.find("[model.parameters]"), "valid = \"x < 0.5\"\n");
  expect_reason(confined, Status::singular_constraints, "the condition `valid` of the model is false at t = 0.5", " s");
}

TEST_P(Reasons, NameDependentConstraints) {
  const std::string text = R"toml(
[model]
name = "held"
lagrangian = "(x_dot^2 + y_dot^2 + z_dot^2)/2 - y - 0.5*x"
[model.coordinates]
x = ""
y = ""
z = ""
[model.holonomic]
first = "y = x^3"
second = "y = -x^3"
third = "z = 0"
[model.time]
end = 0.5
dt = 0.01
)toml";
  std::string crossing = text;
  crossing.replace(crossing.find("first = \"y = x^3\"\nsecond = \"y = -x^3\""), 37, "branches = \"x*y = 0\"");
  expect_reason(crossing, Status::singular_constraints,
                "the gradient of constraint 'branches' vanishes at t = 0 s and not beyond it",
                "does not determine how the motion continues");
  expect_reason(text, Status::singular_constraints, "the constraints 'first', 'second' are dependent at this position",
                "they do not determine how the motion continues");
}

TEST_P(Reasons, OfShortStepsHaveTheTime) {
  const std::string text = particle("1/(0.5 - x)^2");
  for (const Status status : {Status::step_too_small, Status::too_many_steps}) {
    const std::string most = status == Status::too_many_steps ? "50" : "1000000";
    expect_reason(text, status, "x_dot changes fastest for its size: it is ", " s",
                  {"solver.integrator=dopri5", "solver.max_steps=" + most});
  }
}

}  // namespace
}  // namespace kalaba::reasons
