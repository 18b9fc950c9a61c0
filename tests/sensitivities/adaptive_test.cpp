// Sensitivities with adaptive steps, on the CPU and in the reference, compared with differences of complete runs.

#include "hybrid/hybrid.hpp"
#include "sensitivities/differences.hpp"
#include "support/integrators.hpp"

namespace kalaba {
namespace {

Options adaptive_run(const System& system, Integrator integrator) {
  Options options = short_run(system, Backend::cpu);
  options.method.integrator = integrator;
  options.save_at = {options.time.start + 0.731 * (options.time.end - options.time.start)};  // within a step
  return options;
}

/// Steps as long as they may be, whatever a member is: differences of whole runs see the same steps.
Options equal_steps(const System& system, Integrator integrator) {
  Options options = adaptive_run(system, integrator);
  options.method.largest_step = 1.7 * options.time.dt;
  options.method.relative_tolerance = 1e-2;
  options.method.absolute_tolerance = 1e-2;
  return options;
}

/// Steps of any length, so short that they no longer matter.
Options short_steps(const System& system, Integrator integrator) {
  Options options = adaptive_run(system, integrator);
  options.method.relative_tolerance = 1e-12;
  options.method.absolute_tolerance = 1e-12;
  return options;
}

void expect_exact(const System& plain, const Options& options) {
  const System system = with_sensitivities(plain, chosen_names(plain.info));
  const auto differences = differences_of(plain, options, system.info.sensitivities);
  const Motion cpu = motion_of(system, options);
  expect_near(cpu.columns, differences, system, cpu.state, "cpu");
  const auto slopes = differences_of(plain, options, system.info.sensitivities, observed_names(plain.info));
  expect_slopes_near(cpu.slopes, slopes, system, cpu, "cpu");
  const Motion alone = motion_of(plain, options);
  EXPECT_EQ(cpu.state, alone.state) << "the motion keeps its bits";
  EXPECT_EQ(cpu.rejected, alone.rejected);
  Options reference = options;
  reference.backend = Backend::reference;
  expect_near(motion_of(system, reference).columns, cpu.columns, system, cpu.state, "reference");
}

class AdaptiveSensitivities : public ::testing::TestWithParam<Integrator> {};

TEST_P(AdaptiveSensitivities, AreThoseOfTheStepsMade) {
  const System& plain = find_system("two_particles_incline");  // of rank 2 of 3
  expect_exact(plain, equal_steps(plain, GetParam()));
}

/// Rejected steps leave no trace, and the error estimate does not include the columns.
TEST_P(AdaptiveSensitivities, AreThoseOfTheMotion) {
  const System& plain = find_system("two_particles_incline");
  Options options = short_steps(plain, GetParam());
  options.time.dt *= 200;  // to begin with, too long
  options.time.end = options.time.start + options.time.dt;
  options.time.save_every = 1;
  options.save_at = {options.time.start + 0.731 * options.time.dt};
  expect_exact(plain, options);
  EXPECT_GT(motion_of(plain, options).rejected, 0);
}

TEST(AdaptiveSensitivitiesOf, RedundantConstraintsAreThoseOfIndependentOnes) {
  const std::vector<std::string> of = {"parameters.g"};
  const System plain = with_sensitivities(find_system("chain"), of);
  const System redundant = with_sensitivities(find_system("chain_redundant"), of);
  Options options = short_steps(plain, Integrator::dopri5);
  options.backend = Backend::reference;  // the compiler takes half a minute
  const Motion found = motion_of(redundant, options);
  const Motion expected = motion_of(plain, options);
  expect_near(found.columns, expected.columns, plain, expected.state, "redundant");
}

/// A member at rest does not bound its steps.
TEST_P(AdaptiveSensitivities, OfAMemberAtRestAreThoseOfTheLinearMotion) {
  const std::string text = R"toml(
[model]
name = "oscillator"
lagrangian = "m*x_dot^2/2 - k*x^2/2"
[model.parameters]
m = "1 kg"
k = "1 N/m"
[model.coordinates]
x = "m"
[model.start]
x = 0
[time]
end = 20
dt = 0.1
save_every = 50
[sensitivities]
of = ["initial.x", "initial.x_dot"]
)toml";
  const Result result =
      hybrid::run_text(text, std::vector<std::string>{"solver.backend=cpu", "solver.compile=always",
                                                      "solver.integrator=" + std::string(integrator_name(GetParam()))});
  for (std::size_t frame = 0; frame < result.times().size(); ++frame) {
    const double t = result.times()[frame];
    EXPECT_NEAR(result.values("sensitivity_x_to_initial.x", frame)[0], std::cos(t), 1e-4) << t;
    EXPECT_NEAR(result.values("sensitivity_x_to_initial.x_dot", frame)[0], std::sin(t), 1e-4) << t;
  }
}

INSTANTIATE_TEST_SUITE_P(Every, AdaptiveSensitivities,
                         ::testing::ValuesIn(test::adaptive_integrators()),
                         [](const auto& info) { return std::string(integrator_name(info.param)); });

}  // namespace
}  // namespace kalaba
