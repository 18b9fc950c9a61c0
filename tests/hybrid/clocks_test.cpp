// Clocks: sampled control compared with closed forms, delays, instants.

#include "hybrid/hybrid.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace kalaba {
namespace {

using hybrid::all_ways;
using hybrid::has_same_bits;
using hybrid::refusal_of;
using hybrid::run_text;
using hybrid::Way;

const std::string oscillator = R"(
[output]
fields = ["q", "w", "invariants"]
[time]
end = 5.0
dt = 0.005
save_every = 10
[model]
name = "oscillator"
[model.parameters]
k = "4 1/s^2"
p = "3 1/s^2"
d = "1 1/s"
[model.discrete]
u = { start = 0, unit = "m/s^2", meaning = "the command" }
[model.coordinates]
x = "m"
[model.mass]
x = 1
[model.force]
x = "-k*x + u"
[model.start]
x = 1
[[model.clocks]]
name = "controller"
every = 0.1
set = { u = "-p*x - d*x_dot" }
)";

/// The oscillator x'' = -4 x + u with u held: from one time to the next in closed form.
std::array<double, 2> held(std::array<double, 2> x, double u, double h) {
  constexpr double w = 2;
  const double rest = u / (w * w);
  const double c = std::cos(w * h);
  const double s = std::sin(w * h);
  return {rest + (x[0] - rest) * c + x[1] / w * s, -(x[0] - rest) * w * s + x[1] * c};
}

/// State and command at t, with ticks every `every` s from `offset` on and a delay in ticks.
std::array<double, 3> exact(double t, double every, double offset, int delay) {
  std::array<double, 2> x = {1, 0};
  std::vector<double> waiting(static_cast<std::size_t>(delay), 0.0);
  double u = 0;
  double now = 0;
  for (int k = 0;; ++k) {
    const double tick = k * every + offset;
    if (tick > t + 1e-12) break;
    x = held(x, u, tick - now);
    now = tick;
    waiting.push_back(-3 * x[0] - x[1]);
    u = waiting.front();
    waiting.erase(waiting.begin());
  }
  x = held(x, u, t - now);
  return {x[0], x[1], u};
}

class Clocks : public testing::TestWithParam<Way> {};
INSTANTIATE_TEST_SUITE_P(, Clocks, testing::ValuesIn(all_ways()),
                         [](const auto& info) { return hybrid::name_of(info.param); });

void expect_exact(const Result& result, double every, double offset, int delay, double tolerance) {
  ASSERT_EQ(result.status()[0], Status::ok);
  for (std::size_t frame = 0; frame < result.times().size(); ++frame) {
    const double t = result.times()[frame];
    const auto [x, v, u] = exact(t, every, offset, delay);
    EXPECT_NEAR(result.values("x", frame)[0], x, tolerance) << t;
    EXPECT_NEAR(result.values("x_dot", frame)[0], v, tolerance) << t;
    EXPECT_NEAR(result.values("u", frame)[0], u, 10 * tolerance) << t;
  }
}

double tolerance_of(const Way& way) { return std::string(way.integrator) == "rk4" ? 1e-9 : 2e-11; }

TEST_P(Clocks, HoldACommandAsTheClosedFormDoes) {
  expect_exact(run_text(oscillator, GetParam()), 0.1, 0, 0, tolerance_of(GetParam()));
}

TEST_P(Clocks, TickBetweenSteps) {
  for (const auto& [every, offset] : {std::pair{0.0731, 0.0}, {0.1, 0.0425}, {0.0032, 0.3}}) {
    const std::string clocks = "clocks=[{name='c', every=" + std::to_string(every) +
                               ", offset=" + std::to_string(offset) + ", set={u='-p*x - d*x_dot'}}]";
    expect_exact(run_text(oscillator, GetParam(), {clocks}), every, offset, 0, tolerance_of(GetParam()));
  }
}

TEST_P(Clocks, DelayACommandByWholeTicks) {
  for (const int delay : {1, 2, 5}) {
    const std::string clocks =
        "clocks=[{name='c', every=0.1, delay=" + std::to_string(delay) + ", set={u='-p*x - d*x_dot'}}]";
    expect_exact(run_text(oscillator, GetParam(), {clocks}), 0.1, 0, delay, 20 * tolerance_of(GetParam()));
  }
}

TEST_P(Clocks, SavedTimesBetweenStepsSeeTheCommandOfTheirTime) {
  const std::string times = "time.save_at=[0.0, 0.0999, 0.1, 0.1001, 0.3, 0.30000001, 0.3021, 4.999, 5.0]";
  expect_exact(run_text(oscillator, GetParam(), {times}), 0.1, 0, 0, tolerance_of(GetParam()));
}

