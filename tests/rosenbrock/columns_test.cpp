// Sensitivities by the Rosenbrock method: stiff systems against closed forms, the catalogue against an explicit method,
// the stiff chain against differences; steps.

#include <cmath>
#include <numbers>

#include "adaptive/bead_runs.hpp"
#include "rosenbrock/models.hpp"
#include "scenario/scenario.hpp"
#include "sensitivities/differences.hpp"

namespace kalaba {
namespace {

Options column_options(const System& system, Integrator integrator, double tolerance, Backend backend = Backend::cpu) {
  Options options = default_options(system);
  options.threads = 1;
  options.backend = backend;
  options.compile = backend == Backend::cpu ? Compile::always : Compile::automatic;
  options.method.integrator = integrator;
  options.method.relative_tolerance = tolerance;
  options.method.absolute_tolerance = 1e-3 * tolerance;
  options.fields = {Field::q, Field::w};
  options.time.save_every = 0;
  return options;
}

/// Motion along a slow manifold, x = a cos(omega t): the columns do not depend on the stiffness, nor do the steps.
TEST(RosenbrockColumns, FollowASlowMotion) {
  const System plain = make_system<stiff::Follower>();
  const System system =
      with_sensitivities(plain, {"parameters.k", "parameters.a", "parameters.omega", "initial.x", "initial.x_dot"});
  for (const double stiffness : {1e2, 1e6, 1e10}) {
    Ensemble ensemble(system, 1);
    ensemble.parameter("k")[0] = ensemble.parameter("c")[0] = stiffness;
    ensemble.restart();
    Options options = column_options(system, Integrator::rodas5p, 1e-7);
    options.fields = options.fields | FieldSet{Field::q_sensitivity};
    const Result result = run(ensemble, options);
    ASSERT_EQ(result.status()[0], Status::ok);
    const auto column = [&](const std::string& along) {
      return result.values("sensitivity_x_to_" + along, result.times().size() - 1)[0];
    };
    EXPECT_NEAR(column("parameters.k"), 0, 1e-5 / stiffness) << stiffness;
    EXPECT_NEAR(column("parameters.omega"), -2 * std::sin(2.0), 1e-5) << stiffness;
    // d = x - s obeys d'' + c d' + c d = 0; the fast mode has decayed.
    const double fast = (-stiffness - std::sqrt(stiffness * stiffness - 4 * stiffness)) / 2;
    const double slow = stiffness / fast;
    const double kept = std::exp(2 * slow) * fast / (fast - slow);
    EXPECT_NEAR(column("initial.x"), kept, 1e-5) << stiffness;
    EXPECT_NEAR(column("parameters.a"), std::cos(2.0) - kept, 1e-5) << stiffness << ", at fixed starts";
    EXPECT_NEAR(column("initial.x_dot"), std::exp(2 * slow) / (slow - fast), 1e-5 / stiffness) << stiffness;
    EXPECT_LE(result.summary.member_steps, 300) << stiffness;
  }
}

/// x = a cos(omega t) = 0 at pi / (2 omega), where a change of a does not matter.
/// The rate at an event has 1e6 times the error of the state there, because of the spring and the damper.
TEST(RosenbrockColumns, GoThroughEvents) {
  const System system = with_sensitivities(make_system<stiff::Follower>(), {"parameters.omega", "parameters.k"});
  Options options = column_options(system, Integrator::rodas5p, 1e-12);
  options.events = {{"middle", "x", Crossing::falling, EventAction::stop}};
  options.fields = options.fields | FieldSet{Field::w_sensitivity};
  const Result result = run(Ensemble(system, 1), options);
  constexpr double pi = std::numbers::pi;
  EXPECT_NEAR(result.event_time_sensitivity("middle", "parameters.omega")[0], -pi / 2, 1e-6);
  EXPECT_NEAR(result.event_time_sensitivity("middle", "parameters.k")[0], 0, 1e-12);
  EXPECT_NEAR(result.event_state_sensitivity("middle", "x_dot", "parameters.omega")[0], -1, 1e-5);
}

TEST(RosenbrockColumns, OfTheStiffChainOfRedundantRowsAreThoseOfDifferences) {
  const Scenario scenario = load_scenario_text(stiff::chain_text, "chain.toml", {}, {});
  const System& plain = *scenario.system;
  const System system = with_sensitivities(plain, {"parameters.m", "parameters.L", "parameters.eta"});
  Options options = column_options(system, Integrator::rodas5p, 1e-9);
  const auto differences = differences_of(plain, options, system.info.sensitivities);
  for (const double tolerance : {1e-5, 1e-9}) {
    options.method.relative_tolerance = tolerance;
    options.method.absolute_tolerance = 1e-3 * tolerance;
    const Motion found = motion_of(system, options);
    expect_near(found.columns, differences, system, found.state, "chain", tolerance < 1e-6 ? 1e-7 : 1e-5);
  }
  options.method.relative_tolerance = 1e-5;
  options.method.absolute_tolerance = 1e-8;
  EXPECT_LE(run(Ensemble(system, 1), options).summary.member_steps, 160);
}

/// Largest difference of two motions' columns, relative to the columns and to the state per variable.
double distance(const Motion& one, const Motion& other, const System& system) {
  double most = 0;
  for (std::size_t column = 0; column < one.columns.size(); ++column) {
    const Variable& along = system.info.sensitivities[column];
    const double variable = along.value == 0 ? 1.0 : std::abs(along.value);
    const double size = std::max(size_of(other.columns[column]), 0.1 * size_of(other.state) / variable);
    for (std::size_t i = 0; i < one.state.size(); ++i) {
      most = std::max(most, std::abs(one.columns[column][i] - other.columns[column][i]) / size);
    }
  }
  return most;
}

/// Each stated way to move: momenta, redundant and time-dependent rows, quasi-velocities, a non-ideal force, a
/// servo-constraint and a singular metric.
class RosenbrockColumnsOf : public testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(, RosenbrockColumnsOf,
                         testing::Values("spherical_pendulum", "two_particles_incline", "rheonomic_particle",
                                         "rolling_disk", "nonholonomic_hamiltonian_particle", "rough_ring",
                                         "balanced_rod", "split_oscillator", "prescribed_speed"),
                         [](const auto& test) { return std::string(test.param); });

TEST_P(RosenbrockColumnsOf, AgreeWithAnExplicitMethodWithTheOrderOfTheMotion) {
  const System& plain = find_system(GetParam());
  const System system = with_sensitivities(plain, chosen_names(plain.info));
  const auto run_with = [&](Integrator integrator, double tolerance, double step) {
    Options options = column_options(system, integrator, tolerance);
    options.project_start = options.project_start && !system.info.servo;
    options.time.end = options.time.start + 0.2 * (options.time.end - options.time.start);
    options.method.largest_step = step;
    return motion_of(system, options);
  };
  const double length = 0.2 * (plain.info.time.end - plain.info.time.start);
  const Motion exact = run_with(Integrator::dop853, 1e-12, length / 64);
  EXPECT_LE(distance(run_with(Integrator::rodas5p, 1e-9, 0), exact, system), 1e-7);
  double before = 0;
  for (const double steps : {8, 16, 32, 64}) {
    const double error = distance(run_with(Integrator::rodas5p, 1e-1, length / steps), exact, system);
    if (before > 1e-9) {
      EXPECT_GE(std::log2(before / error), 4.2) << steps << " steps";
    }
    before = error;
  }
  EXPECT_LE(before, 1e-8);
}

}  // namespace
}  // namespace kalaba
