// Events: times compared with closed forms, selection of crossings, results after a stop.

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <utility>
#include <vector>

#include "events/systems.hpp"
#include "support/integrators.hpp"
#include "support/interpreted_system.hpp"

namespace kalaba {
namespace {

using events::beads;
using events::projectiles;
using events::speed;
using events::turning_beads;

constexpr double pi = std::numbers::pi;

struct Way {
  Backend backend;
  Integrator integrator;
};

class Events : public testing::TestWithParam<Way> {
 protected:
  Options options(const System& system, std::vector<Event> events) const {
    Options options = test::interpreted_options(system);
    options.backend = GetParam().backend;
    test::set_integrator(options, GetParam().integrator);
    options.method.relative_tolerance = 1e-11;
    options.method.absolute_tolerance = 1e-13;
    options.threads = 1;
    options.events = std::move(events);
    return options;
  }
  bool adapts() const { return kalaba::adapts(GetParam().integrator); }
};

std::vector<Way> all_ways() {
  std::vector<Way> ways;
  for (const Backend backend : {Backend::cpu, Backend::reference}) {
    for (const Integrator integrator : test::all_integrators()) ways.push_back({backend, integrator});
  }
  return ways;
}
INSTANTIATE_TEST_SUITE_P(, Events, testing::ValuesIn(all_ways()), [](const auto& info) {
  return std::string(backend_name(info.param.backend)) + "_" + std::string(integrator_name(info.param.integrator));
});

TEST_P(Events, FindTheImpactOfAProjectile) {
  Ensemble ensemble(projectiles(), 11);
  for (std::size_t i = 0; i < 11; ++i) ensemble.parameter("v")[i] = 0.3 * static_cast<double>(i);
  ensemble.restart();
  const Result result = run(ensemble, options(projectiles(), {{"impact", "z", Crossing::falling}}));
  for (std::size_t i = 0; i < 11; ++i) {
    const double v = 0.3 * static_cast<double>(i);
    const double impact = (v + std::sqrt(v * v + 2 * 9.81)) / 9.81;
    EXPECT_EQ(result.status()[i], Status::stopped);
    EXPECT_NEAR(result.event_time("impact")[i], impact, 1e-13);
    EXPECT_EQ(result.event_last_time("impact")[i], result.event_time("impact")[i]);
    EXPECT_EQ(result.event_count("impact")[i], 1);
    EXPECT_EQ(result.failure_time()[i], result.event_time("impact")[i]);
    EXPECT_NEAR(result.event_state("impact", "x")[i], 3 * impact, 1e-12);
    EXPECT_NEAR(result.event_state("impact", "z")[i], 0, 1e-13);
    EXPECT_LE(result.event_state("impact", "z")[i], 0) << "just behind the crossing";
    EXPECT_NEAR(result.event_state("impact", "z_dot")[i], v - 9.81 * impact, 1e-12);
    for (const char* column : {"x", "z", "x_dot", "z_dot"}) {
      const auto last = result.times().size() - 1;
      EXPECT_EQ(result.values(column, last)[i], result.event_state("impact", column)[i]) << "the state that it keeps";
    }
  }
  EXPECT_EQ(result.summary.failed(), 0);
  EXPECT_EQ(result.summary.by_status[static_cast<std::size_t>(Status::stopped)], 11);
  ASSERT_EQ(result.summary.events.size(), 1U);
  EXPECT_EQ(result.summary.events[0].members, 11);
  EXPECT_EQ(result.summary.events[0].earliest, result.event_time("impact")[0]);
  EXPECT_EQ(result.summary.events[0].latest, result.event_time("impact")[10]);
}

TEST_P(Events, AreOfTheIntegratorsAccuracyOnConstraints) {
  const Result result = run(turning_beads(11), options(beads(), {{"left", "x", Crossing::any, EventAction::record}}));
  for (std::size_t i = 0; i < 11; ++i) {
    EXPECT_NEAR(result.event_time("left")[i] * speed(i), pi / 2, adapts() ? 2e-10 : 1e-8) << i;
    EXPECT_NEAR(result.event_state("left", "y")[i], 1, 1e-12) << "on the ring, " << i;
    EXPECT_EQ(result.status()[i], Status::ok);
  }
}

TEST(EventsOnTheCpu, ConvergeAsRk4) {
  for (const Backend backend : {Backend::cpu, Backend::reference}) {
    const auto error = [&](double dt) {
      Options halved = test::interpreted_options(beads());
      halved.backend = backend;
      halved.events = {{"left", "x"}};
      halved.method.stabilization = Stabilization::none();
      halved.time.dt = dt;
      return std::abs(run(turning_beads(6), halved).event_time("left")[5] - pi / 2);
    };
    EXPECT_NEAR(std::log2(error(1.0 / 8) / error(1.0 / 16)), 4, 0.3) << backend_name(backend);
  }
}

TEST_P(Events, GoOneWayOrBoth) {
  std::vector<Event> all = {{"up", "y - 0.5", Crossing::rising, EventAction::record},
                            {"down", "y - 0.5", Crossing::falling, EventAction::record},
                            {"both", "y - 0.5", Crossing::any, EventAction::record}};
  Options watched = options(beads(), all);
  watched.time.end = 12;
  Ensemble ensemble(beads(), 1);
  const Result result = run(ensemble, watched);
  EXPECT_EQ(result.event_count("up")[0], 2);  // at pi/6, 13 pi/6
  EXPECT_EQ(result.event_count("down")[0], 2);
  EXPECT_EQ(result.event_count("both")[0], 4);
  EXPECT_NEAR(result.event_time("up")[0], pi / 6, 1e-8);
  EXPECT_NEAR(result.event_last_time("up")[0], 13 * pi / 6, 5e-8);
  EXPECT_NEAR(result.event_time("down")[0], 5 * pi / 6, 2e-8);
  EXPECT_NEAR(result.event_last_time("both")[0], 17 * pi / 6, 5e-8);
  EXPECT_NEAR(result.event_state("both", "y_dot")[0], std::cos(pi / 6), 1e-7) << "the state at the first";
  EXPECT_EQ(result.summary.events[2].crossings, 4);
}

/// Beads pass a height near the top twice per revolution, within one step of most methods.
TEST_P(Events, FindBothCrossingsWithinAStep) {
  Options watched = options(beads(), {{"top", "y - 0.999", Crossing::any, EventAction::record},
                                      {"falls", "y - 0.999", Crossing::falling, EventAction::record},
                                      {"above", "y > 0.999", Crossing::rising, EventAction::record},
                                      {"spent", "energy * y / energy - 0.999", Crossing::rising, EventAction::record},
                                      {"never", "y - 1.001", Crossing::any, EventAction::record}});
  watched.time = {.start = 0, .end = 30, .dt = 0.1, .save_every = 50};
  watched.method.relative_tolerance = watched.method.absolute_tolerance = 1e-6;
  const Result result = run(turning_beads(11), watched);
  for (std::size_t i = 0; i < 11; ++i) {
    const double turns = speed(i) * 30 / (2 * pi);
    const double half_width = std::acos(0.999) / (2 * pi);
    const auto falls = std::floor(turns - 0.25 - half_width) + 1;
    const auto rises = std::floor(turns - 0.25 + half_width) + 1;
    EXPECT_EQ(result.event_count("falls")[i], falls) << i;
    EXPECT_EQ(result.event_count("above")[i], rises) << i;
    EXPECT_EQ(result.event_count("spent")[i], rises) << i;
    EXPECT_EQ(result.event_count("top")[i], rises + falls) << i;
    EXPECT_EQ(result.event_count("never")[i], 0) << i;
    EXPECT_NEAR(result.event_time("falls")[i] * speed(i), pi - std::asin(0.999), 2e-3) << i;
  }
}

/// Beads pass the height 0 at phases that differ between the members; the excursion below the bound lasts a thousandth
/// of a step and begins anywhere in it, near the ends too.
TEST_P(Events, FindAShortExcursionAnywhereInAStep) {
  Options watched = options(beads(), {{"smooth", "y^2 - 1e-9", Crossing::any, EventAction::record},
                                      {"kink", "abs(y) - 3e-5", Crossing::any, EventAction::record}});
  watched.time = {.start = 0, .end = 30, .dt = 0.03, .save_every = 1000};
  watched.method.relative_tolerance = watched.method.absolute_tolerance = 1e-8;
  const Result result = run(turning_beads(40), watched);
  for (std::size_t i = 0; i < 40; ++i) {
    const double crossings = 1 + 2 * std::floor(speed(i) * 30 / pi);  // the start lies below the bounds
    EXPECT_EQ(result.event_count("smooth")[i], crossings) << i;
    // In a step of dop853, of a quarter of a turn, the search for a kink may end before it finds so short an excursion.
    if (GetParam().integrator != Integrator::dop853) {
      EXPECT_EQ(result.event_count("kink")[i], crossings) << i;
    }
  }
}

TEST_P(Events, StopAtTheFirstOfTwoCrossingsWithinAStep) {
  Options watched = options(beads(), {{"top", "y - 0.9995", Crossing::any, EventAction::stop}});
  watched.method.relative_tolerance = watched.method.absolute_tolerance = 1e-6;
  watched.time.dt = 0.25;
  const Result result = run(Ensemble(beads(), 1), watched);
  EXPECT_EQ(result.status()[0], Status::stopped);
  EXPECT_NEAR(result.event_time("top")[0], std::asin(0.9995), 2e-3);
  EXPECT_NEAR(result.values("y", result.times().size() - 1)[0], 0.9995, 1e-9);
}

TEST_P(Events, InOneStepCountUpToTheFirstStop) {
  Options watched = options(projectiles(), {{"late", "x - 0.8", Crossing::any, EventAction::stop},
                                            {"before", "x - 0.3", Crossing::any, EventAction::record},
                                            {"stop", "x - 0.6", Crossing::any, EventAction::stop},
                                            {"after", "x - 0.7", Crossing::any, EventAction::record},
                                            {"with", "2 * x - 1.2", Crossing::any, EventAction::record}});
  watched.time.dt = 0.5;  // x goes 1.5 m in a step
  watched.time.save_every = 1;
  watched.method.largest_step = 0.5;
  const Result result = run(Ensemble(projectiles(), 3), watched);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_NEAR(result.event_time("before")[i], 0.1, 1e-14);
    EXPECT_NEAR(result.event_time("stop")[i], 0.2, 1e-14);
    EXPECT_EQ(result.event_count("before")[i], 1);
    EXPECT_EQ(result.event_count("stop")[i], 1);
    EXPECT_EQ(result.event_count("late")[i], 0);
    EXPECT_EQ(result.event_count("after")[i], 0);
    EXPECT_TRUE(std::isnan(result.event_time("after")[i]));
    EXPECT_TRUE(std::isnan(result.event_state("late", "x")[i]));
    EXPECT_NEAR(result.values("x", 1)[i], 0.6, 1e-14);
    EXPECT_EQ(result.status()[i], Status::stopped);
  }
}

TEST_P(Events, AtTheEndOfAStepHappenOnceAndNotAtTheStart) {
  // Sums of halves and quarters are exact: t - 1 is zero at a step's end, t at the start.
  Options watched = options(projectiles(), {{"one", "t - 1", Crossing::any, EventAction::record},
                                            {"start", "t", Crossing::any, EventAction::record},
                                            {"end", "t - 2", Crossing::rising, EventAction::stop}});
  watched.time.dt = 0.25;
  watched.time.save_every = 1;
  watched.method.largest_step = 0.25;
  const Result result = run(Ensemble(projectiles(), 2), watched);
  EXPECT_EQ(result.event_count("one")[1], 1);
  EXPECT_EQ(result.event_time("one")[1], 1);
  EXPECT_EQ(result.event_count("start")[1], 0);
  EXPECT_EQ(result.event_count("end")[1], 1);
  EXPECT_EQ(result.event_time("end")[1], 2);
  EXPECT_EQ(result.event_state("one", "x")[1], result.values("x", 4)[1]);
}

TEST_P(Events, LeaveFramesAsTheyAreBeforeTheStop) {
  Options watched = options(beads(), {{"half", "y", Crossing::falling, EventAction::stop}});
  watched.save_at = {0, 1.0, 1.03, 2.0, 2.0001, 2.5, 3.14159, 3.1416, 3.3, 4};
  Options plain = watched;
  plain.events.clear();
  const Result stopped = run(turning_beads(11), watched);
  const Result whole = run(turning_beads(11), plain);
  for (std::size_t i = 0; i < 11; ++i) {
    const double stop = stopped.event_time("half")[i];
    EXPECT_EQ(std::isnan(stop), speed(i) * 4 < pi) << i;
    for (std::size_t frame = 0; frame < watched.save_at.size(); ++frame) {
      for (const char* column : {"x", "y", "x_dot", "y_dot"}) {
        const bool ended = stopped.times()[frame] >= stop;
        const double expected = ended ? stopped.event_state("half", column)[i] : whole.values(column, frame)[i];
        EXPECT_EQ(stopped.values(column, frame)[i], expected) << i << ' ' << column << " at " << watched.save_at[frame];
      }
    }
  }
}

TEST_P(Events, DoNotDependOnTheSavedTimes) {
  const std::vector<Event> all = {{"left", "x + 0.1", Crossing::any, EventAction::record},
                                  {"half", "y - 0.01*x", Crossing::falling, EventAction::stop}};
  Options few = options(beads(), all);
  few.time.save_every = 0;
  Options many = few;
  many.save_at = {0.001, 0.5, 1.7, 1.9, 2.22, 3.01, 3.9};
  const Result a = run(turning_beads(11), few);
  const Result b = run(turning_beads(11), many);
  for (std::size_t i = 0; i < 11; ++i) {
    for (const char* event : {"left", "half"}) {
      EXPECT_EQ(a.event_count(event)[i], b.event_count(event)[i]);
      for (const char* column : {"x", "y", "x_dot", "y_dot"}) {
        EXPECT_EQ(std::bit_cast<std::uint64_t>(a.event_state(event, column)[i]),
                  std::bit_cast<std::uint64_t>(b.event_state(event, column)[i]));
      }
      EXPECT_EQ(std::bit_cast<std::uint64_t>(a.event_time(event)[i]),
                std::bit_cast<std::uint64_t>(b.event_time(event)[i]));
    }
  }
}

TEST_P(Events, KnowEveryWordOfAnExpression) {
  // Expressions for members with x = 3 t: each is zero at t = 0.25.
  const char* const expressions[] = {
      "x - u / 4",   "(x/u)^2 - 0.0625", "(2*t)^-3 - 8",         "sqrt(x) - sqrt(0.75)", "sin(pi*t) - sin(pi/4)",
      "cos(2*pi*t)", "tan(pi*t) - 1",    "exp(-t) - exp(-0.25)", "log(t + 0.75)",        "abs(x - 1) - 2.5e-1",
      "-x + +.75",   "x^2.5 - 0.75^2.5", "2 - -t*4 - 3",         "z_dot - v + g*0.25",   "t - 1/2/2"};
  for (const char* expression : expressions) {
    Options watched = options(projectiles(), {{"now", expression}});
    watched.method.largest_step = 0.1;  // some come back to zero within a longer one
    const Result result = run(Ensemble(projectiles(), 1), watched);
    EXPECT_NEAR(result.event_time("now")[0], 0.25, 1e-12) << expression;
  }
}

}  // namespace
}  // namespace kalaba
