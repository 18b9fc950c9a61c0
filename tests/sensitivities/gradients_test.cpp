// Gradients of an ensemble's statistics, compared with differences of the statistics of the same members.

#include <gtest/gtest.h>

#include <cmath>

#include "kalaba/run.hpp"
#include "kalaba/statistics.hpp"
#include "scenario/scenario.hpp"
#include "support/swing.hpp"

namespace kalaba {
namespace {

const std::string swing = text_of({});

/// Statistics of 200 members with random length and gravity, shifted by the arguments.
EnsembleStatistics statistics_at(double length, double gravity, const std::vector<std::string>& more) {
  const auto around = [](const char* name, double low, double high) {
    return std::string(name) + "={uniform=[" + std::to_string(low) + ", " + std::to_string(high) + "]}";
  };
  std::vector<std::string> overrides = {
      "ensemble.members=200", "solver.compile=never", around("parameters.L", 0.8 + length, 1.1 + length),
      around("parameters.g", 9 + gravity, 10 + gravity), "output.quantiles=[0.25, 0.5, 0.75]"};
  overrides.insert(overrides.end(), more.begin(), more.end());
  const Scenario scenario = load_scenario_text(swing, "swing.toml", overrides);
  StatisticsSink statistics;
  Sink* const sinks[] = {&statistics};
  run(*scenario.system, *scenario.source, scenario.options, sinks);
  return statistics.result();
}

struct Moved {
  std::vector<double> variance;
  std::vector<double> std;
};

/// By differences of order 6.
Moved moved(double along_length, double along_gravity) {
  constexpr double h = 1e-3;
  constexpr double weights[] = {3.0 / 4, -3.0 / 20, 1.0 / 60};
  Moved sums;
  for (int i = 0; i < 3; ++i) {
    for (const int sign : {1, -1}) {
      const double step = sign * (i + 1) * h;
      const FieldStatistics q =
          statistics_at(step * along_length, step * along_gravity, {"output.statistics=['std', 'quantiles']"})
              .fields[0];
      sums.variance.resize(q.std.size());
      sums.std.resize(q.std.size());
      for (std::size_t at = 0; at < q.std.size(); ++at) {
        sums.variance[at] += sign * weights[i] / h * q.std[at] * q.std[at];
        sums.std[at] += sign * weights[i] / h * q.std[at];
      }
    }
  }
  return sums;
}

TEST(GradientsOfEnsembles, AreDifferencesOfTheStatisticsOfTheSameMembers) {
  for (const char* backend : {"cpu", "reference"}) {
    const FieldStatistics q =
        statistics_at(0, 0,
                      {"output.statistics=['std', 'quantiles', 'gradient']",
                       "sensitivities.of=['parameters.L', 'parameters.g']", std::string("solver.backend=") + backend})
            .fields[0];
    const std::size_t size = q.count.size();
    const Moved by_length = moved(1, 0);
    const Moved by_gravity = moved(0, 1);
    ASSERT_EQ(q.variance_gradient.size(), 2 * size);
    for (std::size_t at = 2; at < size; ++at) {  // at the start nothing depends on gravity
      const auto expect = [&](double found, double expected, double scale) {
        EXPECT_NEAR(found, expected, 1e-8 * scale) << backend << ' ' << at;
      };
      expect(q.variance_gradient[at], by_length.variance[at], 1);
      expect(q.std_gradient[at], by_length.std[at], 1);
      expect(q.variance_gradient[size + at], by_gravity.variance[at], 0.01);
      expect(q.std_gradient[size + at], by_gravity.std[at], 0.1);
    }
  }
}

/// At the start x = 0.6 L: the mean moves by 0.6, the spread not at all, every quantile by 0.6.
TEST(GradientsOfEnsembles, OfTheStartAreKnown) {
  const EnsembleStatistics found =
      statistics_at(0, 0, {"output.statistics=['std', 'quantiles', 'gradient']", "sensitivities.of=['parameters.L']"});
  const FieldStatistics& q = found.fields[0];
  const std::size_t size = q.count.size();
  EXPECT_NEAR(q.mean_gradient[0], 0.6, 1e-12);
  EXPECT_NEAR(q.variance_gradient[0], 0, 1e-14);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(q.quantile_gradient[i * size], 0.6, 1e-12);
}

}  // namespace
}  // namespace kalaba
