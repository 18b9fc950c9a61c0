// Changes at special instants: at the ends of steps, several at one instant, at the start.

#include "hybrid/hybrid.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace kalaba {
namespace {

using hybrid::all_ways;
using hybrid::has_same_bits;
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
      EXPECT_NEAR(result.event_time("turn")[0], place, 2e-15 * hybrid::rounding_of(GetParam())) << place;
    }
  }
}

/// Rounding locates two events at 0.7 s apart, in either order.
TEST_P(Instants, TwoAtOneInstantAreMadeInTheirOrder) {
  const std::string a = "{name='a', when='x - x_dot*0.7[s]', set={n='n + 1'}}";
  const std::string b = "{name='b', when='y - y_dot*0.7[s]', set={n='10*n'}}";
  const std::string condition = "{name='b', when='y > y_dot*0.7[s]', set={n='10*n'}}";
  for (const auto& [events, n] : {std::pair{a + ", " + b, 10.0}, {b + ", " + a, 1.0}, {a + ", " + condition, 10.0}}) {
    const Result result =
        run_text(free_particle, GetParam(),
                 {"events=[" + events + "]", "ensemble.members=60", "time.dt=0.1", "time.save_every=20",
                  "initial.x_dot={uniform=[1, 10]}", "initial.y_dot={uniform=[1, 10]}"});
    for (std::size_t member = 0; member < 60; ++member) {
      ASSERT_EQ(result.status()[member], Status::ok);
      EXPECT_EQ(hybrid::last_value(result, "n", member), n) << events << " of member " << member;
      EXPECT_EQ(result.event_count("a")[member], 1);
      EXPECT_EQ(result.event_count("b")[member], 1);
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

/// The force that moves a body from rest grows from zero, so that rounding hides the first motion.
TEST_P(Instants, ABodyThatIsPulledFromRestHasNotReturnedToRest) {
  const std::string pulled = R"toml(
[output]
fields = ["q", "w"]
[time]
end = 1.0
dt = 0.01
[model]
name = "pulled"
[model.parameters]
r = "1 m/s^3"
[model.coordinates]
x = "m"
[model.mass]
x = 1
[model.force]
x = "r*(t - FROM)"
[[events]]
name = "rests"
when = "x_dot"
action = "record"
[[events]]
name = "returns"
when = "x"
action = "record"
[parameters]
r = { linspace = [0.5, 3, 16] }
)toml";
  for (const int from : {0, 1, 100}) {
    std::string text = pulled;
    text.replace(text.find("FROM"), 4, fmt::format("{}[s]", from));
    const Result result =
        run_text(text, GetParam(), {fmt::format("time.start={}", from), fmt::format("time.end={}", from + 1)});
    for (std::size_t i = 0; i < 16; ++i) {
      EXPECT_EQ(result.event_count("rests")[i], 0) << from << ' ' << i;
      EXPECT_EQ(result.event_count("returns")[i], 0) << from << ' ' << i;
    }
  }
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

/// A particle of speed 1 that counts its ticks in k; x is the time since 0. Its event is at x = c.
const std::string counted = R"(
[output]
fields = ["q", "w", "invariants"]
[time]
end = 0.6
dt = 0.1
save_every = 1
[model]
name = "counted"
[model.parameters]
c = 10
[model.discrete]
k = 0
a = 0
[model.coordinates]
x = "1"
y = "1"
[model.mass]
x = 1
y = 1
[model.start]
x_dot = 1
[[model.clocks]]
name = "c"
every = 0.1
set = { k = "k + 1" }
[[model.events]]
name = "e"
when = "x - c"
set = { a = "a + 1" }
)";

double moved_by_ulps(double x, int ulps) {
  for (; ulps > 0; --ulps) x = std::nextafter(x, 10.0);
  for (; ulps < 0; ++ulps) x = std::nextafter(x, -10.0);
  return x;
}

constexpr int beside = 65;

/// Overrides for members whose `name` is around x: from 32 roundings below to 32 above.
std::vector<std::string> members_around(const std::string& name, double x, std::vector<std::string> more = {}) {
  std::string values;
  for (int i = 0; i < beside; ++i) values += fmt::format("{:.17g}, ", moved_by_ulps(x, i - beside / 2));
  more.push_back(name + "={values=[" + values + "]}");
  more.push_back(fmt::format("ensemble.members={}", beside));
  return more;
}

void expect_everywhere(const Result& result, const char* name, std::size_t frame, double expected, double tolerance,
                       const std::string& what) {
  ASSERT_EQ(result.values(name, frame).size(), static_cast<std::size_t>(beside));
  for (std::size_t i = 0; i < beside; ++i) {
    EXPECT_NEAR(result.values(name, frame)[i], expected, tolerance)
        << name << ' ' << static_cast<int>(i) - beside / 2 << ' ' << what;
  }
}

/// A tick is made once, with an event before, at or after it by rounding, at the end of a step or inside one.
TEST_P(Instants, AClockTicksOnceBesideAnEvent) {
  for (const std::string dt : {"0.1", "0.25", "0.6"}) {
    const std::string end = dt == "0.6" ? "1.8" : "1.5";
    const auto run_with = [&](const std::string& saved) {
      return run_text(counted, GetParam(),
                      members_around("parameters.c", 3 * 0.1, {"time.end=" + end, "time.dt=" + dt, saved}));
    };
    const Result whole = run_with("time.save_every=1000");
    const auto last = whole.times().size() - 1;
    for (std::size_t i = 0; i < beside; ++i) ASSERT_EQ(whole.status()[i], Status::ok);
    expect_everywhere(whole, "k", last, dt == "0.6" ? 19 : 16, 0, dt);
    expect_everywhere(whole, "a", last, 1, 0, dt);
    const Result divided = run_with("time.save_at=[0.05, 0.2999, 0.3, 0.30001, 0.6, 1.2, " + end + "]");
    const double ticks[] = {1, 3, 4, 4, 7, 13};
    for (std::size_t frame = 0; frame < 6; ++frame) expect_everywhere(divided, "k", frame, ticks[frame], 0, dt);
    for (std::size_t i = 0; i < beside; ++i) {
      EXPECT_TRUE(has_same_bits(divided.values("x", divided.times().size() - 1)[i], whole.values("x", last)[i]));
    }
  }
}

/// Several events and clocks at one instant, by rounding.
TEST_P(Instants, EveryClockTicksOnceBesideManyEvents) {
  for (const int apart : {1, 3, 7, 15}) {
    std::string events = "events=[";
    for (int i = -3; i <= 3; ++i) {
      events += fmt::format("{{name='e{}', when='x - {:.17g}', set={{a='a + 1'}}}}, ", i + 3,
                            moved_by_ulps(3 * 0.1, i * apart));
    }
    const Result result =
        run_text(counted, GetParam(),
                 {events + "]",
                  "clocks=[{name='c', every=0.1, set={k='k + 1'}}, {name='d', every=0.3, set={k='k + 100'}}, "
                  "{name='f', every=0.15, offset=0.15, set={k='k + 10000'}}]"});
    ASSERT_EQ(result.status()[0], Status::ok);
    const auto last = result.times().size() - 1;
    EXPECT_EQ(result.values("k", last)[0], 40307) << apart;
    EXPECT_EQ(result.values("a", last)[0], 7) << apart;
  }
}

/// An impulse of noise is applied once.
TEST_P(Instants, NoiseKicksOnceBesideAnEvent) {
  const std::string noisy = counted + "[model.noise]\nevery = 0.1\ny = '0.5'\n";
  for (const char* dt : {"0.05", "0.2"}) {
    const auto run_around = [&](double place) {
      return run_text(noisy, GetParam(), members_around("parameters.c", place, {std::string("time.dt=") + dt}));
    };
    const Result plain = run_around(5);
    const Result result = run_around(3 * 0.1 + 0.05);
    const auto last = plain.times().size() - 1;
    expect_everywhere(plain, "a", last, 0, 0, dt);
    expect_everywhere(result, "a", last, 1, 0, dt);
    for (std::size_t i = 0; i < beside; ++i) {
      EXPECT_NE(plain.values("y_dot", last)[i], 0);
      EXPECT_NEAR(result.values("y_dot", last)[i], plain.values("y_dot", last)[i], 1e-12) << i << ' ' << dt;
      EXPECT_NEAR(result.values("y", last)[i], plain.values("y", last)[i], 1e-12) << i << ' ' << dt;
    }
  }
}

/// A saved time that equals a tick by its decimals shows the state after it.
TEST_P(Instants, ASavedTimeAtATickShowsTheChangedState) {
  for (const char* dt : {"0.25", "0.2", "0.5", "1.0"}) {
    const Result result = run_text(counted, GetParam(),
                                   {"time.end=1.0", std::string("time.dt=") + dt,
                                    "time.save_at=[0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0]"});
    for (std::size_t frame = 0; frame < 10; ++frame) {
      EXPECT_EQ(result.values("k", frame)[0], frame + 2) << dt;
      EXPECT_NEAR(result.values("x", frame)[0], 0.1 * static_cast<double>(frame + 1), 1e-14) << dt;
    }
  }
}

/// Times near 0 of a run that starts before have the rounding error of its start, in any unit of time.
TEST_P(Instants, AClockTicksAtATimeNearZero) {
  for (const double unit : {1e-6, 1.0, 1e6}) {
    for (const auto& [steps, dt] : {std::pair{3, 0.7}, {300, 0.07}, {9, 0.1}, {300, 0.1}}) {
      const std::vector<std::string> overrides = {
          fmt::format("time.start={:.17g}", -steps * dt * unit),
          fmt::format("time.end={:.17g}", 3 * dt * unit),
          fmt::format("time.dt={:.17g}", dt * unit),
          fmt::format("clocks=[{{name='c', every={:.17g}, set={{k='k + 1'}}}}]", dt * unit),
      };
      const Result result = run_text(counted, GetParam(), overrides);
      ASSERT_EQ(result.times().size(), static_cast<std::size_t>(steps) + 4);
      for (int frame = 0; frame < steps + 4; ++frame) {
        EXPECT_EQ(result.values("k", static_cast<std::size_t>(frame))[0], std::max(frame - steps + 1, 0))
            << unit << ' ' << dt << ' ' << frame;
      }
    }
  }
}

/// The impact of a gap that closes at a tick or another event, by rounding, is counted.
TEST_P(Instants, AnImpactAtAChangeIsCounted) {
  const std::string floor = R"(
[output]
fields = ["q", "w", "invariants"]
[time]
end = 0.6
dt = 0.1
save_every = 1
[model]
name = "ball"
[model.discrete]
k = 0
[model.coordinates]
x = "1"
y = "1"
[model.mass]
x = 1
y = 1
[model.start]
x_dot = 1
y_dot = -1
y = 0.3
[model.unilateral]
floor = { gap = "y", restitution = 1 }
)";
  const std::string clock = "clocks=[{name='c', every=0.1, set={k='k + 1'}}]";
  const std::string event = "events=[{name='e', when='x - 0.3', set={k='k + 1'}}]";
  for (const bool has_clock : {true, false}) {
    for (const bool has_event : {true, false}) {
      std::vector<std::string> more = {"time.dt=0.1"};
      if (has_clock) more.push_back(clock);
      if (has_event) more.push_back(event);
      const std::string what = std::string(has_clock ? "clock " : "") + (has_event ? "event" : "");
      const Result result = run_text(floor, GetParam(), members_around("initial.y", 0.3, more));
      const auto last = result.times().size() - 1;
      for (std::size_t i = 0; i < beside; ++i) {
        ASSERT_EQ(result.status()[i], Status::ok);
        EXPECT_EQ(result.event_count("floor")[i], 1) << i << ' ' << what;
        EXPECT_NEAR(result.event_time("floor")[i], 0.3, 1e-12) << i << ' ' << what;
      }
      expect_everywhere(result, "y", last, 0.3, 1e-12, what);
      expect_everywhere(result, "k", last, (has_clock ? 7 : 0) + (has_event ? 1 : 0), 0, what);
    }
  }
}

}  // namespace
}  // namespace kalaba
