// Steps of the embedded Runge-Kutta methods: agreement with the reference for any neighbours and block; single
// precision; errors.

#include <gtest/gtest.h>

#include "adaptive/bead_runs.hpp"
#include "support/error_of.hpp"
#include "support/integrators.hpp"
#include "support/pseudo_inverses.hpp"

namespace kalaba {
namespace {

using namespace adaptive;

class OfIntegrator : public testing::TestWithParam<Integrator> {};
INSTANTIATE_TEST_SUITE_P(, OfIntegrator, testing::ValuesIn(test::adaptive_integrators()),
                         [](const auto& test) { return std::string(integrator_name(test.param)); });

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
      options.compile = Compile::automatic;
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
  options.compile = Compile::automatic;
  options.method.rank_tolerance = 1e-4;
  options.method.relative_tolerance = options.method.absolute_tolerance = 2e-5;
  options.method.largest_step = 1e-3;  // 4000 steps, whose rounding would add up
  EXPECT_LE(error_of(run(bead_ensemble(0, 1), options)), 1e-4);
}

std::string refusal(const Options& options) {
  return test::message_of([&] { run(bead_ensemble(0, 1), options); });
}

TEST(Adaptive, RefusesWhatMakesNoSense) {
  const auto said = [](auto change) {
    Options options = adaptive_options(beads());
    change(options);
    return refusal(options);
  };
  EXPECT_EQ(said([](Options& o) { o.method.relative_tolerance = 1e-15; }),
            "bead: solver.relative_tolerance: expected a number from 2.2e-14 (100 epsilon of double precision) to 1, "
            "found 1e-15");
  EXPECT_EQ(said([](Options& o) { o.method.absolute_tolerance = 0; }),
            "bead: solver.absolute_tolerance: expected a number greater than 0, found 0");
  EXPECT_EQ(said([](Options& o) { o.method.largest_step = -1; }),
            "bead: solver.largest_step: expected a number of seconds greater than 0, found -1");
  EXPECT_EQ(said([](Options& o) { o.pair_tolerance = -1; }), "");  // has no effect without pairs
  EXPECT_EQ(said([](Options& o) { o.threads_per_member = 5; }),
            "bead: solver.threads_per_member: expected one of 0, 1, 4, 8, 16, 32, found 5");
  for (const double most : {-1.0, 0.5, 1e300}) {
    EXPECT_TRUE(said([&](Options& o) {
                  o.method.max_steps = most;
                }).starts_with("bead: solver.max_steps: expected a whole number from 1 to 9007199254740992, found "));
  }
  EXPECT_EQ(said([](Options& o) {
              o.precision = Precision::single_precision;
              o.method.relative_tolerance = 1e-4;
              o.method.max_steps = 16777217;
            }),
            "bead: solver.max_steps: expected a whole number from 1 to 16777216, found 16777217");
  EXPECT_EQ(said([](Options& o) { o.save_at = {1, 5}; }), "bead: save_at must hold times from time.start to time.end");
  EXPECT_EQ(said([](Options& o) { o.save_at = {1, 1}; }), "bead: save_at must ascend");
  EXPECT_EQ(said([](Options& o) {
              o.save_at = {1e-15, 2e-15};
            }),
            "bead: save_at must ascend by more than rounding: two of its times are the same step");
}

}  // namespace
}  // namespace kalaba
