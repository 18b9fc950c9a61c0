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
    EXPECT_NEAR(column("parameters.a"), std::cos(2.0), 1e-5) << stiffness;
    // Of x - s, d'' + c d' + c d = 0; the fast mode has decayed.
    const double fast = (-stiffness - std::sqrt(stiffness * stiffness - 4 * stiffness)) / 2;
    const double slow = stiffness / fast;
    EXPECT_NEAR(column("initial.x"), std::exp(2 * slow) * fast / (fast - slow), 1e-5) << stiffness;
    EXPECT_NEAR(column("initial.x_dot"), std::exp(2 * slow) / (slow - fast), 1e-5 / stiffness) << stiffness;
    EXPECT_LE(result.summary.member_steps, 300) << stiffness;
  }
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
  const Motion exact = run_with(Integrator::dop853, 1e-12, 0);
  EXPECT_LE(distance(run_with(Integrator::rodas5p, 1e-10, 0), exact, system), 1e-6);
  const double length = 0.2 * (plain.info.time.end - plain.info.time.start) / 64;
  double before = 0;
  double order = 0;
  for (const double step : {length, length / 2, length / 4, length / 8}) {
    const double error = distance(run_with(Integrator::rodas5p, 1e-1, step), exact, system);
    RecordProperty(std::to_string(step), std::to_string(error));
    std::printf("%s step %g error %.3g order %.2f\n", GetParam(), step, error, std::log2(before / error));
    if (before > 0 && error > 1e-9) order = std::log2(before / error);
    before = error;
  }
  EXPECT_TRUE(order == 0 || order >= 3.5) << order;
}

}  // namespace
}  // namespace kalaba
