// Members at positions where constraints depend on one another, or nearly so: their motion is right, or their status or
// the summary reports it.

#include <gtest/gtest.h>

#include <cmath>
#include <tuple>

#include "kalaba/ensemble.hpp"
#include "report/text/summary.hpp"
#include "scenario/scenario.hpp"

namespace kalaba::dependence {
namespace {

const std::vector<System> none;

/// Two ellipses that touch where the particle starts; together they leave it no motion.
const std::string ellipses = R"toml(
[model]
name = "ellipses"
lagrangian = "m*(x_dot^2 + y_dot^2)/2 - m*g*y"
[model.parameters]
m = "1 kg"
g = "9.81 m/s^2"
e = 1e-5
[model.coordinates]
x = "m"
y = "m"
[model.holonomic]
a = "x^2 + y^2 = 1[m^2]"
b = "x^2 + y^2*(1 + e) = 1[m^2]"
[model.start]
x = 1
[model.time]
end = 0.6
dt = 1e-3
save_every = 100
)toml";

/// Branches x = 0 and y = 0 cross at the start; the force has a component along each.
const std::string crossing = R"toml(
[model]
name = "crossing"
lagrangian = "m*(x_dot^2 + y_dot^2)/2 - m*g*y + m*h*x"
[model.parameters]
m = "1 kg"
g = "9.81 m/s^2"
h = "3 m/s^2"
[model.coordinates]
x = "m"
y = "m"
[model.holonomic]
c = "x*y = 0"
[model.start]
x = 0
y = 0
[model.time]
end = 1
dt = 1e-3
save_every = 250
)toml";

/// The curves a and b are d apart, and their rows equal where both coordinates are zero, at t = 1.
const std::string cam = R"toml(
[model]
name = "cam"
lagrangian = "m*(x_dot^2 + y_dot^2)/2"
[model.parameters]
m = "1 kg"
c = "0.5 1/m"
v = "1 m/s"
d = "1e-9 m"
[model.coordinates]
x = "m"
y = "m"
[model.holonomic]
drive = "x = v*(t - 1[s])"
a = "y = c*x^2"
b = "y = c*x^2 + d*cos(x/1[m])"
[model.start]
x = "-v*1[s]"
x_dot = "v"
y = "c*x^2"
y_dot = "2*c*x*x_dot"
[model.time]
end = 2
dt = 1e-3
save_every = 100
)toml";

/// Sleigh with two edges whose directions differ by the angle `tilt`.
const std::string sleigh = R"toml(
[model]
name = "sleigh"
lagrangian = "m*((x_dot - a*sin(th)*th_dot)^2 + (y_dot + a*cos(th)*th_dot)^2)/2 + J*th_dot^2/2"
[model.parameters]
m = "1 kg"
J = "0.2 kg m^2"
a = "0.3 m"
tilt = 0.0
[model.coordinates]
x = "m"
y = "m"
th = "rad"
[model.nonholonomic]
edge = "x_dot*sin(th) - y_dot*cos(th) = 0"
twice = "x_dot*sin(th + tilt) - y_dot*cos(th + tilt) = 0"
[model.start]
x_dot = 1
th_dot = 0.5
[model.time]
end = 2
dt = 1e-2
save_every = 50
)toml";

struct Outcome {
  Summary summary;
  std::string text;
  double x = 0;  ///< first coordinate at the last saved time

  Status status() const {
    int code = 0;
    while (summary.by_status[static_cast<std::size_t>(code)] == 0) ++code;
    return static_cast<Status>(code);
  }
};

class Dependence : public testing::TestWithParam<std::tuple<Backend, Integrator>> {
 protected:
  static Outcome outcome_of(const std::string& text, const std::vector<std::string>& overrides = {}) {
    const Scenario scenario = load_scenario_text(text, "model.toml", overrides, none);
    Options options = scenario.options;
    options.compile = Compile::never;
    options.backend = std::get<0>(GetParam());
    options.method.integrator = std::get<1>(GetParam());
    options.fields = {Field::q};
    const Result result = run(Ensemble(*scenario.system, 1), options);
    Outcome outcome;
    outcome.summary = result.summary;
    outcome.text = summary_text(scenario.system->info, options, outcome.summary, "");
    outcome.x = result.values(scenario.system->info.coordinates[0].name, result.times().size() - 1)[0];
    return outcome;
  }
};

