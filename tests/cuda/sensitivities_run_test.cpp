// Sensitivities and Lyapunov exponents on the CUDA backend compared with the cpu backend. Runs on a GPU if there is one
// (label `gpu`), and always on an emulated one.

#include <cmath>
#include <string>

#include "backend/backends.hpp"
#include "lyapunov/exponents_of.hpp"
#include "sensitivities/differences.hpp"
#include "support/integrators.hpp"

namespace kalaba {
namespace {

void skip_without_gpu() {
  if (!cuda_available()) GTEST_SKIP() << "no GPU: " << cuda_unavailable_reason();
}

/// Name of a system and its pseudo-inverse.
struct Way {
  const char* system;
  PseudoInverse by;
};

class CudaSensitivities : public testing::TestWithParam<Way> {
 protected:
  void SetUp() override { skip_without_gpu(); }
};

TEST_P(CudaSensitivities, AreThoseOfTheCpu) {
  const System& plain = find_system(GetParam().system);
  const System system = with_sensitivities(plain, chosen_names(plain.info));
  Options options = short_run(system, Backend::cpu);
  options.method.pseudo_inverse = GetParam().by;
  const Motion cpu = motion_of(system, options);
  options.backend = Backend::cuda;
  const Motion gpu = motion_of(system, options);
  expect_near(gpu.columns, cpu.columns, system, cpu.state, "cuda", 1e-11);
  expect_slopes_near(gpu.slopes, cpu.slopes, system, cpu, "cuda", 1e-11);
  EXPECT_EQ(gpu.state, motion_of(plain, options).state) << "the motion keeps its bits";
}

// Redundant and singular constraints, a nonholonomic one with its own velocity, momenta, a non-ideal force, a
// servo-constraint, and a metric that may be singular.
INSTANTIATE_TEST_SUITE_P(
    , CudaSensitivities,
    testing::Values(Way{"spherical_pendulum", PseudoInverse::svd}, Way{"two_particles_incline", PseudoInverse::svd},
                    Way{"two_particles_incline", PseudoInverse::qr}, Way{"rolling_disk", PseudoInverse::svd},
                    Way{"nonholonomic_hamiltonian_particle", PseudoInverse::svd}, Way{"rough_ring", PseudoInverse::svd},
                    Way{"balanced_rod", PseudoInverse::svd}, Way{"split_oscillator", PseudoInverse::svd}),
    [](const auto& info) {
      return std::string(info.param.system) + "_" + std::string(pseudo_inverse_name(info.param.by));
    });

/// By default, a GPU is used for systems that fit one thread.
TEST(CudaSensitivitiesByAuto, AreOfSmallSystems) {
  skip_without_gpu();
  if (IsSkipped()) return;
  const std::pair<const System*, const char*> expected[] = {{&find_system("spherical_pendulum"), "cuda"},
                                                            {&find_system("chain", {{"links", 8}}), "cpu"}};
  for (const auto& [plain, device] : expected) {
    const System system = with_sensitivities(*plain, {"parameters.g"});
    Options options = short_run(system, Backend::automatic);
    options.time.end = options.time.start + options.time.dt;
    const Summary summary = run(Ensemble(system, 1), options).summary;
    EXPECT_TRUE(summary.device.starts_with(device)) << plain->info.name << ": " << summary.device;
  }
}

class CudaColumns : public testing::TestWithParam<Integrator> {
 protected:
  void SetUp() override { skip_without_gpu(); }
};

INSTANTIATE_TEST_SUITE_P(, CudaColumns, testing::ValuesIn(test::every_integrator()),
                         [](const auto& info) { return std::string(integrator_name(info.param)); });

/// Members with partially given starts, at and between steps, through an event and after an event that stops.
TEST_P(CudaColumns, GoThroughEvents) {
  const System system = with_sensitivities(find_system("spherical_pendulum"),
                                           {"parameters.L", "parameters.g", "initial.x", "initial.p_z"});
  constexpr long members = 9;
  Ensemble ensemble(system, members);
  for (std::size_t i = 0; i < members; ++i) {
    ensemble.parameter("L")[i] = 0.6 + 0.1 * static_cast<double>(i);
    ensemble.initial("p_z")[i] = 0.01 * static_cast<double>(i);
  }
  ensemble.restart();
  Options options = default_options(system);
  options.method.integrator = GetParam();
  options.method.relative_tolerance = options.method.absolute_tolerance = 1e-10;
  options.threads = 1;
  options.time.end = 0.5;
  options.save_at = {0.1, 0.33337, 0.45678, 0.5};
  options.fields = {Field::q, Field::w, Field::q_sensitivity, Field::w_sensitivity};
  options.events = {{"low", "x - 0.2*L", Crossing::falling, EventAction::stop},
                    {"turns", "p_z + 0.1", Crossing::any, EventAction::record}};
  options.backend = Backend::cpu;
  const Result cpu = run(ensemble, options);
  options.backend = Backend::cuda;
  const Result gpu = run(ensemble, options);
  const auto near = [](double a, double b) {
    return std::isnan(b) ? std::isnan(a) : std::abs(a - b) < 1e-9 * (1 + std::abs(b));
  };
  long stopped = 0;
  for (std::size_t i = 0; i < members; ++i) {
    EXPECT_EQ(gpu.status()[i], cpu.status()[i]) << i;
    stopped += gpu.status()[i] == Status::stopped ? 1 : 0;
    for (const Variable& along : system.info.sensitivities) {
      for (const char* event : {"low", "turns"}) {
        EXPECT_TRUE(
            near(gpu.event_time_sensitivity(event, along.name)[i], cpu.event_time_sensitivity(event, along.name)[i]))
            << event << ' ' << along.name << i;
        EXPECT_TRUE(near(gpu.event_state_sensitivity(event, "p_y", along.name)[i],
                         cpu.event_state_sensitivity(event, "p_y", along.name)[i]))
            << event << ' ' << along.name << i;
      }
      for (std::size_t frame = 0; frame < options.save_at.size(); ++frame) {
        for (const char* name : {"sensitivity_x_to_", "sensitivity_p_z_to_"}) {
          const double found = gpu.values(name + along.name, frame)[i];
          const double expected = cpu.values(name + along.name, frame)[i];
          EXPECT_TRUE(near(found, expected))
              << i << ": " << name << along.name << " at " << options.save_at[frame] << ' ' << found << ' ' << expected;
        }
      }
    }
  }
  EXPECT_GT(stopped, 0);
  EXPECT_LT(stopped, members);
}

/// The host orthonormalizes the columns, the device continues with them.
TEST_P(CudaColumns, GiveLyapunovExponents) {
  const std::vector<std::string> overrides = {"structure.links=2",
                                              "time.end=0.4",
                                              "time.dt=4e-3",
                                              "time.save_at=[0.0991, 0.2, 0.4]",
                                              "parameters.g={ linspace = [9, 11, 3] }",
                                              "solver.integrator=" + std::string(integrator_name(GetParam()))};
  Scenario scenario = lyapunov::named("chain", overrides);
  const lyapunov::Exponents cpu = lyapunov::exponents_of(scenario);
  scenario.options.backend = Backend::cuda;
  const lyapunov::Exponents gpu = lyapunov::exponents_of(scenario);
  for (std::size_t frame = 0; frame < 3; ++frame) {
    for (std::size_t member = 0; member < 3; ++member) {
      for (std::size_t i = 0; i < 4; ++i) {
        EXPECT_NEAR(gpu.at(frame, member)[i], cpu.at(frame, member)[i], 1e-7) << frame << ' ' << member << ' ' << i;
      }
    }
  }
}

}  // namespace
}  // namespace kalaba
