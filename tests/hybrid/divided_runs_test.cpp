// Runs with changes that are divided: checkpoints within a block, shards, packs.

#include <algorithm>
#include <map>

#include "backend/backends.hpp"
#include "engine/run/engine.hpp"
#include "hybrid/hybrid.hpp"
#include "kalaba/member_block.hpp"
#include "support/checkpoint_keeper.hpp"
#include "support/interrupter.hpp"

namespace kalaba {
namespace {

using hybrid::has_same_bits;
using hybrid::overrides_of;
using hybrid::run_text;
using hybrid::Way;
using test::Keeper;

const std::string thirteen_members = R"toml(
[ensemble]
members = 13
[initial]
x_dot = { linspace = [0.7, 1.9, 13] }
[output]
fields = ["q", "w", "invariants"]
[time]
end = 3.0
dt = 0.01
save_every = 17
)toml";

/// A ball in a box with a delayed thrust; impacts and ticks are not at steps.
const std::string box = thirteen_members + R"toml(
[model]
name = "box"
[model.parameters]
e = 0.9
[model.discrete]
hits = 0
u = { start = 0, unit = "m/s^2" }
[model.coordinates]
x = "m"
y = "m"
[model.mass]
x = 1
y = 1
[model.force]
x = "u"
y = "-9.81[m/s^2]"
[model.start]
x = 0.2
y = 0.5
[[model.events]]
name = "wall"
when = "abs(x - 0.5[m]) - 0.5[m]"
direction = "rising"
set = { x_dot = "-e*x_dot", hits = "hits + 1" }
[[model.events]]
name = "floor"
when = "y"
direction = "falling"
set = { y_dot = "-e*y_dot", hits = "hits + 1" }
[[model.clocks]]
name = "thrust"
every = 0.0731
delay = 1
set = { u = "1[1/s^2]*(0.5[m] - x)" }
)toml";

/// A ball between walls that bounces on a floor, comes to rest on it and slides. Impacts and ticks are not at steps.
const std::string hall = thirteen_members + R"toml(
[model]
name = "hall"
lagrangian = "(x_dot^2 + y_dot^2)/2*m - m*g*y"
[model.parameters]
m = "1 kg"
g = "9.81 m/s^2"
e = 0.6
mu = 0.02
width = "1 m"
[model.discrete]
u = { start = 0, unit = "N" }
[model.coordinates]
x = "m"
y = "m"
[model.force]
x = "u"
[model.start]
x = 0.2
y = 0.3
[model.unilateral]
floor = { gap = "y", restitution = "e", friction = "mu", slip = "x_dot" }
left = { gap = "x", restitution = "e" }
right = { gap = "width - x", restitution = "e" }
[[model.clocks]]
name = "thrust"
every = 0.0731
delay = 1
set = { u = "m*0.1[1/s^2]*(width/2 - x)" }
)toml";

/// The speeds of the members, by the decimals of single runs.
const std::string speeds = "initial.x_dot={values=[0.7, 0.8, 0.9, 1.0, 1.1, 1.2, 1.3, 1.4, 1.5, 1.6, 1.7, 1.8, 1.9]}";

std::vector<Way> cpu_ways() {
  std::vector<Way> ways;
  for (const char* integrator : {"rk4", "dopri5", "dop853", "taylor"}) ways.push_back({"cpu", integrator, "always"});
  ways.push_back({"cpu", "rk4", "never"});
  return ways;
}

class DividedRuns : public testing::TestWithParam<Way> {};
INSTANTIATE_TEST_SUITE_P(, DividedRuns, testing::ValuesIn(cpu_ways()),
                         [](const auto& info) { return hybrid::name_of(info.param); });

bool same(const std::vector<double>& a, const std::vector<double>& b) {
  return std::ranges::equal(a, b,
                            [](double x, double y) { return has_same_bits(x, y) || (std::isnan(x) && std::isnan(y)); });
}

void expect_same_from_checkpoints(const std::string& text, const Way& way) {
  const Scenario scenario = load_scenario_text(text, "divided.toml", overrides_of(way));
  Keeper unbroken(nullptr);
  Sink* const sinks[] = {&unbroken};
  run(*scenario.system, *scenario.source, scenario.options, sinks);
  ASSERT_GE(unbroken.places.size(), 10U);
  for (std::size_t i = 0; i < unbroken.places.size(); ++i) {
    Keeper resumed(&unbroken.places[i]);
    Sink* const resumed_sinks[] = {&resumed};
    run(*scenario.system, *scenario.source, scenario.options, resumed_sinks, {}, {}, {0, -1, unbroken.before[i]});
    for (const auto& [frame, fields] : resumed.frames) {
      for (std::size_t field = 0; field < fields.size(); ++field) {
        EXPECT_TRUE(same(fields[field], unbroken.frames[frame][field])) << "frame " << frame << ", field " << field;
      }
    }
    for (std::size_t part = 0; part < resumed.end.size(); ++part) {
      EXPECT_TRUE(same(resumed.end[part], unbroken.end[part])) << i;
    }
  }
}

