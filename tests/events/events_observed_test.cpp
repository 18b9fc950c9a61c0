// Events of derived quantities (energy, invariants, multipliers), and conditions.

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>

#include "events/systems.hpp"
#include "kalaba/error.hpp"
#include "support/error_of.hpp"
#include "support/integrators.hpp"
#include "support/interpreted_system.hpp"

namespace kalaba {
namespace {

using events::sliders;

constexpr double g = 9.81;
constexpr double R = 1.5;
constexpr std::size_t count = 11;

double speed(std::size_t member) { return 1.0 + 0.05 * static_cast<double>(member); }

Ensemble slides() {
  Ensemble ensemble(sliders(), static_cast<long>(count));
  for (std::size_t i = 0; i < count; ++i) ensemble.parameter("v")[i] = speed(i);
  ensemble.restart();
  return ensemble;
}

Options options_of(Backend backend, Integrator integrator) {
  Options options = test::interpreted_options(sliders());
  options.backend = backend;
  test::set_integrator(options, integrator);
  options.method.relative_tolerance = 1e-11;
  options.method.absolute_tolerance = 1e-13;
  options.threads = 1;
  return options;
}

TEST(DerivedEvents, AreOfMultipliersEnergyAndInvariants) {
  for (const Backend backend : {Backend::cpu, Backend::reference}) {
    for (const Integrator integrator : test::all_integrators()) {
      Options options = options_of(backend, integrator);
      options.events = {{"lost", "lambda_1", Crossing::any, EventAction::record},
                        {"fast", "energy - g*y - 4", Crossing::rising, EventAction::record},
                        {"turns", "spin^2 - 8*R^2", Crossing::any, EventAction::record},
                        {"half", "2*half_spin^2 - 4*R^2", Crossing::any, EventAction::record}};
      const Result result = run(slides(), options);
      for (std::size_t i = 0; i < count; ++i) {
        const double v = speed(i);
        EXPECT_NEAR(result.event_state("lost", "y")[i], R * 2 / 3 + v * v / (3 * g), 1e-8) << i;
        const double fast = R - (4 - v * v / 2) / g;  // at v^2 / 2 = 4
        for (const char* event : {"fast", "turns", "half"}) {
          EXPECT_NEAR(result.event_state(event, "y")[i], fast, 1e-8) << event << i;
        }
      }
    }
  }
}

TEST(DerivedEvents, AreOfConditions) {
  for (const Backend backend : {Backend::cpu, Backend::reference}) {
    for (const Integrator integrator : test::all_integrators()) {
      Options options = options_of(backend, integrator);
      options.events = {{"both", "energy - g*y > 6 and y < 1", Crossing::rising, EventAction::record},
                        {"one", "energy - g*y > 6 or y < 1", Crossing::rising, EventAction::record},
                        {"not", "not atan2(x, y) < 1", Crossing::rising, EventAction::stop}};
      const Result result = run(slides(), options);
      for (std::size_t i = 0; i < count; ++i) {
        const double fast = R - (6 - speed(i) * speed(i) / 2) / g;  // at v^2 / 2 = 6
        EXPECT_NEAR(result.event_state("both", "y")[i], std::min(fast, 1.0), 1e-8) << i;
        EXPECT_NEAR(result.event_state("one", "y")[i], std::max(fast, 1.0), 1e-8) << i;
        EXPECT_NEAR(result.event_state("not", "y")[i], R * std::cos(1.0), 1e-8) << i;
        EXPECT_EQ(result.event_count("both")[i], 1) << i;
        EXPECT_EQ(result.status()[i], Status::stopped);
      }
    }
  }
}

TEST(DerivedEvents, LeaveTheMotionAndComeOutTheSameHoweverARunIsCut) {
  for (const Integrator integrator : test::all_integrators()) {
    const Options plain = options_of(Backend::cpu, integrator);
    Options watched = plain;
    watched.events = {{"lost", "lambda_1", Crossing::any, EventAction::record}};
    Options cut = watched;
    cut.block_members = 3;
    cut.threads = 3;
    cut.time.save_every = 5;
    const Result a = run(slides(), plain);
    const Result b = run(slides(), watched);
    const Result c = run(slides(), cut);
    const auto last = a.times().size() - 1;
    for (std::size_t i = 0; i < count; ++i) {
      EXPECT_EQ(a.values("x", last)[i], b.values("x", last)[i]);
      EXPECT_EQ(a.values("y_dot", last)[i], b.values("y_dot", last)[i]);
      EXPECT_EQ(b.event_time("lost")[i], c.event_time("lost")[i]);
      EXPECT_EQ(b.event_state("lost", "x")[i], c.event_state("lost", "x")[i]);
    }
  }
}

TEST(DerivedEvents, SayWhatWasNeverANumber) {
  for (const Backend backend : {Backend::cpu, Backend::reference}) {
    Options options = options_of(backend, Integrator::rk4);
    options.events = {{"never", "lambda_1/0", Crossing::any, EventAction::record},
                      {"not", "lambda_1 + energy + spin - 1e9", Crossing::any, EventAction::record}};
    const Result result = run(slides(), options);
    EXPECT_FALSE(result.summary.events[0].was_finite);
    EXPECT_TRUE(result.summary.events[1].was_finite);
  }
}

TEST(DerivedEvents, AreOfWhatASystemHas) {
  const auto message = [](const System& system, const std::string& when) -> std::string {
    return test::message_of([&] { watch_of({{"a", when}}, system.info); });
  };
  EXPECT_EQ(message(sliders(), "lambda_1 + energy + spin"), "");
  EXPECT_EQ(message(sliders(), "x - lambda_2"),
            "event \"a\": there is no lambda_2\n    x - lambda_2\n        ^^^^^^^^");
  EXPECT_EQ(message(events::projectiles(), "energy"), "event \"a\": there is no energy\n    energy\n    ^^^^^^");
}

}  // namespace
}  // namespace kalaba
