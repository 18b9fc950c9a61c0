// Fits to what sensors read of the state: energy and invariants, against a closed form.

#include <gtest/gtest.h>

#include <cmath>

#include "fit/fit.hpp"
#include "scenario/scenario.hpp"

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

}  // namespace
}  // namespace kalaba::fit
