// Changes at special instants: at the ends of steps, several at one instant, at the start.

#include "hybrid/hybrid.hpp"

#include <fmt/format.h>

namespace kalaba {
namespace {

using hybrid::all_ways;
using hybrid::run_text;
using hybrid::Way;

const std::string free_particle = R"(
[output]
fields = ["q", "w", "invariants"]
[time]
end = 2.0
dt = 0.25
save_every = 1
[model]
name = "free"
[model.discrete]
n = 0
[model.coordinates]
x = "m"
y = "m"
[model.mass]
x = 1
y = 1
[model.start]
x_dot = 1
y_dot = 1
)";

class Instants : public testing::TestWithParam<Way> {};
INSTANTIATE_TEST_SUITE_P(, Instants, testing::ValuesIn(all_ways()),
                         [](const auto& info) { return hybrid::name_of(info.param); });

/// Just before, at and just after the end of a step, and at saved times.
TEST_P(Instants, AtTheEndsOfSteps) {
  for (const double off : {0.0, 1e-16, 1e-15, 1e-14, 1e-12, 1e-9, 1e-3}) {
    for (const double sign : {-1.0, 1.0}) {
      const double place = 1 + sign * off;
      const std::string event = fmt::format(
          "events=[{{name='turn', when='x - {:.17g}[m]', direction='rising', set={{x_dot='-2*x_dot', n='n + 1'}}}}]",
          place);
      const Result result = run_text(free_particle, GetParam(), {event});
      ASSERT_EQ(result.status()[0], Status::ok);
      const auto last = result.times().size() - 1;
      EXPECT_EQ(result.values("n", last)[0], 1) << place;
      EXPECT_NEAR(result.values("x", last)[0], place - 2 * (2 - place), 1e-13) << place;
      EXPECT_NEAR(result.values("x_dot", last)[0], -2, 1e-13) << place;
      EXPECT_NEAR(result.event_time("turn")[0], place, 2e-15) << place;
    }
  }
}

TEST_P(Instants, TwoAtOneInstantAndAlmostAtOneInstant) {
  for (const double off : {0.0, 1e-16, 1e-15, 1e-14, 1e-12, 1e-9}) {
    for (const double time : {1.0, 0.9, 1.1}) {
      const std::string event = fmt::format(
          "events=[{{name='a', when='x - {0:.17g}[m]', direction='any', set={{x_dot='-x_dot', n='n + 1'}}}}, "
          "{{name='b', when='y - {0:.17g}[m]', direction='any', set={{y_dot='-y_dot', n='n + 1'}}}}]",
          time);
      const Result result = run_text(free_particle, GetParam(), {event, fmt::format("initial.y={:.17g}", off)});
      ASSERT_EQ(result.status()[0], Status::ok);
      const auto last = result.times().size() - 1;
      EXPECT_EQ(result.values("n", last)[0], 2) << off;
      EXPECT_EQ(result.event_count("a")[0], 1);
      EXPECT_EQ(result.event_count("b")[0], 1);
      EXPECT_NEAR(result.values("x", last)[0], 2 * time - 2, 1e-13) << off;
      EXPECT_NEAR(result.values("y", last)[0], 2 * time - 2 - off, 1e-13) << off;
    }
  }
}

TEST_P(Instants, ARecordedEventAtTheInstantOfAChange) {
  const std::string events =
      "events=[{name='seen', when='y - 0.9[m]', direction='rising', action='record'}, {name='turn', when='x - 0.9[m]', "
      "set={x_dot='-x_dot', y_dot='-y_dot'}}]";
  const Result result = run_text(free_particle, GetParam(), {events});
  EXPECT_EQ(result.event_count("turn")[0], 1);
  EXPECT_EQ(result.event_count("seen")[0], 1);
}

TEST_P(Instants, AnEventThatStopsAtTheInstantOfAChangePrevents) {
  const std::string events =
      "events=[{name='turn', when='x - 0.9[m]', set={x_dot='-x_dot'}}, {name='end', when='y - 0.9[m]'}]";
  const Result result = run_text(free_particle, GetParam(), {events});
  EXPECT_EQ(result.status()[0], Status::stopped);
  EXPECT_EQ(result.values("x_dot", result.times().size() - 1)[0], 1);
}

/// A value that is zero at the start has not reached zero; one that jumps across zero does not reach it either.
TEST_P(Instants, AtTheStartAndAcrossJumps) {
  const std::string events =
      "events=[{name='zero', when='x', set={n='n + 1'}}, {name='jump', when='x - 0.5[m]', direction='rising', "
      "set={x='3[m]'}}, "
      "{name='passed', when='x - 2[m]', set={n='n + 10'}}]";
  const Result result = run_text(free_particle, GetParam(), {events});
  const auto last = result.times().size() - 1;
  EXPECT_EQ(result.values("n", last)[0], 0);
  EXPECT_EQ(result.event_count("jump")[0], 1);
  EXPECT_NEAR(result.values("x", last)[0], 4.5, 1e-13);
}

TEST_P(Instants, AClockTicksAtTheStart) {
  const Result result =
      run_text(free_particle, GetParam(), {"clocks=[{name='c', every=10, set={x_dot='3[m/s]', n='n + 1'}}]"});
  EXPECT_EQ(result.values("n", 0)[0], 1);
  EXPECT_EQ(result.values("x_dot", 0)[0], 3);
  const Result late = run_text(free_particle, GetParam(),
                               {"clocks=[{name='c', every=10, offset=0.5, set={x_dot='3[m/s]', n='n + 1'}}]"});
  EXPECT_EQ(late.values("n", 0)[0], 0);
  EXPECT_EQ(late.values("n", 1)[0], 0);
  EXPECT_EQ(late.values("n", 2)[0], 1) << "at its saved time";
  EXPECT_NEAR(late.values("x", late.times().size() - 1)[0], 5, 1e-13);
}

const std::string hop = R"(
[time]
end = 1.0
dt = 1.0
[model]
name = "hop"
lagrangian = "m*y_dot^2/2 - m*g*y"
[model.parameters]
m = 1
g = 10
c = 0
[model.coordinates]
y = "1"
[model.start]
y = "c"
y_dot = 0.3
[[model.events]]
name = "land"
when = "y - c"
direction = "falling"
)";

