// A body between two walls that one event states: its value is zero at both, and leaves zero after every bounce. The
// bounces come anywhere in a step: at its ends, a rounding beside them, and several in one step.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "hybrid/hybrid.hpp"

namespace kalaba::box {
namespace {

using hybrid::adapts;
using hybrid::last_value;
using hybrid::rounding_of;
using hybrid::run_text;
using hybrid::Way;

const std::string text = R"(
[output]
fields = ["q", "w", "invariants"]
[model]
name = "box"
lagrangian = "m*x_dot^2/2"
[model.parameters]
m = 1.0
L = 1.0
[model.coordinates]
x = ""
[model.discrete]
hits = 0
k = 0
)";

struct Wall {
  const char* when;
  const char* direction;
};
constexpr Wall walls[] = {{"x*(L - x)", "falling"},
                          {"x*(L - x)/L^2", "any"},
                          {"min(x, L - x)", "falling"},
                          {"x < 0 or x > L", "rising"},
                          {"abs(x - L/2) - L/2", "rising"}};

class Boxes : public testing::TestWithParam<Way> {};
INSTANTIATE_TEST_SUITE_P(, Boxes, testing::ValuesIn(hybrid::all_ways()),
                         [](const auto& info) { return hybrid::name_of(info.param); });

struct Steps {
  double start;
  double dt;
  int count;
};

/// Expects the positions and the numbers of bounces of the closed form at the end of a run, for many starts.
void expect_bounces(const Way& way, const Wall& wall, const Steps& steps, double L, const std::string& clocks = "[]") {
  const std::vector<double> places = {1e-16, 1e-9, 0.1, 0.25, 1.0 / 3, 0.5, 0.75, 1 - 0x1p-53};
  const std::vector<double> speeds = {0.25, 1,  0.95427326926363198, 2,  3,  3.0000000000000013,  7,
                                      -0.1, -1, -3.2944850845141653, -2, -4, -10.000000000000004, 16};
  const auto scaled = [&](const std::vector<double>& numbers) {
    std::vector<double> all = numbers;
    for (double& each : all) each *= L;
    return fmt::format("{{values=[{:.17g}]}}", fmt::join(all, ","));
  };
  const double duration = steps.count * steps.dt;
  const Result result = run_text(
      text, way,
      {fmt::format("events=[{{name='wall', when='{}', direction='{}', set={{x_dot='-x_dot', hits='hits + 1'}}}}]",
                   wall.when, wall.direction),
       fmt::format("time.start={:.17g}", steps.start), fmt::format("time.end={:.17g}", steps.start + duration),
       fmt::format("time.dt={:.17g}", steps.dt), fmt::format("time.save_every={}", steps.count),
       fmt::format("parameters.L={:.17g}", L), "initial.x=" + scaled(places), "initial.x_dot=" + scaled(speeds),
       "clocks=" + clocks});
  ASSERT_EQ(result.status().size(), places.size() * speeds.size());
  for (std::size_t member = 0; member < result.status().size(); ++member) {
    const double x = result.values("x", 0)[member] / L;
    const double v = result.values("x_dot", 0)[member] / L;
    const double path = x + v * duration;
    const double along = path - 2 * std::floor(path / 2);
    const double expected = along > 1 ? 2 - along : along;
    const double tolerance = 1e-13 * (1 + std::abs(v)) * (10 + steps.start) * rounding_of(way);
    const std::string which = fmt::format("{} {}, start {}, dt {}, L {}, x {:.17g}, v {:.17g}", wall.when,
                                          wall.direction, steps.start, steps.dt, L, x, v);
    EXPECT_EQ(result.status()[member], Status::ok) << which;
    EXPECT_NEAR(last_value(result, "x", member) / L, expected, tolerance) << which;
    if (std::min(expected, 1 - expected) < 10 * tolerance) continue;  // a bounce at the end of the run
    EXPECT_EQ(last_value(result, "hits", member), std::abs(std::floor(path) - std::floor(x))) << which;
    EXPECT_EQ(result.event_count("wall")[member], std::abs(std::floor(path) - std::floor(x))) << which;
  }
}

/// Expects the closed form for all steps and walls; the reference and dop853 take a third of these pairs.
void expect_bounces(const Way& way, const std::vector<Steps>& all, const std::string& clocks = "[]") {
  const bool is_slow = std::string(way.backend) == "reference" || std::string(way.integrator) == "dop853";
  for (std::size_t i = 0; i < all.size(); ++i) {
    for (std::size_t k = 0; k < std::size(walls); ++k) {
      if (!is_slow || (i + k) % 3 == 0) expect_bounces(way, walls[k], all[i], 1, clocks);
    }
  }
}

TEST_P(Boxes, KeepABodyWhereverInAStepItBounces) {
  expect_bounces(GetParam(), {{0, 0.25, 9}, {0, 0.5, 5}, {0, 0.1, 21}, {0, 1.0 / 3, 7}, {0, 1, 3}, {0, 2, 1}});
}

TEST_P(Boxes, KeepABodyAtLargeTimes) {
  expect_bounces(GetParam(), {{2, 0.05, 41}, {4, 0.5, 5}, {140, 0.1, 21}, {320, 1.0 / 3, 7}, {102953, 1.0 / 3, 7}});
}

TEST_P(Boxes, KeepABodyInAnyUnitsOfLength) {
  for (const double L : {1e-6, 1e6}) {
    if (L < 1 && adapts(GetParam())) continue;  // tolerances have units
    for (const Wall& wall : {walls[0], walls[2]}) expect_bounces(GetParam(), wall, {0, 1.0 / 3, 7}, L);
  }
}

TEST_P(Boxes, KeepABodyWhileAClockTicks) {
  expect_bounces(GetParam(), {{0, 0.5, 5}, {320, 1.0 / 3, 7}}, "[{name='c', every=0.25, set={k='k + 1'}}]");
}

}  // namespace
}  // namespace kalaba::box
