// Events: a motion is bitwise identical with and without event detection, for any neighbours and any division of the
// run; the reference backend; errors.

#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "events/systems.hpp"
#include "kalaba/error.hpp"
#include "support/error_of.hpp"
#include "support/integrators.hpp"
#include "support/interpreted_system.hpp"

namespace kalaba {
namespace {

using events::beads;
using events::projectiles;
using events::speed;
using events::turning_beads;

TEST(EventsOnTheCpu, LeaveTheMotionBitForBit) {
  for (const Integrator integrator : test::all_integrators()) {
    for (const Precision precision : {Precision::double_precision, Precision::single_precision}) {
      Options plain = test::interpreted_options(beads());
      plain.backend = Backend::cpu;
      plain.precision = precision;
      test::set_integrator(plain, integrator);
      plain.method.largest_step = 0.05;  // each sees every crossing
      if (precision == Precision::single_precision) {
        plain.compile = Compile::automatic;
        plain.method.relative_tolerance = 1e-4;
        plain.method.absolute_tolerance = 1e-6;
      }
      plain.save_at = {0.4, 1, 2.34, 4};
      Options watched = plain;
      watched.events = {{"left", "x", Crossing::any, EventAction::record},
                        {"often", "sin(40*t)", Crossing::any, EventAction::record}};
      const Result a = run(turning_beads(11), plain);
      const Result b = run(turning_beads(11), watched);
      for (std::size_t i = 0; i < 11; ++i) {
        EXPECT_GT(b.event_count("often")[i], 40);
        for (std::size_t frame = 0; frame < 4; ++frame) {
          for (const char* column : {"x", "y", "x_dot", "y_dot"}) {
            EXPECT_EQ(a.values(column, frame)[i], b.values(column, frame)[i]) << column;
          }
        }
      }
    }
  }
}

TEST(EventsOnTheCpu, AreTheSameWhoeverTheNeighboursAre) {
  for (const Integrator integrator : test::all_integrators()) {
    Options options = test::interpreted_options(beads());
    options.backend = Backend::cpu;
    test::set_integrator(options, integrator);
    options.threads = 1;
    options.events = {{"high", "exp(y) * y^1.5 - log(2 + x) * 0.9", Crossing::any, EventAction::record},
                      {"half", "tan(y) + cos(3 * t) / 50", Crossing::falling, EventAction::stop}};
    const Result whole = run(turning_beads(40), options);
    Options cut = options;
    cut.block_members = 7;
    cut.threads = 3;
    cut.time.save_every = 5;
    const Result blocks = run(turning_beads(40), cut);
    for (std::size_t i = 0; i < 40; ++i) {
      Ensemble one(beads(), 1);
      one.parameter("omega")[0] = speed(i);
      one.restart();
      const Result alone = run(one, options);
      for (const char* event : {"high", "half"}) {
        const double counts[] = {whole.event_count(event)[i], blocks.event_count(event)[i],
                                 alone.event_count(event)[0]};
        EXPECT_EQ(counts[0], counts[1]);
        EXPECT_EQ(counts[0], counts[2]);
        if (counts[0] == 0) continue;
        EXPECT_EQ(whole.event_time(event)[i], blocks.event_time(event)[i]);
        EXPECT_EQ(whole.event_time(event)[i], alone.event_time(event)[0]);
        EXPECT_EQ(whole.event_last_time(event)[i], alone.event_last_time(event)[0]);
        EXPECT_EQ(whole.event_state(event, "x")[i], blocks.event_state(event, "x")[i]);
        EXPECT_EQ(whole.event_state(event, "x")[i], alone.event_state(event, "x")[0]);
      }
    }
  }
}

TEST(EventsOnTheCpu, AgreeWithTheReference) {
  for (const Integrator integrator : test::all_integrators()) {
    Options options = test::interpreted_options(beads());
    test::set_integrator(options, integrator);
    options.events = {{"high", "y - 0.3 * t", Crossing::any, EventAction::record},
                      {"half", "y + x_dot", Crossing::falling, EventAction::stop}};
    options.backend = Backend::cpu;
    const Result ours = run(turning_beads(11), options);
    options.backend = Backend::reference;
    const Result reference = run(turning_beads(11), options);
    for (std::size_t i = 0; i < 11; ++i) {
      if (speed(i) == 1) continue;  // of it y + x_dot is nothing but error
      EXPECT_EQ(ours.status()[i], reference.status()[i]);
      for (const char* event : {"high", "half"}) {
        EXPECT_EQ(ours.event_count(event)[i], reference.event_count(event)[i]) << event << i;
        if (ours.event_count(event)[i] == 0) continue;
        EXPECT_NEAR(ours.event_time(event)[i], reference.event_time(event)[i], 1e-9) << event << i;
        EXPECT_NEAR(ours.event_state(event, "x")[i], reference.event_state(event, "x")[i], 1e-9);
      }
    }
  }
}

TEST(EventsOnTheCpu, AreFoundInSinglePrecision) {
  Options options = default_options(projectiles());
  options.backend = Backend::cpu;
  options.precision = Precision::single_precision;
  options.events = {{"impact", "z"}};
  const Result result = run(Ensemble(projectiles(), 1), options);
  EXPECT_NEAR(result.event_time("impact")[0], (2 + std::sqrt(4 + 2 * 9.81)) / 9.81, 2e-6);
  EXPECT_EQ(result.status()[0], Status::stopped);
}

TEST(EventsOnTheCpu, StopStatisticsAndFailuresApart) {
  // A member that cannot start is not stopped, and a failure is not an event.
  Options options = test::interpreted_options(projectiles());
  options.backend = Backend::cpu;
  options.events = {{"impact", "z"}};
  Ensemble ensemble(projectiles(), 2);
  ensemble.initial("z")[1] = std::nan("");
  const Result result = run(ensemble, options);
  EXPECT_EQ(result.status()[1], Status::non_finite);
  EXPECT_EQ(result.event_count("impact")[1], 0);
  EXPECT_EQ(result.summary.failed(), 1);
}

std::string refusal(const std::vector<Event>& events) {
  Options options = test::interpreted_options(projectiles());
  options.backend = Backend::cpu;
  options.events = events;
  return test::message_of([&] { run(Ensemble(projectiles(), 1), options); });
}

TEST(EventsOnTheCpu, AreRefusedWhereTheyAreNone) {
  EXPECT_NE(refusal({{"a", "z + zz"}}).find("event \"a\": there is no zz\n    z + zz\n        ^^"), std::string::npos);
  for (const char* wrong : {"", "z +", "(z", "z)", "z z", "2 ** z", "1e999", "foo(z)", "sin z", "z = 0", "#"}) {
    EXPECT_NE(refusal({{"a", wrong}}), "") << wrong;
  }
  for (const std::string& name : {std::string("a b"), std::string(), std::string(65, 'a')}) {
    EXPECT_NE(refusal({{name, "z"}}).find("expected a name of letters, digits and _, at most 64"), std::string::npos);
  }
  EXPECT_EQ(refusal({{std::string(64, 'a'), "z"}}), "");
  EXPECT_NE(refusal({{"a", "z"}, {"a", "x"}}).find("event \"a\": expected a name that no other event has"),
            std::string::npos);
  EXPECT_NE(refusal(std::vector<Event>(53, {"a", "z"})).find("at most 52 events, found 53"), std::string::npos);
  std::string sum = "z";
  for (int i = 0; i < 32; ++i) sum += " + sin(" + std::to_string(i + 1) + ".1*z)";
  EXPECT_NE(refusal({{"a", sum}}).find("at most 128"), std::string::npos);
  std::string deep = "z";
  for (int i = 0; i < 20; ++i) deep = "x + sin(" + deep + ")";
  EXPECT_NE(refusal({{"a", deep}}).find("16 of them waiting"), std::string::npos);
  EXPECT_NE(refusal({{"a", std::string(100000, '(')}}), "");
  EXPECT_THROW(run(Ensemble(projectiles(), 1), test::interpreted_options(projectiles())).event_time("a"), Error);
}

}  // namespace
}  // namespace kalaba