/// A value that is exactly zero at the start, leaves zero and returns within the first step, also as a difference of
/// large numbers; and one that leaves zero at once in the other direction.
TEST_P(Instants, AReturnToAZeroOfTheStart) {
  for (const double c : {0.0, 1.0, -1000.0}) {
    for (const char* dt : {"1.0", "0.1", "0.01"}) {
      const std::string start = fmt::format("parameters.c={}", c);
      const Result result = run_text(hop, GetParam(), {start, std::string("time.dt=") + dt});
      ASSERT_EQ(result.status()[0], Status::stopped) << c << ' ' << dt;
      EXPECT_NEAR(result.failure_time()[0], 0.06, 1e-12 * (1 + std::abs(c))) << c << ' ' << dt;
    }
  }
  const Result falls = run_text(hop, GetParam(), {"initial.y_dot=-0.3"});
  EXPECT_EQ(falls.status()[0], Status::ok);
  EXPECT_EQ(falls.event_count("land")[0], 0);
}

/// A relay with drag switches by two events of one value, which is exactly zero where the other one has acted.
TEST_P(Instants, ARelayMissesNoSwitch) {
  const std::string relay = R"(
[output]
fields = ["q", "w", "invariants"]
[time]
end = 20.0
dt = 0.02
[model]
name = "relay"
[model.parameters]
c = 1
[model.coordinates]
x = "1"
[model.discrete]
u = -1
[model.mass]
x = 1
[model.force]
x = "u - c*x_dot"
[model.start]
x = 1
[[model.events]]
name = "p"
when = "x"
direction = "rising"
set = { u = -1 }
[[model.events]]
name = "n"
when = "x"
direction = "falling"
set = { u = 1 }
)";
  const Result result = run_text(relay, GetParam());
  ASSERT_EQ(result.status()[0], Status::ok);
  EXPECT_LT(std::abs(result.values("x", result.times().size() - 1)[0]), 1e-4);
}

}  // namespace
}  // namespace kalaba
