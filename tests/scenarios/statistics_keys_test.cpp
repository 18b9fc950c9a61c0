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
        {"output.statistics=['std', 'quantiles']", "output.quantiles=[0.1, 0.3333333333333333]"}}) {
    const Scenario first = load_scenario("pendulum", overrides, systems);
    const Scenario again = load_scenario(folder.write("again.toml", first.text), {}, systems);
    EXPECT_EQ(again.text, first.text);
    EXPECT_EQ(again.options.statistics.kinds, first.options.statistics.kinds);
    EXPECT_EQ(again.options.statistics.quantiles, first.options.statistics.quantiles);
    EXPECT_EQ(again.options.trajectories, first.options.trajectories);
  }
}

struct Case {
  const char* text;
  const char* message;
};

const Case cases[] = {
    {"statistics = ['median']",
     "s.toml:3: output.statistics: unknown statistic \"median\"; did you mean mean? (there are mean, std, min, max, "
     "quantiles)"},
    {"statistics = 'mean'", "s.toml:3: output.statistics: expected an array of texts, found \"mean\""},
    {"statistics = ['mean']\nfields = []",
     "s.toml:3: output.statistics: expected output.fields to say what the statistics are of, found no field there"},
    {"quantiles = [0.5]", "s.toml:3: output.quantiles: expected \"quantiles\" among output.statistics, found []"},
    {"statistics = ['mean', 'std']\nquantiles = [0.5]",
     "s.toml:4: output.quantiles: expected \"quantiles\" among output.statistics, found [\"mean\", \"std\"]"},
    {"statistics = ['quantiles']\nquantiles = [0.5, 0.5]",
     "s.toml:4: output.quantiles: expected ascending numbers from 0 to 1, found [0.5, 0.5]"},
    {"statistics = ['quantiles']\nquantiles = [5, 95]",
     "s.toml:4: output.quantiles: expected ascending numbers from 0 to 1, found [5, 95]"},
    {"statistics = ['quantiles']\nquantiles = []",
     "s.toml:4: output.quantiles: expected ascending numbers from 0 to 1, found []"},
    {"quantile = [0.5]", "s.toml:3: output.quantile: unknown key; did you mean output.quantiles?"},
    {"trajectories = 0", "s.toml:3: output.trajectories: expected true or false, found 0"},
    {"trajectories = false",
     "s.toml:3: output.trajectories: expected output.statistics where there are no trajectories, found none: nothing "
     "would be written"},
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

}  // namespace
}  // namespace kalaba
