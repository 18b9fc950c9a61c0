// Conditions that hold for a small part of a step.

#include "hybrid/hybrid.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace kalaba {
namespace {

using hybrid::all_ways;
using hybrid::Way;

/// x = sin(w t).
const std::string window_model = R"(
[ensemble]
members = 400
[parameters]
w = { uniform = [3, 8] }
c = { uniform = [-0.98, 0.98] }
[time]
end = 2.5
dt = 0.02
save_every = 125
[model]
name = "oscillator"
lagrangian = "(x_dot^2 - w^2*x^2)*1[kg]/2"
[model.parameters]
w = "5 1/s"
c = "0.5 m"
d = "0.001 m"
[model.coordinates]
x = "m"
[model.start]
x = 0
x_dot = "w*1[m]"
)";
constexpr double half_turn = 3.14159265358979323846;

class Windows : public testing::TestWithParam<Way> {};
INSTANTIATE_TEST_SUITE_P(, Windows, testing::ValuesIn(all_ways()),
                         [](const auto& info) { return hybrid::name_of(info.param); });

/// Expects that the event stops every member at the time that `expected` returns for w, c and d.
template <class Expected>
void expect_all_found(const Way& way, const std::string& when, double d, const Expected& expected) {
  std::vector<std::string> overrides = hybrid::overrides_of(
      way, {fmt::format("parameters.d={}", d), "events=[{name='a', when='" + when + "', direction='rising'}]"});
  std::ranges::replace(overrides, "solver.relative_tolerance=1e-12", "solver.relative_tolerance=1e-9");  // long steps
  const Scenario scenario = load_scenario_text(window_model, "windows.toml", overrides);
  Ensemble ensemble = evenly_chosen(*scenario.system, *scenario.source, scenario.members);
  const Result result = run(ensemble, scenario.options);
  for (std::size_t member = 0; member < result.status().size(); ++member) {
    const double c = ensemble.parameter("c")[member];
    if (std::abs(c) < 2 * d) continue;  // it may hold at the start
    const double time = expected(ensemble.parameter("w")[member], c);
    ASSERT_EQ(result.status()[member], Status::stopped) << when << ", d = " << d << ", member " << member;
    EXPECT_NEAR(result.event_time("a")[member], time, hybrid::adapts(way) ? 1e-6 : 1e-4) << when << ", d = " << d;
  }
}

TEST_P(Windows, AreFoundHoweverShort) {
  for (const double d : {1e-2, 1e-3, 1e-5}) {
    const auto expected = [&](double w, double c) { return (c > 0 ? std::asin(c) : half_turn - std::asin(c + d)) / w; };
    expect_all_found(GetParam(), "x > c and x < c + d", d, expected);
    expect_all_found(GetParam(), "not (x <= c or c + d <= x)", d, expected);
    expect_all_found(GetParam(), "min(x - c, c + d - x)", d, expected);
  }
}

/// The condition of the rate ends the window at the top.
TEST_P(Windows, AreFoundWhereAComparisonTurns) {
  for (const double d : {1e-2, 1e-3, 1e-5}) {
    const auto expected = [&](double w, double) { return std::asin(1 - d) / w; };
    expect_all_found(GetParam(), "x > 1[m] - d and x_dot > 0", d, expected);
  }
}

}  // namespace
}  // namespace kalaba