TEST_P(DividedRuns, GoOnFromEveryCheckpointWithTheSameBits) { expect_same_from_checkpoints(box, GetParam()); }
TEST_P(DividedRuns, OfContactsGoOnFromEveryCheckpointWithTheSameBits) {
  expect_same_from_checkpoints(hall, GetParam());
}

/// Last states and events of the members, integrated in calls of `steps` steps of the grid.
struct MovedByCalls {
  std::vector<std::vector<double>> numbers;
  long pauses = 0;
};
MovedByCalls moved_by_calls(const Scenario& scenario, long steps, const test::Interrupter* interrupter) {
  const Options options = completed_options(*scenario.system, *scenario.source, scenario.options);
  Block block = member_block(scenario.system->info, options, 13);
  block.assign(0, 13);
  scenario.source->fill(block);
  const auto runner = choose_backend(*scenario.system, options).runner;
  runner->start(block, options.time.start, true);
  if (interrupter != nullptr) runner->pause_on(interrupter->word());
  MovedByCalls result;
  for (long step = 0; step < options.time.steps(); step += steps) {
    const long count = std::min(options.time.steps() - step, steps);
    while (!runner->advance(block, options.time, step, count)) ++result.pauses;
  }
  result.numbers = {block.q, block.w, block.parameters, block.events};
  return result;
}

TEST_P(DividedRuns, OfContactsGoOnFromPausesWithTheSameBits) {
  const Scenario scenario = load_scenario_text(hall, "divided.toml", overrides_of(GetParam()));
  const test::Interrupter interrupter;
  for (const long steps : {1L, 7L}) {
    const MovedByCalls unbroken = moved_by_calls(scenario, steps, nullptr);
    long pauses = 0;
    for (int repetition = 0; repetition < 100 && pauses < 200; ++repetition) {
      const MovedByCalls paused = moved_by_calls(scenario, steps, &interrupter);
      pauses += paused.pauses;
      for (std::size_t i = 0; i < unbroken.numbers.size(); ++i) {
        ASSERT_TRUE(same(paused.numbers[i], unbroken.numbers[i])) << steps << ' ' << i;
      }
    }
    EXPECT_GE(pauses, 200);
  }
}

/// A member has the same bits alone, in a block of its own, and among neighbours that change at other times.
TEST_P(DividedRuns, HaveTheBitsOfEachMemberAlone) {
  const Result together = run_text(box, GetParam(), {speeds});
  const Result blocks = run_text(box, GetParam(), {speeds, "solver.block_members=1"});
  const auto last = together.times().size() - 1;
  for (std::size_t i = 0; i < 13; ++i) {
    const std::string speed = std::to_string(0.7 + 0.1 * static_cast<double>(i)).substr(0, 3);
    const Result alone = run_text(box, GetParam(), {"initial.x_dot=" + speed, "ensemble.members=1"});
    for (const char* name : {"x", "y", "x_dot", "y_dot", "hits", "u"}) {
      EXPECT_TRUE(has_same_bits(together.values(name, last)[i], alone.values(name, last)[0])) << name << ' ' << i;
      EXPECT_TRUE(has_same_bits(together.values(name, last)[i], blocks.values(name, last)[i])) << name << ' ' << i;
    }
    EXPECT_GT(together.values("hits", last)[i], 5);
    EXPECT_EQ(together.event_count("wall")[i] + together.event_count("floor")[i], together.values("hits", last)[i]);
  }
}

TEST_P(DividedRuns, OfContactsHaveTheBitsOfEachMemberAlone) {
  const Result together = run_text(hall, GetParam(), {speeds});
  const auto last = together.times().size() - 1;
  for (std::size_t i = 0; i < 13; ++i) {
    const std::string speed = std::to_string(0.7 + 0.1 * static_cast<double>(i)).substr(0, 3);
    const Result alone = run_text(hall, GetParam(), {"initial.x_dot=" + speed, "ensemble.members=1"});
    for (std::size_t frame = 0; frame <= last; ++frame) {
      for (const char* name : {"x", "y", "x_dot", "y_dot", "u", "floor_closed"}) {
        EXPECT_TRUE(has_same_bits(together.values(name, frame)[i], alone.values(name, frame)[0]))
            << name << ' ' << i << ' ' << frame;
      }
    }
    EXPECT_EQ(together.values("floor_closed", last)[i], 1);
    EXPECT_EQ(together.event_count("floor")[i], alone.event_count("floor")[0]);
    EXPECT_GE(together.event_count("left")[i] + together.event_count("right")[i], 1);
  }
}

TEST_P(DividedRuns, AgreeWithTheReference) {
  const Result ours = run_text(box, GetParam());
  const bool has_series = std::string(GetParam().integrator) == "taylor";
  const Result reference = run_text(box, Way{"reference", has_series ? "dop853" : GetParam().integrator, "auto"});
  const auto last = ours.times().size() - 1;
  for (std::size_t i = 0; i < 13; ++i) {
    for (const char* name : {"x", "y", "x_dot", "y_dot", "hits", "u"}) {
      EXPECT_NEAR(ours.values(name, last)[i], reference.values(name, last)[i], 1e-9) << name << ' ' << i;
    }
  }
}

}  // namespace
}  // namespace kalaba
