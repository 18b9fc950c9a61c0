#include "kalaba/block.hpp"
#include "kalaba/starts.hpp"
#include "models/golden.hpp"
#include "support/error_of.hpp"

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
  return test::message_of([&] { load(overrides); });
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

TEST(MemberFormulas, RefuseDiscreteVariables) {
  const std::string text = R"(
[model]
name = "cart"
lagrangian = "m*x_dot^2/2"
[model.parameters]
m = "1 kg"
[model.coordinates]
x = "m"
[model.discrete]
n = { start = "2*m/1[kg]" }
[model.unilateral]
wall = { gap = "2[m] - x" }
)";
  const auto message = [&](const std::string& added) -> std::string {
    return test::message_of([&] { load_scenario_text(text + added, "cart", {}, none); });
  };
  EXPECT_EQ(message("[initial]\nx = \"0.3[m]*n\""),
            "cart:14: initial.x: a start is of parameters and other starts, found the discrete variable n\n"
            "    0.3[m]*n\n           ^");
  EXPECT_EQ(message("[parameters]\nm = \"n*1[kg]\""),
            "cart:14: parameters.m: a parameter is of parameters, found the discrete variable n\n    n*1[kg]\n    ^");
  EXPECT_NE(message("[initial]\nx = \"wall_closed*1[m]\"").find("found the discrete variable wall_closed"),
            std::string::npos);
  EXPECT_EQ(message("[initial]\nx = \"0.3[m]*m/1[kg]\""), "");
  EXPECT_EQ(message("[parameters]\nk = 1.5"), "cart:14: parameters.k: unknown key (there are m)");
}

/// Coordinates and rates of the first member of a scenario.
std::vector<double> starts_of(const Scenario& scenario, long member = 0) {
  const SystemInfo& info = scenario.system->info;
  Block block(static_cast<int>(info.parameters.size()), static_cast<int>(info.coordinates.size()),
              static_cast<int>(info.rates.size()), 1);
  block.assign(member, 1);
  scenario.source->fill(block);
  std::vector<double> starts;
  for (int i = 0; i < block.coordinate_count; ++i) starts.push_back(block.coordinate(i)[0]);
  for (int i = 0; i < block.rate_count; ++i) starts.push_back(block.rate(i)[0]);
  return starts;
}

TEST(Starts, FollowThoseByWhichTheModelStatesThem) {
  using Starts = std::vector<double>;  // x, y, x_dot, y_dot; c = 0.5
  const auto drawn = [](std::vector<std::string> overrides) {
    overrides.emplace_back("initial.project=false");
    return load(overrides);
  };
  EXPECT_EQ(starts_of(drawn({"initial.x=2.0"})), (Starts{2, 2, 0, 0}));
  EXPECT_EQ(starts_of(drawn({"initial.x=2.0", "parameters.c=0.25"})), (Starts{2, 1, 0, 0}));
  EXPECT_EQ(starts_of(drawn({"initial.x=sqrt(2[m]/c)"})), (Starts{2, 2, 0, 0}));
  EXPECT_EQ(starts_of(drawn({"initial.x={values=[1, 3]}"}), 1), (Starts{3, 4.5, 0, 0}));
  EXPECT_EQ(starts_of(drawn({"initial.x=2.0", "initial.x_dot=y*1[1/s]"})), (Starts{2, 2, 2, 0}))
      << "a formula is of starts that follow";
  EXPECT_EQ(starts_of(drawn({"initial.x=2.0", "initial.y=7.0"})), (Starts{2, 7, 0, 0}));
  const Scenario at_rest = drawn({"initial.x={values=[2, 3]}", "ensemble.design=one_at_a_time"});
  EXPECT_EQ(starts_of(at_rest, 0), (Starts{1, 0.5, 0, 0})) << "an axis at rest is not given";
  EXPECT_EQ(starts_of(at_rest, 1), (Starts{2, 2, 0, 0}));
  const std::string circle = message({"initial.x=2*y"});
  EXPECT_NE(circle.find("x is defined by itself"), std::string::npos) << circle << ": y is c*x^2";
}

TEST(Starts, AreHeldOnTheConstraintsWhereTheyAreGiven) {
  const std::vector<std::string> given = {"initial.x_dot=3.0", "initial.x=0.5"};
  const auto with = [&](const std::string& override) {
    std::vector<std::string> all = given;
    if (!override.empty()) all.push_back(override);
    return load(all);
  };
  const Scenario scenario = with("");
  const auto* const holding = dynamic_cast<const HoldingSource*>(scenario.source.get());
  ASSERT_NE(holding, nullptr);
  Block block(3, 2, 2, 1);
  block.assign(0, 1);
  scenario.source->fill(block);
  EXPECT_EQ(block.rate(1)[0], 0) << "as it was drawn";
  EXPECT_TRUE(holding->hold(block, {0}));
  EXPECT_EQ(block.coordinate(0)[0], 0.5);
  EXPECT_EQ(block.rate(0)[0], 3.0);
  EXPECT_NEAR(block.rate(1)[0], 2 * 0.5 * 0.5 * 3.0, 1e-14) << "y_dot gave way";
  EXPECT_EQ(with("").start_rule, StartRule::keep_given);
  EXPECT_EQ(with("initial.project=true").start_rule, StartRule::project);
  EXPECT_EQ(with("sensitivities.of=[\"initial.x\"]").start_rule, StartRule::project);
  EXPECT_EQ(load({}).start_rule, StartRule::project);
  EXPECT_EQ(load_scenario_text(with("").text, "again", {}, none).start_rule, StartRule::keep_given);
}

/// Every start of every model, given by the scenario or by the model's text: the other starts are equal.
TEST(Starts, FollowEveryStartOfEveryModel) {
  int compared = 0;
  for (const auto& file : std::filesystem::directory_iterator(model_folder())) {
    if (file.path().extension() != ".toml") continue;
    const auto scenario_with = [&](const std::string& override) {
      return load_scenario(file.path().string(), {override, "initial.project=false"}, none);
    };
    const Scenario stated = scenario_with("ensemble.members=1");
    const SystemInfo& info = stated.system->info;
    std::vector<Variable> variables = info.coordinates;
    variables.insert(variables.end(), info.rates.begin(), info.rates.end());
    for (const Variable& each : variables) {
      const std::string value = "=" + std::to_string(1.1 * each.value + 0.013);
      std::vector<double> expected;
      try {
        expected = starts_of(scenario_with("model.start." + each.name + value));
      } catch (const Error&) {
        continue;  // of a family
      }
      EXPECT_EQ(starts_of(scenario_with("initial." + each.name + value)), expected) << file.path() << ' ' << each.name;
      ++compared;
    }
  }
  EXPECT_GE(compared, 20);
}

}  // namespace
}  // namespace kalaba
