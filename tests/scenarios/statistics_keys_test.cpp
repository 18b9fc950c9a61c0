#include <gtest/gtest.h>

#include "scenarios/failure.hpp"

namespace kalaba {
namespace {

Options options_of(const std::vector<std::string>& overrides) {
  static const std::vector<System> systems = fake_systems();
  return load_scenario("pendulum", overrides, systems).options;
}

TEST(StatisticsKeys, AreRead) {
  const Options usual = options_of({});
  EXPECT_FALSE(usual.statistics.any());
  EXPECT_TRUE(usual.trajectories);
  const Options asked = options_of({"output.statistics=['quantiles', 'mean']", "output.trajectories=false"});
  EXPECT_EQ(asked.statistics.kinds, (std::vector{Statistic::mean, Statistic::quantiles}));
  EXPECT_EQ(asked.statistics.quantiles, (std::vector<double>{0.05, 0.5, 0.95}));
  EXPECT_FALSE(asked.trajectories);
  const Options other = options_of({"output.statistics=['quantiles']", "output.quantiles=[0, 0.1, 1]"});
  EXPECT_EQ(other.statistics.quantiles, (std::vector<double>{0, 0.1, 1}));
}

TEST(StatisticsKeys, AreInTheTextThatGivesTheSameRun) {
  static const std::vector<System> systems = fake_systems();
  const ScratchFolder folder;
  for (const std::vector<std::string>& overrides :
       {std::vector<std::string>{},
        {"output.statistics=['max']", "output.trajectories=false"},
        {"output.statistics=['std', 'quantiles']", "output.quantiles=[0.1, 0.3333333333333333]"},
        {"output.statistics=['mean', 'histogram', 'correlation']", "output.histogram={bins=9, x=[-1, 0.5]}",
         "output.group_by=parameters.m", "parameters.m={values=[3, 1]}"}}) {
    const Scenario first = load_scenario("pendulum", overrides, systems);
    const Scenario again = load_scenario(folder.write("again.toml", first.text), {}, systems);
    EXPECT_EQ(again.text, first.text);
    EXPECT_EQ(again.options.statistics.kinds, first.options.statistics.kinds);
    EXPECT_EQ(again.options.statistics.quantiles, first.options.statistics.quantiles);
    EXPECT_EQ(again.options.statistics.inputs, first.options.statistics.inputs);
    EXPECT_EQ(again.options.statistics.groups, first.options.statistics.groups);
    EXPECT_EQ(again.options.trajectories, first.options.trajectories);
  }
}

TEST(StatisticsKeys, CorrelateWithAllThatVaries) {
  const Options options =
      options_of({"output.statistics=['correlation']", "ensemble.members=12", "parameters.m={values=[1, 2, 3]}",
                  "parameters.g=9", "parameters.L={linspace=[1, 2, 1]}", "initial.z={normal=[0, 1]}",
                  "correlated=[{variables=['initial.x', 'initial.p_x'], mean=[0, 0], covariance=[[1, 0], [0, 1]]}]"});
  EXPECT_EQ(options.statistics.inputs,
            (std::vector<std::string>{"parameters.m", "initial.x", "initial.z", "initial.p_x"}));
}

TEST(StatisticsKeys, GroupByTheValuesOfAVariable) {
  const auto groups = [](const std::string& distribution) {
    return options_of({"output.statistics=['mean']", "output.group_by=initial.x", "initial.x=" + distribution})
        .statistics.groups;
  };
  EXPECT_EQ(groups("{values=[2, 0.5, 2, -1]}"), (std::vector<double>{-1, 0.5, 2}));
  EXPECT_EQ(groups("{discrete=[2, 0.5], weights=[1, 0]}"), (std::vector<double>{0.5, 2}));
  EXPECT_EQ(groups("{linspace=[3, 1, 3]}"), (std::vector<double>{1, 2, 3}));
  EXPECT_EQ(groups("{linspace=[0, 1, 1000]}").size(), 1000U);
}

/// Values of every member, each among the groups.
void expect_all_grouped(const std::vector<std::string>& overrides, std::vector<double> groups) {
  static const std::vector<System> systems = fake_systems();
  std::vector<std::string> all = {"output.statistics=['correlation']", "output.group_by=parameters.m"};
  all.insert(all.end(), overrides.begin(), overrides.end());
  all.emplace_back("ensemble.design=one_at_a_time");
  const Scenario scenario = load_scenario("pendulum", all, systems);
  EXPECT_EQ(scenario.options.statistics.groups, groups);
  Block block(3, 2, 2, scenario.members);
  block.assign(0, scenario.members);
  scenario.source->fill(block);
  for (const double value : block.parameter(0)) EXPECT_EQ(std::ranges::count(groups, value), 1) << value;
}

TEST(StatisticsKeys, GroupMembersAtRestToo) {
  expect_all_grouped({"parameters.m={linspace=[1.2, 3.2, 3]}", "parameters.L={values=[0.5, 2]}"}, {1, 1.2, 2.2, 3.2});
  expect_all_grouped({"parameters.m={values=[3, 1]}"}, {1, 3});
  expect_all_grouped({"parameters.m={values=[5]}"}, {1, 5});  // the one point is not where it rests
}

TEST(StatisticsKeys, GiveHistogramsTheirRanges) {
  const StatisticsOptions asked =
      options_of({"output.statistics=['histogram']", "output.histogram={x=[-1, 1], energy=[0, 9.5]}"}).statistics;
  EXPECT_EQ(asked.bins, 40);
  ASSERT_EQ(asked.histograms.size(), 2U);
  EXPECT_EQ(asked.histograms[1].component, "energy");
  EXPECT_EQ(asked.histograms[1].low, 0);
  EXPECT_EQ(asked.histograms[1].high, 9.5);
}

struct Case {
  const char* text;
  const char* message;
};

const Case cases[] = {
    {"statistics = ['median']",
     "s.toml:3: output.statistics: unknown statistic \"median\"; did you mean mean? (there are mean, std, min, max, "
     "quantiles, histogram, correlation, gradient)"},
    {"statistics = ['mean']\nfields = []",
     "s.toml:3: output.statistics: expected a field for the statistics in output.fields, found none"},
    {"quantiles = [0.5]", "s.toml:3: output.quantiles: expected \"quantiles\" among output.statistics, found []"},
    {"statistics = ['mean', 'std']\nquantiles = [0.5]",
     "s.toml:4: output.quantiles: expected \"quantiles\" among output.statistics, found [\"mean\", \"std\"]"},
    {"statistics = ['quantiles']\nquantiles = [0.5, 0.5]",
     "s.toml:4: output.quantiles: expected ascending numbers from 0 to 1, found [0.5, 0.5]"},
    {"statistics = ['quantiles']\nquantiles = [5, 95]",
     "s.toml:4: output.quantiles: expected ascending numbers from 0 to 1, found [5, 95]"},
    {"statistics = ['quantiles']\nquantiles = []",
     "s.toml:4: output.quantiles: expected ascending numbers from 0 to 1, found []"},
    {"statistics = ['correlation']",
     "s.toml:3: output.statistics: expected a parameter or initial value that varies over the members, to correlate "
     "with; found none"},
    {"histogram = { x = [0, 1] }",
     "s.toml:3: output.histogram: expected \"histogram\" among output.statistics, found []"},
    {"statistics = ['histogram']\nhistogram = 40",
     "s.toml:4: output.histogram: expected a table such as { bins = 40, energy = [0.0, 1.0] }, found 40"},
    {"statistics = ['histogram']\nfields = ['q', 'energy']\nhistogram = { enrgy = [0, 1] }",
     "s.toml:5: output.histogram.enrgy: expected a component of output.fields or bins; did you mean energy? (there are "
     "x, z, energy)"},
    {"statistics = ['histogram']\nhistogram = { x = [1, 1] }",
     "s.toml:4: output.histogram.x: expected [low, high] with low < high, found [1, 1]"},
    {"statistics = ['histogram']\nhistogram = { x = [1] }",
     "s.toml:4: output.histogram.x: expected [low, high] with low < high, found an array of 1"},
    {"statistics = ['histogram']\nhistogram = { bins = 0, x = [1, 2] }",
     "s.toml:4: output.histogram.bins: expected a whole number from 1 to 100000, found 0"},
    {"group_by = 'parameters.m'",
     "s.toml:3: output.group_by: expected a statistic of the groups in output.statistics, found none"},
    {"statistics = ['mean']\ngroup_by = 'parameters.M'",
     "s.toml:4: output.group_by: expected a variable that varies over the members, found \"parameters.M\"; did you "
     "mean parameters.m? (there are parameters.m, parameters.L, parameters.g)"},
    {"statistics = ['mean']\ngroup_by = 'parameters.m'",
     "s.toml:4: output.group_by: expected a variable of few values, such as { linspace = [1, 10, 4] } or { values = "
     "[1, 2, 5] }, found parameters.m, one number"},
    {"statistics = ['mean']\ngroup_by = 'parameters.m'\n[parameters]\nm = { uniform = [1, 2] }",
     "s.toml:4: output.group_by: expected a variable of few values, such as { linspace = [1, 10, 4] } or { values = "
     "[1, 2, 5] }, found parameters.m, which is drawn from a continuous distribution"},
    {"statistics = ['mean']\ngroup_by = 'parameters.m'\n[parameters]\nm = { linspace = [1, 2, 1001] }",
     "s.toml:4: output.group_by: expected a variable of at most 1000 values, found parameters.m of 1001"},
    {"statistics = ['mean']\ngroup_by = 'initial.x'\n[ensemble]\ndesign = 'one_at_a_time'\n[initial]\nx = { values = "
     "[0.3, "
     "0.5] }",
     "s.toml:4: output.group_by: expected a parameter, found initial.x: a start follows from its member's parameters "
     "while one_at_a_time varies another"},
    {"quantile = [0.5]", "s.toml:3: output.quantile: unknown key; did you mean output.quantiles?"},
    {"trajectories = 0", "s.toml:3: output.trajectories: expected true or false, found 0"},
    {"trajectories = false",
     "s.toml:3: output.trajectories: expected output.statistics or [[events]] where there are no trajectories, found "
     "neither: nothing would be written"},
};

TEST(StatisticsKeys, WrongOnesAreNamed) {
  const ScratchFolder folder;
  for (const Case& c : cases) {
    const std::string file = folder.write("s.toml", std::string("system = \"pendulum\"\n[output]\n") + c.text);
    const Failure failure = failure_of(folder, file);
    EXPECT_EQ(failure.message, c.message);
    EXPECT_EQ(failure.code, ExitCode::bad_input);
  }
}

/// Discrete variables lie behind the parameters, those of a delay and of noise too.
TEST(StatisticsKeys, GroupByNoDiscreteVariable) {
  const ScratchFolder folder;
  const std::string file = folder.write(
      "m.toml",
      "[model]\nname = 'm'\nlagrangian = 'a*x_dot^2/2'\n[model.parameters]\na = 1\n[model.coordinates]\nx = ''\n"
      "[model.discrete]\nu = 0\n[model.noise]\nevery = 0.1\nx = 'a'\n[[clocks]]\nname = 'c'\nevery = 0.1\ndelay = 1\n"
      "set = { u = '-x' }\n[output]\nstatistics = ['mean']\ngroup_by = 'parameters.u'\n");
  EXPECT_EQ(failure_of(folder, file).message,
            "m.toml:20: output.group_by: expected a variable that varies over the members, found \"parameters.u\"; did "
            "you mean parameters.a? (there are parameters.a)");
}

}  // namespace
}  // namespace kalaba
