// Integrators with a step size per member, and arbitrary saved times: order, tolerances, independence
// of the saved data, failures, on every backend.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>
#include <vector>

#include "adaptive/bead_runs.hpp"
#include "support/integrators.hpp"

namespace kalaba {
namespace {

using namespace adaptive;

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

/// Fixed step length, with tolerances that every step satisfies.
Options equal_steps(const Way& way, double length) {
  Options options = adaptive_options(beads(), way, 0.9);
  options.method.absolute_tolerance = 1e3;
  options.method.largest_step = length;
  options.method.stabilization = Stabilization::none();
  options.time.dt = 1;
  options.time.save_every = 0;
  return options;
}
/// Step length at which errors are far above rounding.
double long_step(const Way& way) { return way.order() == 5 ? 0.125 : 0.5; }

TEST_P(OnBackend, HalvingTheStepShowsTheOrder) {
  const double length = long_step(GetParam());
  const double coarse = error_of(run(bead_ensemble(0, 1), equal_steps(GetParam(), length)));
  const double fine = error_of(run(bead_ensemble(0, 1), equal_steps(GetParam(), length / 2)));
  EXPECT_GE(std::log2(coarse / fine), GetParam().order() - 0.3);
  EXPECT_LE(std::log2(coarse / fine), GetParam().order() + 1.3);
}

/// Orders 4 and 7: the local part of the error has one order more.
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

TEST_P(OnBackend, AMemberThatNeedsMoreStepsThanAllowedFailsAlone) {
  const Ensemble ensemble = bead_ensemble(0, 29);
  Options options = adaptive_options(beads(), GetParam());
  options.time.dt = 0.5;  // too long for the fast ones, which reject it
  options.time.save_every = 2;
  const Result free = run(ensemble, options);
  const Steps needed = steps_of(ensemble, options);
  const auto all = [](const Steps& steps, std::size_t i) { return steps.accepted[i] + steps.rejected[i]; };
  options.method.max_steps = all(needed, 14);
  const Result bounded = run(ensemble, options);
  const Steps made = steps_of(ensemble, options);
  options.block_members = 3;
  const Result blocked = run(ensemble, options);
  long failed = 0;
  for (std::size_t i = 0; i < 29; ++i) {
    EXPECT_EQ(all(made, i), std::min(all(needed, i), options.method.max_steps)) << i;
    EXPECT_EQ(bits(bounded, 4, i), bits(blocked, 4, i)) << i;
    EXPECT_EQ(bounded.failure_time()[i] == blocked.failure_time()[i], bounded.status()[i] != Status::ok) << i;
    if (all(needed, i) <= options.method.max_steps) {
      EXPECT_EQ(bounded.status()[i], Status::ok) << i;
      EXPECT_EQ(bits(bounded, 4, i), bits(free, 4, i)) << i;
    } else {
      EXPECT_EQ(bounded.status()[i], Status::too_many_steps) << i;
      EXPECT_LT(bounded.failure_time()[i], 4) << i;
      EXPECT_GT(bounded.failure_time()[i], 0) << i;
      ++failed;
    }
  }
  EXPECT_GT(failed, 5);
  EXPECT_LT(failed, 24);
  EXPECT_EQ(bounded.summary.failed(), failed);
}

TEST_P(OnBackend, AMemberThatCannotStartIsNotTouched) {
  Ensemble ensemble = bead_ensemble(0, 3);
  ensemble.initial("x_dot")[1] = std::numeric_limits<double>::quiet_NaN();
  const Result result = run(ensemble, adaptive_options(beads(), GetParam()));
  EXPECT_EQ(result.status()[1], Status::non_finite);
  EXPECT_EQ(result.failure_time()[1], 0);
  EXPECT_EQ(result.status()[2], Status::ok);
}

}  // namespace
}  // namespace kalaba
