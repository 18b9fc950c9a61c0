// Calls of backends that return early: within a short time, with bitwise identical results, and without loss of work.

#include <gtest/gtest.h>

#include <bit>
#include <chrono>
#include <cstdint>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "adaptive/bead_runs.hpp"
#include "backend/backends.hpp"
#include "engine/run/engine.hpp"
#include "support/checkpoint_keeper.hpp"
#include "support/integrators.hpp"
#include "support/interrupter.hpp"

namespace kalaba {
namespace {

using test::Keeper;

using adaptive::bead_ensemble;
using adaptive::beads;
using Clock = std::chrono::steady_clock;

struct Way {
  Backend backend;
  Integrator integrator;
  bool watches;
};

class Paused : public testing::TestWithParam<Way> {
 protected:
  static Options options() {
    const auto& [backend, integrator, watches] = GetParam();
    Options options = test::interpreted_options(beads());
    options.backend = backend;
    test::set_integrator(options, integrator);
    options.threads = 2;
    if (watches) {
      options.events = {{"top", "y - 0.999", Crossing::any, EventAction::record},
                        {"end", "x + 0.9 - t / 40", Crossing::falling, EventAction::stop}};
    }
    return options;
  }
};

std::vector<Way> all_ways() {
  std::vector<Way> ways;
  for (const Backend backend : {Backend::cpu, Backend::reference}) {
    for (const Integrator integrator : test::all_integrators()) {
      for (const bool watches : {false, true}) ways.push_back({backend, integrator, watches});
    }
  }
  return ways;
}
INSTANTIATE_TEST_SUITE_P(, Paused, testing::ValuesIn(all_ways()), [](const auto& test) {
  return std::string(backend_name(test.param.backend)) + "_" + std::string(integrator_name(test.param.integrator)) +
         (test.param.watches ? "_watched" : "");
});

struct Moved {
  std::vector<std::uint64_t> bits;
  std::vector<Status> status;
  long pauses = 0;
};

constexpr long beads_moved = 29;

/// Beads of different speeds in an order that puts slow and fast ones side by side.
Ensemble shuffled_beads() {
  Ensemble ensemble(beads(), beads_moved);
  for (long i = 0; i < beads_moved; ++i) {
    ensemble.parameter("omega")[static_cast<std::size_t>(i)] = 1 + 0.37 * static_cast<double>(i * 11 % beads_moved);
  }
  ensemble.restart();
  return ensemble;
}

/// Final states of `members` beads from number `first` on, integrated in calls of 100 steps. With an interrupter, every
/// second pause on the CPU goes on with another runner, as a resumed run does.
Moved moved(const Options& asked, const test::Interrupter* interrupter = nullptr, long first = 0,
            long members = beads_moved) {
  Options options = asked;
  options.watch = watch_of(options.events, beads().info);
  options.method.pseudo_inverse = PseudoInverse::svd;
  const auto ensemble = shuffled_beads();
  auto runner = choose_backend(beads(), options).runner;
  Block block(1, 2, 2, members, Block::alignment, options.watch.count);
  block.assign(first, members);
  ensemble.fill(block);
  runner->start(block, options.time.start, true);
  Moved result;
  if (interrupter != nullptr) runner->pause_on(interrupter->word());
  const long steps = options.time.steps();
  for (long step = 0; step < steps;) {
    const long count = std::min(steps - step, 100L);
    while (!runner->advance(block, options.time, step, count)) {
      EXPECT_NE(interrupter, nullptr);
      EXPECT_EQ(block.under_way, count);
      if (++result.pauses % 2 == 0 && options.backend == Backend::cpu) {  // others keep members in the runner
        runner = choose_backend(beads(), options).runner;
        runner->pause_on(interrupter->word());
      }
    }
    EXPECT_EQ(block.under_way, 0);
    step += count;
  }
  result.status.assign(block.status.begin(), block.status.begin() + members);
  const auto take = [&](const std::vector<double>& rows) {
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if (static_cast<long>(i) % block.stride < members) result.bits.push_back(std::bit_cast<std::uint64_t>(rows[i]));
    }
  };
  for (const auto* rows : {&block.q, &block.w, &block.failure_time, &block.accepted, &block.rejected, &block.events}) {
    take(*rows);
  }
  return result;
}

TEST_P(Paused, MembersHaveTheSameBits) {
  Options options = Paused::options();
  options.time = {.start = 0, .end = 60, .dt = 1.0 / 64, .save_every = 64};
  const Moved unbroken = moved(options);
  EXPECT_EQ(unbroken.pauses, 0);
  long pauses = 0;
  const test::Interrupter interrupter;
  for (int repetition = 0; repetition < 500 && pauses < 4; ++repetition) {  // a loaded machine pauses few runs
    const Moved paused = moved(options, &interrupter);
    pauses += paused.pauses;
    ASSERT_EQ(paused.status, unbroken.status);
    ASSERT_EQ(paused.bits, unbroken.bits);
  }
  EXPECT_GT(pauses, 3);
}

/// Adaptive steps put members of similar speed into one pack; their bits are those of a member alone.
TEST_P(Paused, MembersHaveTheBitsOfMembersAlone) {
  Options options = Paused::options();
  options.time = {.start = 0, .end = 20, .dt = 1.0 / 64, .save_every = 64};
  const Moved together = moved(options);
  const std::size_t rows = together.bits.size() / beads_moved;
  for (long i = 0; i < beads_moved; i += 4) {
    const auto member = static_cast<std::size_t>(i);
    const Moved alone = moved(options, nullptr, i, 1);
    ASSERT_EQ(alone.status[0], together.status[member]);
    for (std::size_t row = 0; row < rows; ++row) {
      ASSERT_EQ(alone.bits[row], together.bits[row * beads_moved + member]) << "member " << i << ", row " << row;
    }
  }
}

/// Seconds from a stop request to the end of a run.
double stop_latency(const Options& options) {
  std::stop_source stop;
  Clock::time_point requested;
  Clock::time_point returned;
  {
    const std::jthread stopper([&] {
      std::this_thread::sleep_for(std::chrono::milliseconds(250));
      requested = Clock::now();
      stop.request_stop();
    });
    const auto ensemble = bead_ensemble(0, 29);
    const Summary summary = run(beads(), ensemble, options, {}, {}, stop.get_token());
    returned = Clock::now();
    EXPECT_TRUE(summary.interrupted);
    EXPECT_EQ(summary.finished_members, 0);
  }
  return std::chrono::duration<double>(returned - requested).count();
}

TEST_P(Paused, ARunStopsWithinHalfASecond) {
  for (const double stiffness : {1.0, 1e-9}) {  // of a step of the grid the first is a part, the second all
    Options options = Paused::options();
    if (!options.events.empty()) options.events.pop_back();
    options.time = {.start = 0, .end = 1, .dt = 1e-9, .save_every = 0};
    if (adapts(options.method.integrator)) {
      options.time.dt = stiffness;
      options.method.largest_step = 1e-9;
    }
    EXPECT_LT(stop_latency(options), 0.5) << "saved at the end";
    options.time.save_every = 1'000'000;
    EXPECT_LT(stop_latency(options), 0.5) << "saved at steps";
    options.save_at = {0.123, 0.5};
    EXPECT_LT(stop_latency(options), 0.5) << "saved between steps";
    if (!adapts(options.method.integrator)) break;
  }
}

/// Adaptive steps take several tenths of a second within one step of the grid: a run can be resumed from within it,
/// also after another interruption.
TEST(PausedRuns, GoOnFromWithinAStepOfTheGrid) {
  for (const Integrator integrator : test::adaptive_integrators()) {
    Options options = test::interpreted_options(beads());
    options.backend = Backend::cpu;
    options.threads = 1;
    test::set_integrator(options, integrator);
    options.method.largest_step = 5e-6;
    options.time = {.start = 0, .end = 1, .dt = 1, .save_every = 1};
    options.events = {{"top", "y - 0.999", Crossing::any, EventAction::record}};
    options.fields = {Field::q, Field::w};
    const auto ensemble = bead_ensemble(0, 9);
    const auto integrate = [&](Keeper& keeper, std::stop_token stop, const Summary& before) {
      Sink* const sinks[] = {&keeper};
      return run(beads(), ensemble, options, sinks, {}, std::move(stop), {0, -1, before});
    };
    Keeper unbroken(nullptr);
    const Summary whole = integrate(unbroken, {}, {});
    ASSERT_FALSE(whole.interrupted);
    ASSERT_GT(unbroken.places.size(), 1U);
    BlockCheckpoint place = unbroken.places.front();
    Summary before = unbroken.before.front();
    EXPECT_EQ(place.step, 0);
    for (bool done = false; !done;) {
      Keeper resumed(&place);
      std::stop_source stop;
      const std::jthread stopper([&] {
        std::this_thread::sleep_for(std::chrono::milliseconds(200));
        stop.request_stop();
      });
      const Summary part = integrate(resumed, stop.get_token(), before);
      done = !part.interrupted;
      if (!done) {
        ASSERT_FALSE(resumed.places.empty());
        place = resumed.places.back();
        before = resumed.before.back();
        continue;
      }
      EXPECT_EQ(resumed.frames.rbegin()->second, unbroken.frames.rbegin()->second);
      EXPECT_EQ(part.member_steps, whole.member_steps);
      EXPECT_EQ(part.events[0].crossings, whole.events[0].crossings);
      EXPECT_EQ(part.events[0].latest, whole.events[0].latest);
    }
  }
}

}  // namespace
}  // namespace kalaba