TEST_P(Clocks, KeepTheirBitsInEveryDivision) {
  const std::string members = "[ensemble]\nmembers = 9\n[parameters]\nk = { linspace = [1, 9, 9] }\n";
  const std::string clocks = "clocks=[{name='c', every=0.0731, delay=1, set={u='-p*x - d*x_dot'}}]";
  const Result whole = run_text(members + oscillator, GetParam(), {clocks, "time.save_every=1000"});
  const std::vector<std::vector<std::string>> divided = {
      {"time.save_every=1"}, {"time.save_every=40"}, {"time.save_every=1000", "solver.block_members=1"}};
  for (std::vector<std::string> overrides : divided) {
    overrides.push_back(clocks);
    const Result other = run_text(members + oscillator, GetParam(), overrides);
    for (std::size_t i = 0; i < 9; ++i) {
      for (const char* name : {"x", "x_dot", "u"}) {
        EXPECT_TRUE(has_same_bits(other.values(name, other.times().size() - 1)[i],
                                  whole.values(name, whole.times().size() - 1)[i]));
      }
    }
  }
}

/// At one instant the event comes first: the clock sees the state after it.
TEST_P(Clocks, TickAfterAnEventOfTheSameInstant) {
  const std::string event = "events=[{name='e', when='t - 0.5[s]', set={x='2[m]'}}]";
  const Result result =
      run_text(oscillator, GetParam(), {event, "time.save_at=[0.5]", "clocks=[{name='c', every=0.5, set={u='-p*x'}}]"});
  EXPECT_EQ(result.values("x", 0)[0], 2);
  EXPECT_EQ(result.values("u", 0)[0], -6);
}

TEST(ClockKeys, AreRefusedWithTheirPlace) {
  const auto refusal = [](const std::string& clock) { return refusal_of(oscillator, {"clocks=[{" + clock + "}]"}); };
  EXPECT_NE(refusal("name='c', every=0, set={u='0'}").find("every: expected a positive number of seconds, found 0"),
            std::string::npos);
  EXPECT_NE(
      refusal("name='c', every=1, delay=-1, set={u='0'}").find("delay: expected a whole number from 0 to 32, found -1"),
      std::string::npos);
  std::string two = oscillator;
  two.insert(two.find("[model.coordinates]"), "v = 0\n");
  const auto delayed = [&](int ticks) {
    return refusal_of(two, {"solver.compile=never",
                            fmt::format("clocks=[{{name='c', every=1, delay={}, set={{u='0', v='0'}}}}]", ticks)});
  };
  const int longest = Watch::most_set / 2 - 1;
  EXPECT_EQ(delayed(longest), "");
  EXPECT_NE(delayed(longest + 1)
                .find(fmt::format("clocks[1].delay: expected a delay of at most {} ticks of 2 new values, found {}",
                                  longest, longest + 1)),
            std::string::npos)
      << delayed(longest + 1);
  const std::string listed = refusal_of(
      oscillator, {"clocks=[{name='c', every=1, delay=2, set={u='0'}}]", "sensitivities.of=['parameters.kk']"});
  EXPECT_NE(listed.find("(there are parameters.k, parameters.p, parameters.d, initial.x, initial.x_dot)"),
            std::string::npos)
      << listed;
  EXPECT_NE(refusal_of(oscillator, {"sensitivities.of=['parameters.u']"}).find("a discrete variable"),
            std::string::npos);
  EXPECT_NE(refusal("name='c', every=1, delay=1.5, set={u='0'}").find("delay: expected a whole number"),
            std::string::npos);
  EXPECT_NE(refusal("name='c', every=1, set={v='0'}").find("there is no coordinate, rate or discrete variable v"),
            std::string::npos);
  EXPECT_NE(refusal("name='c', every=1, set={k='0'}").find("k is a parameter, which stays constant in a run"),
            std::string::npos);
  EXPECT_NE(refusal("name='c', every=1, set={u='x'}").find("u is in m/s^2, and this is in m"), std::string::npos);
  EXPECT_NE(
      refusal("name='c', every=1, delay=1, set={x='1[m]'}").find("a clock with a delay sets discrete variables alone"),
      std::string::npos);
  EXPECT_NE(refusal("name='c', every=1e-7, set={u='0'}").find("clocks[1].every: a step has more than 10,000 ticks"),
            std::string::npos);
  EXPECT_NE(refusal("name='c', every=1e-12, set={u='0'}").find("clocks[1].every: its ticks are too close for times"),
            std::string::npos);
  std::string own = oscillator;
  own.replace(own.find("every = 0.1"), 11, "every = 1e-9");
  const std::string reason = refusal_of(own, {"solver.compile=never"});
  EXPECT_NE(reason.find("model.clocks[1].every: its ticks are too close"), std::string::npos) << reason;
  EXPECT_NE(refusal_of(oscillator, {"parameters.u=1"}).find("u is a discrete variable"), std::string::npos);
  for (const char* delay : {"0", "2"}) {
    const std::string reason =
        refusal_of(oscillator, {fmt::format("clocks=[{{name='c', every=0.1, delay={}, set={{u='-p*x'}}}}]", delay),
                                "sensitivities.of=[\"initial.x\"]"});
    EXPECT_NE(reason.find("sensitivities do not go through the discrete variable u yet"), std::string::npos) << reason;
  }
  EXPECT_NE(refusal_of(oscillator, {"solver.backend=cuda", "solver.threads_per_member=4"})
                .find("clocks go with one thread a member of a GPU: expected threads_per_member = 1, found 4"),
            std::string::npos);
}

}  // namespace
}  // namespace kalaba
