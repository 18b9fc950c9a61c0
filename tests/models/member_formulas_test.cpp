#include "kalaba/block.hpp"
#include "models/golden.hpp"

namespace kalaba {
namespace {

const std::vector<System> none;

Scenario load(const std::vector<std::string>& overrides) {
  return load_scenario((model_folder() / "bead.toml").string(), overrides, none);
}

Block members_of(const Scenario& scenario) {
  Block block(3, 2, 2, scenario.members);
  block.assign(0, scenario.members);
  scenario.source->fill(block);
  return block;
}

std::string message(const std::vector<std::string>& overrides) {
  try {
    load(overrides);
  } catch (const Error& error) {
    return error.what();
  }
  return "(no error)";
}

TEST(MemberFormulas, FollowWhatVaries) {
  const Scenario scenario = load({"parameters.c={values=[0.4, 0.8]}", "parameters.m=2[kg m]*c",
                                  "initial.x_dot=-y_dot/(2*c*x)", "initial.y_dot=c*3[m^2/s]", "initial.x=0.5"});
  Block block = members_of(scenario);
  ASSERT_EQ(block.members, 2);
  for (std::size_t i = 0; i < 2; ++i) {
    const double c = block.parameter(1)[i];
    EXPECT_EQ(c, i == 0 ? 0.4 : 0.8);
    EXPECT_EQ(block.parameter(0)[i], 2 * c);
    EXPECT_EQ(block.rate(1)[i], c * 3);
    EXPECT_DOUBLE_EQ(block.rate(0)[i], -c * 3 / (2 * c * 0.5));
  }
  EXPECT_EQ(load_scenario_text(scenario.text, "again", {}, none).text, scenario.text);
}

TEST(MemberFormulas, OfTheCatalogueToo) {
  const Scenario scenario = load_scenario("chaplygin_sleigh", {"parameters.I=m*a^2/3", "initial.forward=a*omega"});
  Block block(3, 3, 3, 1);
  block.assign(0, 1);
  scenario.source->fill(block);
  EXPECT_DOUBLE_EQ(block.parameter(1)[0], block.parameter(0)[0] * block.parameter(2)[0] * block.parameter(2)[0] / 3);
  EXPECT_DOUBLE_EQ(block.rate(0)[0], block.parameter(2)[0] * block.rate(2)[0]);
}

TEST(MemberFormulas, SayWhatIsWrong) {
  EXPECT_EQ(message({"parameters.m=c*2"}), "-s parameters.m=c*2: m is in kg, and this is in 1/m\n    c*2\n    ^^^");
  EXPECT_EQ(message({"parameters.m=2*x"}),
            "-s parameters.m=2*x: a parameter is of parameters, found the coordinate x\n    2*x\n      ^");
  EXPECT_EQ(message({"initial.x=y", "initial.y=x"}), "-s initial.x=y: x is defined by itself");
  EXPECT_EQ(message({"initial.x=2*z"}),
            "-s initial.x=2*z: there is no z; there are t, pi, c, g, m, x, x_dot, y, y_dot\n    2*z\n      ^");
  EXPECT_EQ(message({"initial.x=t*1[m/s]"}),
            "-s initial.x=t*1[m/s]: a start is of parameters and other starts, found the time t\n    t*1[m/s]\n    ^");
}

}  // namespace
}  // namespace kalaba
