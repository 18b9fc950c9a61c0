// The Rosenbrock method: stiff systems against closed forms, published digits and an explicit method; the catalogue;
// units, lanes, events, bad input; detection of stiffness in explicit steps.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>
#include <vector>

#include "adaptive/bead_runs.hpp"
#include "kalaba/error.hpp"
#include "report/text/summary.hpp"
#include "rosenbrock/models.hpp"
#include "scenario/scenario.hpp"
#include "support/error_of.hpp"

namespace kalaba {
namespace {

using adaptive::steps_of;

Options stiff_options(const System& system, double tolerance, Backend backend = Backend::cpu) {
  Options options = default_options(system);
  options.threads = 1;
  options.backend = backend;
  options.compile = backend == Backend::cpu ? Compile::always : Compile::automatic;
  options.method.integrator = Integrator::rodas5p;
  options.method.relative_tolerance = tolerance;
  options.method.absolute_tolerance = 1e-3 * tolerance;
  options.fields = {Field::q, Field::w};
  return options;
}

const System& chain() {
  static const Scenario scenario = load_scenario_text(stiff::chain_text, "chain.toml", {}, {});
  return *scenario.system;
}
const System& followers() {
  static const System system = make_system<stiff::Follower>();
  return system;
}
const System& oscillators() {
  static const System system = make_system<stiff::VanDerPol>();
  return system;
}

double last_value(const Result& result, const std::string& name, std::size_t member = 0) {
  return result.values(name, result.times().size() - 1)[member];
}
double distance(const System& system, const Result& one, const Result& other) {
  double most = 0;
  for (const Variable& each : system.info.coordinates) {
    most = std::max(most, std::abs(last_value(one, each.name) - last_value(other, each.name)));
  }
  return most;
}

class RosenbrockOn : public testing::TestWithParam<Backend> {};
INSTANTIATE_TEST_SUITE_P(, RosenbrockOn, testing::Values(Backend::cpu, Backend::reference),
                         [](const auto& test) { return std::string(backend_name(test.param)); });

/// Motion along a time-dependent slow manifold: the step size does not depend on the stiffness.
TEST_P(RosenbrockOn, FollowsASlowMotion) {
  for (const double stiffness : {1e2, 1e6, 1e10}) {
    Ensemble ensemble(followers(), 1);
    ensemble.parameter("k")[0] = ensemble.parameter("c")[0] = stiffness;
    ensemble.restart();
    const Options options = stiff_options(followers(), 1e-7, GetParam());
    const Result result = run(ensemble, options);
    ASSERT_EQ(result.status()[0], Status::ok);
    for (std::size_t frame = 0; frame < result.times().size(); ++frame) {
      EXPECT_NEAR(result.values("x", frame)[0], std::cos(result.times()[frame]), 3e-6) << stiffness;
    }
    EXPECT_LE(steps_of(ensemble, options).accepted[0], 120) << stiffness;
  }
}

/// Digits of the reference solution in the test set of Hairer and Wanner, also published by Mazzia and Magherini.
TEST_P(RosenbrockOn, VanDerPolHasThePublishedDigits) {
  const Result result = run(Ensemble(oscillators(), 1), stiff_options(oscillators(), 1e-8, GetParam()));
  ASSERT_EQ(result.status()[0], Status::ok);
  EXPECT_NEAR(last_value(result, "x"), 0.1706167732170483e1, 1e-6);
  EXPECT_NEAR(last_value(result, "x_dot"), -0.8928097010247975, 1e-6);
  EXPECT_LE(result.summary.member_steps, 3000);
}

/// The numbers are those of SciPy's Radau at a relative tolerance of 1e-12, of the equations of the angle of the rods,
/// the height of the slider and the angular momentum; its BDF agrees to 4e-10.
TEST_P(RosenbrockOn, TheFlyballGovernorMovesAsItsReducedEquations) {
  struct Instant {
    double s, alpha, s_dot, alpha_dot, turn;
  };
  const Instant exact[] = {{0.50142092238, 0.521833301626, -0.122151492898, 0.140885579479, 5.58634696587},
                           {0.505909294297, 0.516663797365, -0.240783146984, 0.276926188572, 11.1732670757},
                           {0.535563103722, 0.482874576587, -0.543682690278, 0.613917047389, 27.942531991},
                           {0.619622917061, 0.390073701845, -0.747603354165, 0.808467051346, 55.9354099091}};
  const Scenario scenario = load_scenario_text(stiff::governor_text, "governor.toml", {}, {});
  Options options = stiff_options(*scenario.system, 1e-8, GetParam());
  options.time = scenario.options.time;
  options.save_at = scenario.options.save_at;
  const Result result = run(Ensemble(*scenario.system, 1), options);
  ASSERT_EQ(result.status()[0], Status::ok);
  for (std::size_t frame = 0; frame < std::size(exact); ++frame) {
    const Instant& at = exact[frame];
    EXPECT_NEAR(result.values("s", frame)[0], at.s, 3e-8) << frame;
    EXPECT_NEAR(result.values("alpha", frame)[0], at.alpha, 3e-8) << frame;
    EXPECT_NEAR(result.values("beta", frame)[0], at.alpha, 3e-8) << frame;
    EXPECT_NEAR(result.values("s_dot", frame)[0], at.s_dot, 1e-7) << frame;
    EXPECT_NEAR(result.values("alpha_dot", frame)[0], at.alpha_dot, 1e-7) << frame;
    EXPECT_NEAR(result.values("turn", frame)[0], at.turn, 1e-7) << frame;
  }
}

TEST(Rosenbrock, TheStiffChainOfRedundantRowsTakesFewSteps) {
  const Options options = stiff_options(chain(), 1e-5);
  const Ensemble ensemble(chain(), 1);
  const Result coarse = run(ensemble, options);
  const Result fine = run(ensemble, stiff_options(chain(), 1e-9));
  ASSERT_EQ(coarse.status()[0], Status::ok);
  EXPECT_EQ(coarse.summary.rank_changes, 0);
  EXPECT_LE(distance(chain(), coarse, fine), 1e-8);
  EXPECT_LE(coarse.summary.member_steps, 151) << "1.2 times the 126 steps of Rodas4";
  EXPECT_LE(coarse.summary.worst_violation, 1e-14);
  EXPECT_NEAR(last_value(fine, "x8"), -1.56035089, 2e-8) << "an independent program";
  EXPECT_NEAR(last_value(fine, "y8"), -1.25112151, 2e-8);
}

TEST(Rosenbrock, AMemberOfAStiffEnsembleDoesNotDependOnItsNeighbours) {
  Ensemble ensemble(chain(), 11);
  for (std::size_t i = 0; i < 11; ++i) ensemble.parameter("eta")[i] = 1e3 * std::pow(4.0, static_cast<double>(i % 5));
  ensemble.restart();
  Options options = stiff_options(chain(), 1e-4);
  options.time.end = 0.1;
  const Result together = run(ensemble, options);
  for (const std::size_t i : {0UL, 4UL, 10UL}) {
    Ensemble single(chain(), 1);
    single.parameter("eta")[0] = ensemble.parameter("eta")[i];
    single.restart();
    const Result alone = run(single, options);
    EXPECT_EQ(last_value(alone, "x8"), last_value(together, "x8", i)) << i;
    EXPECT_EQ(last_value(alone, "y3_dot"), last_value(together, "y3_dot", i)) << i;
  }
}

/// Each stated way to move: momenta, redundant and time-dependent rows, quasi-velocities, a non-ideal force, a
/// servo-constraint and a singular metric.
class RosenbrockCatalogue : public testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(, RosenbrockCatalogue,
                         testing::Values("spherical_pendulum", "two_particles_incline", "rheonomic_particle",
                                         "rolling_disk", "rough_ring", "balanced_rod", "split_oscillator",
                                         "prescribed_speed"),
                         [](const auto& test) { return std::string(test.param); });

TEST_P(RosenbrockCatalogue, AgreesWithAnExplicitMethodOfTheReferenceWithItsOrder) {
  const System& system = find_system(GetParam());
  Options options = stiff_options(system, 1e-6);
  options.time.save_every = 0;
  options.time.end = options.time.start + 0.2 * (options.time.end - options.time.start);
  options.method.max_steps = 100'000;
  const Ensemble ensemble(system, 1);
  Options exact = options;
  exact.backend = Backend::reference;
  exact.compile = Compile::automatic;
  exact.method.integrator = Integrator::dop853;
  exact.method.relative_tolerance = 1e-12;
  exact.method.absolute_tolerance = 1e-13;
  const Result theirs = run(ensemble, exact);
  ASSERT_EQ(theirs.status()[0], Status::ok);
  double largest = 1;
  for (const Variable& each : system.info.coordinates) {
    largest = std::max(largest, std::abs(last_value(theirs, each.name)));
  }
  for (const Backend backend : {Backend::cpu, Backend::reference}) {
    double before = 0;
    double steps_before = 0;
    for (const double tolerance : {1e-5, 1e-9}) {
      Options own = options;
      own.backend = backend;
      own.compile = backend == Backend::cpu ? Compile::always : Compile::automatic;
      own.method.relative_tolerance = own.method.absolute_tolerance = tolerance;
      const Result ours = run(ensemble, own);
      ASSERT_EQ(ours.status()[0], Status::ok) << status_name(ours.status()[0]);
      const double error = distance(system, ours, theirs) / largest;
      EXPECT_LE(error, 1e3 * tolerance) << backend_name(backend);
      if (before > 1e-8) {
        const double order = std::log(before / error) / std::log(ours.summary.member_steps / steps_before);
        EXPECT_GE(order, 3.5) << backend_name(backend);
      }
      before = error;
      steps_before = ours.summary.member_steps;
    }
  }
}

/// Near singular positions the steps are explicit, and the motion goes on behind them.
TEST(Rosenbrock, PassesSingularPositions) {
  const System& system = find_system("four_bar_windows");
  Options options = stiff_options(system, 1e-8);
  options.time.save_every = 0;
  options.fields.add(Field::energy);
  const Result result = run(Ensemble(system, 1), options);
  ASSERT_EQ(result.status()[0], Status::ok) << status_name(result.status()[0]);
  EXPECT_EQ(result.summary.singular_passages, 1);
  EXPECT_EQ(result.summary.rank_changes, 0);
  EXPECT_LE(result.summary.worst_violation, 1e-13);
  EXPECT_LE(result.summary.drift.energy, 1e-4);
}

TEST(Rosenbrock, TheStepsDoNotDependOnTheUnits) {
  const auto steps = [](double second) {
    Ensemble ensemble(followers(), 1);
    ensemble.parameter("k")[0] = 1e6 / second / second;
    ensemble.parameter("c")[0] = 1e6 / second;
    ensemble.parameter("omega")[0] = 1 / second;
    ensemble.restart();
    ensemble.initial("x_dot")[0] = 3 / second;
    Options options = stiff_options(followers(), 1e-6);
    options.method.absolute_tolerance = 1e-300;
    options.time = {.start = 0, .end = 0.5 * second, .dt = 1e-6 * second, .save_every = 0};
    return steps_of(ensemble, options).accepted[0];
  };
  const double usual = steps(1);
  EXPECT_GT(usual, 10);
  EXPECT_NEAR(steps(1e-6), usual, 0.1 * usual);
}

TEST_P(RosenbrockOn, FindsEventsAndSavedTimesOnTheExtension) {
  Options options = stiff_options(followers(), 1e-9, GetParam());
  options.events = {{"middle", "x", Crossing::falling, EventAction::record},
                    {"fast", "x_dot + sin(1.9)", Crossing::any, EventAction::record}};
  options.save_at = {0.1, 0.77, 1.3, 1.9999, 2};
  const Result result = run(Ensemble(followers(), 1), options);
  EXPECT_NEAR(result.event_time("middle")[0], std::numbers::pi / 2, 1e-8);
  EXPECT_NEAR(result.event_time("fast")[0], std::numbers::pi - 1.9, 1e-7);
  for (std::size_t frame = 0; frame < 5; ++frame) {
    EXPECT_NEAR(result.values("x", frame)[0], std::cos(result.times()[frame]), 3e-8) << frame;
  }
}

/// The first trial has the length of a grid step, for which the matrix is singular.
TEST_P(RosenbrockOn, ASingularMatrixShortensTheStep) {
  const System system = make_system<stiff::Unstable>();
  Options options = stiff_options(system, 1e-8, GetParam());
  options.time = {.start = 0, .end = 8, .dt = 1 / 0.21193756319429014, .save_every = 0};
  const Result result = run(Ensemble(system, 1), options);
  ASSERT_EQ(result.status()[0], Status::ok) << status_name(result.status()[0]);
  EXPECT_NEAR(last_value(result, "x") / std::exp(8.0), 1, 1e-6);
  EXPECT_GT(result.summary.rejected_steps, 0);
}

TEST_P(RosenbrockOn, AnInfiniteSlopeFailsAlone) {
  const System system = make_system<stiff::Steep>();
  Ensemble ensemble(system, 9);
  ensemble.parameter("start")[4] = 0;
  ensemble.restart();
  const Result result = run(ensemble, stiff_options(system, 1e-8, GetParam()));
  EXPECT_EQ(result.status()[4], Status::non_finite) << status_name(result.status()[4]);
  EXPECT_EQ(result.summary.failed(), 1);
}

TEST(Rosenbrock, RefusesByName) {
  const auto expect = [&](const System& of, const Options& options, const std::string& words) {
    const Error error = test::error_of([&] { run(Ensemble(of, 1), options); });
    const std::string message = error.what();
    EXPECT_NE(message.find(words), std::string::npos) << message;
    EXPECT_NE(message.find("\"rodas5p\""), std::string::npos) << message;
  };
  const System& system = find_system("spherical_pendulum");
  Options options = stiff_options(system, 1e-6);
  options.threads_per_member = 4;
  expect(system, options, "does not support threads_per_member; use \"dop853\"");
}

/// Without a compiler the reference takes the steps.
TEST(Rosenbrock, RunsInterpretedByTheReference) {
  Options options = stiff_options(followers(), 1e-6);
  options.compile = Compile::never;
  const Result result = run(Ensemble(followers(), 1), options);
  EXPECT_TRUE(result.summary.device.starts_with("reference")) << result.summary.device;
  EXPECT_NE(result.summary.compiled.find("its integrator needs compiled derivatives"), std::string::npos)
      << result.summary.compiled;
}

class StiffnessOf : public testing::TestWithParam<Integrator> {};
INSTANTIATE_TEST_SUITE_P(, StiffnessOf, testing::Values(Integrator::dopri5, Integrator::dop853),
                         [](const auto& test) { return std::string(integrator_name(test.param)); });

Options explicit_options(const System& system, Integrator integrator, Backend backend) {
  Options options = default_options(system);
  options.threads = 1;
  options.backend = backend;
  options.compile = Compile::never;
  options.method.integrator = integrator;
  options.fields = {Field::q, Field::w};
  return options;
}

TEST_P(StiffnessOf, IsReportedOfTheMembersThatAreStiff) {
  for (const Backend backend : {Backend::cpu, Backend::reference}) {
    Ensemble ensemble(followers(), 11);
    for (std::size_t i = 0; i < 11; ++i) ensemble.parameter("c")[i] = ensemble.parameter("k")[i] = i % 3 == 0 ? 1e4 : 1;
    ensemble.restart();
    Options options = explicit_options(followers(), GetParam(), backend);
    options.method.relative_tolerance = options.method.absolute_tolerance = 1e-6;
    const Result result = run(ensemble, options);
    EXPECT_EQ(result.summary.stiff, 4) << backend_name(backend);
    const std::vector<std::string> warnings = warnings_of(followers().info, options, result.summary);
    ASSERT_EQ(warnings.size(), 1U);
    EXPECT_EQ(warnings[0],
              "stiffness: 4 members are stiff: steps are limited by stability; integrator = \"rodas5p\" takes longer "
              "ones");
  }
}

TEST_P(StiffnessOf, DoesNotDependOnUnits) {
  for (const double second : {1e-6, 1.0, 1e6}) {
    for (const double metre : {1e-6, 1e6}) {
      Ensemble stiff(followers(), 1);
      stiff.parameter("k")[0] = 1e4 / second / second;
      stiff.parameter("c")[0] = 1e4 / second;
      stiff.parameter("a")[0] = metre;
      stiff.parameter("omega")[0] = 1 / second;
      stiff.restart();
      Options options = explicit_options(followers(), GetParam(), Backend::cpu);
      options.method.relative_tolerance = 1e-5;
      options.method.absolute_tolerance = 1e-7 * metre;
      options.time = {.start = 0, .end = 0.5 * second, .dt = 1e-3 * second, .save_every = 0};
      EXPECT_EQ(run(stiff, options).summary.stiff, 1) << second << ' ' << metre;
    }
  }
}

TEST_P(StiffnessOf, IsNotReportedOfTheCatalogue) {
  for (const System& system : catalogue()) {
    if (system.info.agents > 0 || system.info.rates.size() > 8) continue;  // larger ones take minutes
    Options options = explicit_options(system, GetParam(), Backend::reference);
    options.time.save_every = 0;
    options.method.max_steps = 1'000;
    const Result result = run(Ensemble(system, 1), options);
    EXPECT_EQ(result.summary.stiff, 0) << system.info.name;
  }
}

}  // namespace
}  // namespace kalaba
