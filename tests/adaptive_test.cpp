// The embedded Runge-Kutta methods with a step for every member, and saved times anywhere: order, tolerances, agreement
// of the backends, independence of what is saved and of the neighbours, failures.

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <tuple>
#include <vector>

#include "adaptive/models.hpp"
#include "kalaba/ensemble.hpp"
#include "support/integrators.hpp"
#include "support/pseudo_inverses.hpp"

namespace kalaba {
namespace {

using adaptive::Bead;
using adaptive::Runaway;

const System& beads() {
  static const System system = make_system<Bead>();
  return system;
}
const System& runaways() {
  static const System system = make_system<Runaway>();
  return system;
}

struct Way {
  Backend backend = Backend::cpu;
  Integrator integrator = Integrator::dopri5;

  int order() const { return facts_of(integrator).order; }
};

Options adaptive_options(const System& system, const Way& way = {}, double tolerance = 1e-8) {
  Options options = default_options(system);
  options.backend = way.backend;
  options.threads = 1;
  options.method.integrator = way.integrator;
  options.method.relative_tolerance = tolerance;
  options.method.absolute_tolerance = tolerance;
  options.fields = {Field::q, Field::w, Field::violation};
  return options;
}

/// Beads of different speeds, from the first on: number i is the same in every such ensemble.
Ensemble bead_ensemble(long first, long count) {
  Ensemble ensemble(beads(), count);
  for (long i = 0; i < count; ++i) {
    ensemble.parameter("omega")[static_cast<std::size_t>(i)] = 1 + 0.37 * static_cast<double>((first + i) % 29);
  }
  ensemble.restart();
  return ensemble;
}

constexpr const char* state[] = {"x", "y", "x_dot", "y_dot"};

/// The greatest error of a lone bead over the frames from `first` on.
double error_of(const Result& result, std::size_t first = 0) {
  double error = 0;
  for (std::size_t frame = first; frame < result.times().size(); ++frame) {
    const double p[] = {1.0};
    double exact[4];
    double* const q = exact;
    double* const w = exact + 2;
    Bead::closed_form(p, result.times()[frame], q, w);
    for (int i = 0; i < 4; ++i) error = std::max(error, std::abs(result.values(state[i], frame)[0] - exact[i]));
  }
  return error;
}

std::vector<std::uint64_t> bits(const Result& result, std::size_t frame, std::size_t member) {
  std::vector<std::uint64_t> all;
  for (const char* name : state) all.push_back(std::bit_cast<std::uint64_t>(result.values(name, frame)[member]));
  return all;
}

/// Keeps the steps of every member.
class Steps final : public Sink {
 public:
  std::vector<double> accepted, rejected;
  void begin(const RunInfo&) override {}
  void write(const Frame&) override {}
  void end_block(const Block& block) override {
    accepted.insert(accepted.end(), block.accepted.begin(), block.accepted.begin() + block.members);
    rejected.insert(rejected.end(), block.rejected.begin(), block.rejected.begin() + block.members);
  }
  void finish(const Summary&) override {}
};
Steps steps_of(const Ensemble& ensemble, const Options& options) {
  Steps steps;
  Sink* const sinks[] = {&steps};
  run(ensemble.system(), ensemble, options, sinks);
  return steps;
}

std::vector<Way> all_ways() {
  std::vector<Way> ways;
  for (const Integrator integrator : test::adaptive_integrators()) {
    for (const Backend backend : {Backend::reference, Backend::cpu}) ways.push_back({backend, integrator});
  }
  return ways;
}
class OnBackend : public testing::TestWithParam<Way> {};
INSTANTIATE_TEST_SUITE_P(Backends, OnBackend, testing::ValuesIn(all_ways()), [](const auto& test) {
  return std::string(backend_name(test.param.backend)) + "_" + std::string(integrator_name(test.param.integrator));
});
class OfIntegrator : public testing::TestWithParam<Integrator> {};
INSTANTIATE_TEST_SUITE_P(, OfIntegrator, testing::ValuesIn(test::adaptive_integrators()),
                         [](const auto& test) { return std::string(integrator_name(test.param)); });

TEST_P(OnBackend, TheErrorFollowsTheTolerance) {
  for (const auto stabilization : {Stabilization::none(), Stabilization::projection()}) {
    for (const double tolerance : {1e-4, 1e-6, 1e-8, 1e-10}) {
      Options options = adaptive_options(beads(), GetParam(), tolerance);
      options.method.stabilization = stabilization;
      const double error = error_of(run(bead_ensemble(0, 1), options));
      EXPECT_LE(error, 100 * tolerance);
      EXPECT_GE(error, 1e-3 * tolerance);
    }
  }
}

TEST_P(OnBackend, StepsGrowInNumberWithTheRootOfTheToleranceThatTheOrderIs) {
  constexpr long fast = 28;  // many steps
  const double coarse = steps_of(bead_ensemble(fast, 1), adaptive_options(beads(), GetParam(), 1e-6)).accepted[0];
  const double fine = steps_of(bead_ensemble(fast, 1), adaptive_options(beads(), GetParam(), 1e-11)).accepted[0];
  const double expected = std::pow(1e5, 1.0 / GetParam().order());
  EXPECT_GE(fine / coarse, 0.7 * expected);
  EXPECT_LE(fine / coarse, 1.3 * expected);
}

/// Equal steps: so long that the tolerances never object.
Options equal_steps(const Way& way, double length) {
  Options options = adaptive_options(beads(), way, 0.9);
  options.method.absolute_tolerance = 1e3;
  options.method.largest_step = length;
  options.method.stabilization = Stabilization::none();
  options.time.dt = 1;
  options.time.save_every = 0;
  return options;
}
/// So long that rounding is far away.
double long_step(const Way& way) { return way.integrator == Integrator::dopri5 ? 0.125 : 0.5; }

TEST_P(OnBackend, HalvingTheStepShowsTheOrder) {
  const double length = long_step(GetParam());
  const double coarse = error_of(run(bead_ensemble(0, 1), equal_steps(GetParam(), length)));
  const double fine = error_of(run(bead_ensemble(0, 1), equal_steps(GetParam(), length / 2)));
  EXPECT_GE(std::log2(coarse / fine), GetParam().order() - 0.3);
  EXPECT_LE(std::log2(coarse / fine), GetParam().order() + 1.3);
}

/// 4 and 7: a step's own part of the error is of one order more.
TEST_P(OnBackend, TheContinuousExtensionHasOneOrderLess) {
  const double length = long_step(GetParam());
  const auto error_between = [&](double length) {
    Options options = equal_steps(GetParam(), length);
    for (double t = 0.37 * length; t < 4; t += length) options.save_at.push_back(t);
    return error_of(run(bead_ensemble(0, 1), options));
  };
  const double order = std::log2(error_between(length) / error_between(length / 2));
  EXPECT_GE(order, GetParam().order() - 0.3);
  EXPECT_LE(error_between(length / 2), 1e-6);
}

TEST_P(OnBackend, SavedTimesHoldTheConstraintsAndTheEnergy) {
  Options options = adaptive_options(beads(), GetParam());
  options.fields.add(Field::energy);
  for (int i = 0; i < 40; ++i) options.save_at.push_back(0.0937 * i);
  const Result result = run(bead_ensemble(0, 1), options);
  for (std::size_t frame = 0; frame < result.times().size(); ++frame) {
    EXPECT_LE(result.values("violation", frame)[0], 1e-14);
    EXPECT_NEAR(result.values("energy", frame)[0], 0.5, 1e-7);
  }
}

TEST_P(OnBackend, AgreesWithRungeKuttaOfSmallSteps) {
  Options small = adaptive_options(beads(), GetParam());
  small.method.integrator = Integrator::rk4;
  small.time.dt = 1.0 / 512;
  small.time.save_every = 512;
  const Result equal = run(bead_ensemble(0, 3), small);
  const Result adaptive = run(bead_ensemble(0, 3), adaptive_options(beads(), GetParam(), 1e-12));
  ASSERT_EQ(equal.times(), adaptive.times());
  for (std::size_t frame = 0; frame < equal.times().size(); ++frame) {
    for (std::size_t i = 0; i < 3; ++i) {
      for (const char* name : state) EXPECT_NEAR(equal.values(name, frame)[i], adaptive.values(name, frame)[i], 1e-9);
    }
  }
}

TEST_P(OnBackend, WhatIsSavedDoesNotChangeTheMotion) {
  for (const Integrator integrator : {Integrator::rk4, GetParam().integrator}) {
    Options options = adaptive_options(beads(), {GetParam().backend, integrator});
    const Result usual = run(bead_ensemble(0, 11), options);
    options.save_at = {0.001, 0.5, 1.7321, 3.99, 4};
    const Result anywhere = run(bead_ensemble(0, 11), options);
    options.save_at = {};
    options.time.save_every = 0;
    const Result last = run(bead_ensemble(0, 11), options);
    EXPECT_EQ(anywhere.times(), (std::vector<double>{0.001, 0.5, 1.7321, 3.99, 4}));
    EXPECT_EQ(last.times(), (std::vector<double>{4}));
    for (std::size_t i = 0; i < 11; ++i) {
      EXPECT_EQ(bits(usual, 4, i), bits(anywhere, 4, i));
      EXPECT_EQ(bits(usual, 4, i), bits(last, 0, i));
    }
    EXPECT_LE(error_of(anywhere), 5e-8) << integrator_name(integrator);
  }
}

TEST_P(OnBackend, AMemberThatNeedsTooSmallAStepFailsAloneAndInTime) {
  Ensemble ensemble(runaways(), 9);
  for (std::size_t i = 0; i < 9; ++i) ensemble.parameter("pole")[i] = i == 4 ? 0.875 : 3.0 + static_cast<double>(i);
  ensemble.restart();
  Options options = adaptive_options(runaways(), GetParam());
  options.fields = {Field::q, Field::w};
  const Result result = run(ensemble, options);
  EXPECT_EQ(result.summary.failed(), 1);
  EXPECT_EQ(result.status()[4], Status::step_too_small) << status_name(result.status()[4]);
  EXPECT_NEAR(result.failure_time()[4], 0.875, 1e-6);
  EXPECT_GT(result.values("x", 8)[4], 1e6);  // its last good state
  for (std::size_t i = 0; i < 9; ++i) {
    if (i == 4) continue;
    EXPECT_NEAR(result.values("x", 8)[i], 1 / (1.0 + static_cast<double>(i)), 1e-6) << i;
  }
  options.method.smallest_step = 1e-3;
  EXPECT_LT(run(ensemble, options).failure_time()[4], 0.8749);
}

TEST_P(OnBackend, AMemberThatCannotStartIsNotTouched) {
  Ensemble ensemble = bead_ensemble(0, 3);
  ensemble.initial("x_dot")[1] = std::numeric_limits<double>::quiet_NaN();
  const Result result = run(ensemble, adaptive_options(beads(), GetParam()));
  EXPECT_EQ(result.status()[1], Status::non_finite);
  EXPECT_EQ(result.failure_time()[1], 0);
  EXPECT_EQ(result.status()[2], Status::ok);
}

TEST_P(OfIntegrator, TheCpuTakesTheStepsOfTheReference) {
  for (const PseudoInverse inverse : test::all_pseudo_inverses()) {
    Options options = adaptive_options(beads(), {Backend::cpu, GetParam()});
    options.save_at = {0.1, 0.5, 1.7321, 3.3, 4};
    options.time.dt = 0.5;  // too long for the fast ones
    options.method.pseudo_inverse = inverse;
    const Steps cpu = steps_of(bead_ensemble(0, 29), options);
    const Result ours = run(bead_ensemble(0, 29), options);
    options.backend = Backend::reference;
    const Steps reference = steps_of(bead_ensemble(0, 29), options);
    const Result oracle = run(bead_ensemble(0, 29), options);
    EXPECT_EQ(cpu.accepted, reference.accepted);
    EXPECT_EQ(cpu.rejected, reference.rejected);
    EXPECT_GT(ours.summary.rejected_steps, 0);
    EXPECT_EQ(ours.summary.rejected_steps, oracle.summary.rejected_steps);
    EXPECT_EQ(ours.summary.member_steps, oracle.summary.member_steps);
    for (std::size_t frame = 0; frame < ours.times().size(); ++frame) {
      for (const char* name : state) {
        for (std::size_t i = 0; i < 29; ++i) {
          EXPECT_NEAR(ours.values(name, frame)[i], oracle.values(name, frame)[i], 1e-10);
        }
      }
    }
  }
}

TEST_P(OfIntegrator, AMemberDoesNotDependOnItsNeighboursNorOnTheBlock) {
  for (const auto precision : {Precision::double_precision, Precision::single_precision}) {
    Options options = adaptive_options(beads(), {Backend::cpu, GetParam()});
    options.save_at = {0.1, 0.5, 1.7321, 3.3, 4};
    options.precision = precision;
    if (precision == Precision::single_precision) {
      options.method.rank_tolerance = 1e-4;
      options.method.relative_tolerance = options.method.absolute_tolerance = 1e-4;
    }
    const Result whole = run(bead_ensemble(0, 100), options);
    ASSERT_EQ(whole.summary.failed(), 0);
    options.block_members = 7;
    const Result blocked = run(bead_ensemble(0, 100), options);
    options.block_members = 0;
    const Result shifted = run(bead_ensemble(5, 40), options);
    for (std::size_t frame = 0; frame < whole.times().size(); ++frame) {
      for (std::size_t i = 0; i < 100; ++i) EXPECT_EQ(bits(whole, frame, i), bits(blocked, frame, i));
      for (std::size_t i = 0; i < 40; ++i) EXPECT_EQ(bits(whole, frame, i + 5), bits(shifted, frame, i));
    }
    for (const long member : {0L, 3L, 28L}) {
      const Result alone = run(bead_ensemble(member, 1), options);
      EXPECT_EQ(bits(alone, 4, 0), bits(whole, 4, static_cast<std::size_t>(member)));
    }
  }
}

TEST_P(OfIntegrator, SinglePrecisionKeepsTimeOverManySteps) {
  Options options = adaptive_options(beads(), {Backend::cpu, GetParam()});
  options.precision = Precision::single_precision;
  options.method.rank_tolerance = 1e-4;
  options.method.relative_tolerance = options.method.absolute_tolerance = 2e-5;
  options.method.largest_step = 1e-3;  // 4000 steps, whose rounding would add up
  EXPECT_LE(error_of(run(bead_ensemble(0, 1), options)), 1e-4);
}

std::string refusal(const Options& options) {
  try {
    run(bead_ensemble(0, 1), options);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::bad_input);
    return error.what();
  }
  return "";
}

TEST(Adaptive, RefusesWhatMakesNoSense) {
  const auto said = [](auto change) {
    Options options = adaptive_options(beads());
    change(options);
    return refusal(options);
  };
  EXPECT_EQ(said([](Options& o) { o.method.relative_tolerance = 1e-15; }),
            "bead: relative_tolerance must be between 100 epsilon of the precision, 2.22e-14, and 1");
  EXPECT_EQ(said([](Options& o) { o.method.absolute_tolerance = 0; }), "bead: absolute_tolerance must be positive");
  EXPECT_EQ(said([](Options& o) { o.method.largest_step = -1; }),
            "bead: largest_step and smallest_step must be positive, or 0");
  EXPECT_EQ(said([](Options& o) { o.save_at = {1, 5}; }), "bead: save_at must hold times from time.start to time.end");
  EXPECT_EQ(said([](Options& o) { o.save_at = {1, 1}; }), "bead: save_at must ascend");
}

}  // namespace
}  // namespace kalaba
