// Lyapunov exponents of runs: for any saved times, on every backend, interrupted, in shards.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "kalaba/ensemble.hpp"
#include "kalaba/sensitivities.hpp"
#include "lyapunov/exponents_of.hpp"
#include "support/checkpoint_keeper.hpp"

namespace kalaba::lyapunov {
namespace {

using test::Keeper;

/// Double pendulum over 3 s with steps of 1 ms by default.
Scenario double_pendulum(std::vector<std::string> overrides) {
  for (const std::string key : {"time.end=3", "time.dt=1e-3"}) {
    const std::string name = key.substr(0, key.find('=') + 1);
    const auto is_said = [&](const std::string& each) { return each.starts_with(name); };
    if (std::ranges::none_of(overrides, is_said)) overrides.push_back(key);
  }
  overrides.emplace_back("structure.links=2");
  return named("chain", overrides);
}

std::string by(const char* integrator) { return std::string("solver.integrator=") + integrator; }

TEST(LyapunovRuns, DoNotDependOnHowOftenTheyAreSaved) {
  for (const char* integrator : {"rk4", "dopri5", "dop853"}) {
    const Exponents often = exponents_of(double_pendulum({by(integrator), "time.save_every=10"}));
    const Exponents seldom = exponents_of(double_pendulum({by(integrator), "time.save_every=500"}));
    const Exponents between =
        exponents_of(double_pendulum({by(integrator), "time.save_at=[0.3333, 1.23456, 2.00017, 3.0]"}));
    for (std::size_t i = 0; i < 4; ++i) {
      EXPECT_NEAR(seldom.last()[i], often.last()[i], 1e-7 * std::abs(often.last()[i])) << integrator << i;
      EXPECT_NEAR(between.last()[i], often.last()[i], 1e-7 * std::abs(often.last()[i])) << integrator << i;
    }
    EXPECT_GT(often.last()[0], 0.3);
  }
}

TEST(LyapunovRuns, AreTheReferences) {
  for (const char* integrator : {"rk4", "dopri5", "dop853"}) {
    const std::vector<std::string> overrides = {by(integrator), "time.end=0.4", "time.dt=4e-3",
                                                "time.save_at=[0.0991, 0.2, 0.4]"};
    Scenario other = double_pendulum(overrides);
    other.options.backend = Backend::reference;
    const Exponents expected = exponents_of(other);
    const Exponents found = exponents_of(double_pendulum(overrides));
    for (std::size_t frame = 0; frame < 3; ++frame) {
      for (std::size_t i = 0; i < 4; ++i) {
        EXPECT_NEAR(found.at(frame)[i], expected.at(frame)[i], 1e-7) << integrator << ' ' << frame << ' ' << i;
      }
      for (std::size_t i = 4; i < 8; ++i) EXPECT_TRUE(std::isnan(expected.at(frame)[i]));
    }
  }
}

std::vector<std::string> five_members(const char* integrator) {
  return {by(integrator), "parameters.L={values=[0.8, 0.9, 1.0, 1.1, 1.2]}", "time.end=0.5",
          "time.save_at=[0.1, 0.23456, 0.3, 0.5]"};
}

void expect_same_bits(const std::vector<double>& one, const std::vector<double>& other) {
  ASSERT_EQ(one.size(), other.size());
  for (std::size_t i = 0; i < one.size(); ++i) {
    if (!std::isnan(one[i]) || !std::isnan(other[i])) {
      EXPECT_EQ(one[i], other[i]) << i;
    }
  }
}

TEST(LyapunovRuns, HaveTheSameBitsInBlocksAndParts) {
  for (const char* integrator : {"rk4", "dop853"}) {
    const Exponents whole = exponents_of(double_pendulum(five_members(integrator)));
    std::vector<std::string> in_blocks = five_members(integrator);
    in_blocks.insert(in_blocks.end(), {"solver.block_members=2", "solver.threads=1"});
    const Exponents blocks = exponents_of(double_pendulum(in_blocks));
    const Exponents part = exponents_of(double_pendulum(five_members(integrator)), {2, 2});
    EXPECT_FALSE(std::isnan(whole.last()[0]));
    for (std::size_t frame = 0; frame < 4; ++frame) {
      for (std::size_t i = 0; i < 5; ++i) expect_same_bits(blocks.at(frame, i), whole.at(frame, i));
      for (std::size_t i = 0; i < 2; ++i) expect_same_bits(part.at(frame, i), whole.at(frame, 2 + i));
    }
    EXPECT_EQ(blocks.whole.lyapunov.greatest, whole.whole.lyapunov.greatest);
    EXPECT_EQ(blocks.whole.lyapunov.least, whole.whole.lyapunov.least);
  }
}

/// Exponents of a run resumed from a checkpoint, for the later saved times.
std::vector<std::vector<double>> resumed(const Scenario& scenario, const BlockCheckpoint& place,
                                         const Summary& before) {
  struct Later final : Sink {
    void begin(const RunInfo&) override {}
    void write(const Frame& frame) override {
      const auto values = frame.values(Field::lyapunov_exponents);
      rows.emplace_back();
      for (std::size_t i = 0; i < values.size(); i += static_cast<std::size_t>(frame.block.stride)) {
        rows.back().push_back(values[i + 1]);  // of member 1
      }
    }
    void end_block(const Block&) override {}
    void finish(const Summary&) override {}
    std::vector<std::vector<double>> rows;
  };
  Keeper keeper(&place);
  Later later;
  Sink* const sinks[] = {&keeper, &later};
  run(*scenario.system, *scenario.source, scenario.options, sinks, {}, {}, {0, -1, before});
  return later.rows;
}

TEST(LyapunovRuns, GoOnWithTheSameBits) {
  for (const char* integrator : {"rk4", "dopri5"}) {
    const Scenario scenario = double_pendulum(five_members(integrator));
    const Exponents unbroken = exponents_of(scenario);
    Keeper keeper;
    Sink* const sinks[] = {&keeper};
    run(*scenario.system, *scenario.source, scenario.options, sinks);
    ASSERT_GE(keeper.places.size(), 3U);
    for (std::size_t k = 0; k < keeper.places.size(); ++k) {
      const BlockCheckpoint& place = keeper.places[k];
      const auto rows = resumed(scenario, place, keeper.before[k]);
      ASSERT_EQ(rows.size(), 4U - static_cast<std::size_t>(place.frame));
      for (std::size_t i = 0; i < rows.size(); ++i) {
        expect_same_bits(rows[i], unbroken.at(static_cast<std::size_t>(place.frame) + i, 1));
      }
    }
  }
}

/// A member whose rank changes, or that is near a singular position, has no exponents; other members have them.
TEST(LyapunovRuns, EndNearSingularPositions) {
  const Exponents found =
      exponents_of(named("four_bar_windows", {"sensitivities.of=[\"initial.x1\", \"initial.x1_dot\"]",
                                              "parameters.g={values=[9.81, 0.001]}", "time.dt=5e-3", "time.end=0.7",
                                              "time.save_every=20", "solver.backend=reference"}));
  EXPECT_EQ(found.whole.singular_passages, 1);
  EXPECT_FALSE(std::isnan(found.at(1, 0)[0]));
  EXPECT_TRUE(std::isnan(found.last(0)[0]));
  EXPECT_FALSE(std::isnan(found.last(1)[0]));
  EXPECT_EQ(found.whole.lyapunov.members, 1);
}

TEST(LyapunovRuns, AreOfEnsemblesToo) {
  const System system = with_lyapunov_exponents(find_system("chain", {{"links", 2}}), {"initial.*"});
  Options options = default_options(system);
  options.backend = Backend::reference;
  options.time.end = 10 * options.time.dt;
  options.time.save_every = 5;
  options.fields = {Field::q, Field::lyapunov_exponents};
  const Result result = run(Ensemble(system, 1), options);
  EXPECT_TRUE(std::isfinite(result.values("lyapunov_4", 2)[0]));
  EXPECT_GT(result.values("lyapunov_1", 2)[0], result.values("lyapunov_4", 2)[0]);
  EXPECT_THROW(with_lyapunov_exponents(system, {"parameters.L"}), Error);
  options.project_start = false;
  EXPECT_THROW(run(Ensemble(system, 1), options), Error);
}

}  // namespace
}  // namespace kalaba::lyapunov