TEST_P(Dependence, AMotionThatARiseOfTheRankEndsFails) {
  for (const char* tilt : {"5e-6", "1e-5", "1e-4"}) {
    for (const char* inverse : {"svd", "qr"}) {
      const Outcome found = outcome_of(ellipses, {std::string("model.parameters.e=") + tilt,
                                                  std::string("solver.pseudo_inverse=\"") + inverse + '"'});
      EXPECT_EQ(found.status(), Status::singular_constraints) << tilt << inverse << found.text;
      EXPECT_NE(found.text.find("they do not determine how the motion continues"), std::string::npos) << found.text;
    }
  }
  EXPECT_EQ(outcome_of(ellipses, {"model.parameters.e=1e-9"}).status(), Status::ok) << "one row";
}

TEST_P(Dependence, AStartBetweenBranchesFails) {
  for (const char* force : {"0.01", "3", "9.81", "20"}) {
    const Outcome found = outcome_of(crossing, {std::string("model.parameters.h=") + force});
    EXPECT_EQ(found.status(), Status::singular_constraints) << force << found.text;
  }
  for (const char* scale : {"1e-6", "1e6"}) {
    const Outcome found =
        outcome_of(crossing, {std::string("model.parameters.h=") + scale, std::string("model.parameters.g=") + scale,
                              std::string("model.parameters.m=") + scale});
    EXPECT_EQ(found.status(), Status::singular_constraints) << scale << found.text;
  }
}

TEST_P(Dependence, AVelocityChoosesTheBranch) {
  for (const double speed : {1.0, -1.0}) {
    const Outcome found = outcome_of(crossing, {"model.start.x_dot=" + std::to_string(speed)});
    EXPECT_EQ(found.status(), Status::ok) << found.text;
    EXPECT_NEAR(found.x, speed + 1.5, 1e-7) << "not of first order in dt";
  }
}

TEST_P(Dependence, AMotionPassesThePlaceWhereAllCoordinatesVanish) {
  for (const char* gap : {"0", "1e-12", "1e-9"}) {
    for (const char* mass : {"1", "1e6", "1e-6"}) {
      const Outcome found =
          outcome_of(cam, {std::string("model.parameters.d=") + gap, std::string("model.parameters.m=") + mass});
      EXPECT_EQ(found.status(), Status::ok) << gap << ' ' << mass << found.text;
    }
  }
  EXPECT_NE(outcome_of(cam, {"model.parameters.d=1e-3"}).status(), Status::ok) << "a contradiction";
}

TEST_P(Dependence, NearlyDependentRowsAreNamed) {
  for (const char* tilt : {"1e-6", "4e-6"}) {
    const Outcome found = outcome_of(sleigh, {std::string("model.parameters.tilt=") + tilt});
    EXPECT_EQ(found.summary.nearly_dependent, 1) << tilt << found.text;
    EXPECT_NE(found.text.find("nearly dependent"), std::string::npos) << found.text;
    EXPECT_NE(found.text.find("'edge'"), std::string::npos) << found.text;
    EXPECT_NE(found.text.find("'twice'"), std::string::npos) << found.text;
  }
  for (const char* tilt : {"0", "1e-16", "1e-11", "1e-3"}) {
    const Outcome found = outcome_of(sleigh, {std::string("model.parameters.tilt=") + tilt});
    EXPECT_EQ(found.summary.nearly_dependent, 0) << tilt << found.text;
  }
}

/// All terms of the row `twice` vanish at the start but for its tilt: it is judged by the speeds of the member.
TEST_P(Dependence, ARowWhoseTermsVanishIsJudgedBySpeeds) {
  for (const char* tilt : {"1e-12", "1e-11", "1e-9", "1e-7"}) {
    const Outcome found = outcome_of(sleigh, {std::string("model.parameters.tilt=") + tilt});
    EXPECT_EQ(found.status(), Status::ok) << tilt << found.text;
    EXPECT_EQ(found.summary.starts.members, 0) << tilt << found.text;
    EXPECT_GT(found.x, 0.5) << tilt << ": it moves";
  }
}

INSTANTIATE_TEST_SUITE_P(Methods, Dependence,
                         testing::Combine(testing::Values(Backend::reference, Backend::cpu),
                                          testing::Values(Integrator::rk4, Integrator::dopri5, Integrator::dop853)),
                         [](const auto& each) {
                           return std::string(backend_name(std::get<0>(each.param))) + '_' +
                                  std::string(integrator_name(std::get<1>(each.param)));
                         });

}  // namespace
}  // namespace kalaba::dependence
