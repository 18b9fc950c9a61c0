// Fits to sensor quantities: energy and invariants compared with a closed form, and the force of a rod.

#include <gtest/gtest.h>

#include <cmath>

#include "fit/fit.hpp"
#include "kalaba/ensemble.hpp"
#include "scenario/scenario.hpp"
#include "support/swing.hpp"

namespace kalaba::fit {
namespace {

const std::string text = R"toml([model]
name = "sensed"
lagrangian = "m*x_dot^2/2 - k*x^2/2"
[model.parameters]
m = "2 kg"
k = "17 N/m"
d = "1 m"
[model.coordinates]
x = "m"
[model.start]
x = 0.45
[model.invariants]
angle = { is = "atan2(x, d)", kind = "free" }
[model.time]
end = 2.0
dt = 1e-3
)toml";

TEST(FitOfSensors, FindsWhatTheyReadAgain) {
  const Scenario scenario = load_scenario_text(text, "sensed.toml", {"solver.backend=cpu"});
  Measurements data;
  data.columns = {"angle", "energy"};
  for (int i = 1; i <= 20; ++i) {
    const double t = 0.0971 * i;
    data.times.push_back(t);
    data.readings.push_back({data.times.size() - 1, 0, std::atan2(0.5 * std::cos(3 * t), 1)});
    data.readings.push_back({data.times.size() - 1, 1, 18 * 0.5 * 0.5 / 2});
  }
  const Problem problem = make_problem(*scenario.system, *scenario.source, scenario.options, scenario.start_rule,
                                       std::move(data), {.free = {"parameters.k", "initial.x"}});
  const Fit found = fit(problem);
  ASSERT_TRUE(found.has_converged());
  EXPECT_NEAR(found.estimate.values[0], 18, 1e-8);
  EXPECT_NEAR(found.estimate.values[1], 0.5, 1e-9);
}

/// The force in a pendulum's rod determines the mass of the bob and the length.
TEST(FitOfSensors, FindsMassAndLengthFromTheForceOfARod) {
  const std::string pendulum = text_of({});
  const std::vector<std::string> cpu = {"solver.backend=cpu", "output.fields=[\"multipliers\"]"};
  std::vector<std::string> true_values = {"parameters.m=1.7", "parameters.L=1.1"};
  true_values.insert(true_values.end(), cpu.begin(), cpu.end());
  const Scenario truth = load_scenario_text(pendulum, "swing.toml", true_values);
  Ensemble member(*truth.system, 1);
  member.parameter("m")[0] = 1.7;
  member.parameter("L")[0] = 1.1;
  member.initial("x")[0] = 0.6 * 1.1;
  member.initial("y")[0] = -0.8 * 1.1;
  Options options = truth.options;
  options.time.save_every = 10;
  const Result weighed = run(member, options);
  Measurements data;
  data.columns = {"lambda_1"};
  for (std::size_t i = 1; i < weighed.times().size(); ++i) {
    data.times.push_back(weighed.times()[i]);
    data.readings.push_back({i - 1, 0, weighed.values("lambda_1", i)[0]});
  }
  const Scenario guess = load_scenario_text(pendulum, "swing.toml", cpu);
  const Problem problem = make_problem(*guess.system, *guess.source, guess.options, guess.start_rule, std::move(data),
                                       {.free = {"parameters.m", "parameters.L"}});
  const Fit found = fit(problem);
  ASSERT_TRUE(found.has_converged());
  EXPECT_NEAR(found.estimate.values[0], 1.7, 1e-7);
  EXPECT_NEAR(found.estimate.values[1], 1.1, 1e-7);
}

}  // namespace
}  // namespace kalaba::fit
