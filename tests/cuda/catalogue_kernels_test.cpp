// The run-time compiler accepts every model of the catalogue as the CUDA backend passes it; no GPU is needed. Kernels
// of small systems must fit the registers of a thread.

#include <gtest/gtest.h>

#include <string>
#include <tuple>

#include "backend/cuda/time_loop.hpp"
#include "backend/kernel_resources.hpp"
#include "conformance/cases.hpp"
#include "cuda/quick_options.hpp"
#include "kalaba/error.hpp"
#include "kalaba/event.hpp"
#include "support/families.hpp"

namespace kalaba {
namespace {

constexpr const char* architecture = "sm_90";

/// CUDA compilers report spills around calls even if a kernel has unused registers. The test counts a spill only if a
/// kernel uses all registers: kernels of small systems have none, except these, of at most so many bytes.
constexpr int all_registers = 255;
int allowed_spills(const std::string& system, PseudoInverse pseudo_inverse) {
  // Deficient rank: additional rank checks, and refinement by QR after a dropped pivot.
  if (system == "two_particles_incline") return pseudo_inverse == PseudoInverse::svd ? 704 : 3136;
  if (pseudo_inverse != PseudoInverse::svd) {
    if (system == "perpendicular_spins") return 96;  // around the step that a plain one does not serve
    return system == "swarm_matrix_agents2" ? 192 : system == "car_axis" ? 128 : 0;
  }
  if (system == "rolling_ball") return 2304;
  if (system == "logarithmic_spiral") return 1152;  // a fast step and, with its non-ideal force, the general one
  // With the comparison of rows, which the SVD of few rows needs; `auto` takes ldlt for these on a GPU.
  if (system == "rolling_disk") return 3968;
  if (system == "car_axis") return 2624;
  if (system == "swarm_matrix_agents2") return 9728;
  return 0;
}

/// Returns true if a kernel with one thread per member must support it: the smallest size of a family.
bool is_small(const System& system) { return system.info.rates.size() <= 6 && test::is_smallest(system); }

/// Kernels; skips the test if this build has no compiler for them.
class CatalogueKernels : public testing::TestWithParam<std::tuple<const System*, Precision, PseudoInverse>> {
 protected:
  std::vector<KernelResources> compiled() {
    const auto& [system, precision, pseudo_inverse] = GetParam();
    Options options = default_options(*system);
    options.precision = precision;
    options.method.pseudo_inverse = pseudo_inverse;
    return kernel_resources(*system, options, architecture);
  }
};

TEST_P(CatalogueKernels, Compile) {
  std::vector<KernelResources> kernels;
  try {
    kernels = compiled();
  } catch (const Error& error) {
    if (error.code() == ExitCode::no_backend) GTEST_SKIP() << error.what();
    throw;
  }
  ASSERT_EQ(kernels.size(), 3U);
  const auto& [system, precision, pseudo_inverse] = GetParam();
  for (const KernelResources& kernel : kernels) {
    EXPECT_GT(kernel.registers, 0) << kernel.kernel;
    EXPECT_GT(kernel.instructions, 50) << kernel.kernel;
    EXPECT_LT(kernel.fp64, kernel.instructions) << kernel.kernel;
    if (precision != Precision::double_precision) continue;
    EXPECT_GT(kernel.fp64, kernel.instructions / 20) << kernel.kernel;
    if (!is_small(*system)) continue;
    if (kernel.threads_per_member != 1 || kernel.registers < all_registers) continue;
    EXPECT_LE(kernel.spilled_bytes, allowed_spills(conformance::system_label(*system), pseudo_inverse))
        << kernel.kernel;
  }
}

using Way = CatalogueKernels::ParamType;

/// Double precision with the SVD for all systems. QR, and single precision, for a few: of deficient rank, of full rank,
/// and with one row.
std::vector<Way> ways() {
  std::vector<Way> all;
  for (const System& system : catalogue()) {
    if (is_small(system)) all.emplace_back(&system, Precision::double_precision, PseudoInverse::svd);
  }
  for (const char* name : {"two_particles_incline", "perpendicular_spins", "split_oscillator"}) {
    all.emplace_back(&find_system(name), Precision::double_precision, PseudoInverse::qr);
  }
  for (const char* name : {"spherical_pendulum", "rolling_ball"}) {
    all.emplace_back(&find_system(name), Precision::single_precision, PseudoInverse::qr);
  }
  return all;
}

std::string label(const testing::TestParamInfo<Way>& test) {
  const auto& [system, precision, pseudo_inverse] = test.param;
  return conformance::system_label(*system) + "_" + std::string(precision_name(precision)) + "_" +
         std::string(pseudo_inverse_name(pseudo_inverse));
}

INSTANTIATE_TEST_SUITE_P(Systems, CatalogueKernels, testing::ValuesIn(ways()), label);

/// First size of a family, if it is not a small one.
class LargeKernels : public testing::TestWithParam<const System*> {};

TEST_P(LargeKernels, AreRead) {
  const System& system = *GetParam();
  Options options = default_options(system);
  options.method.pseudo_inverse = PseudoInverse::svd;
  const int workers = cuda::first_choice_of_threads(system.info);
  cuda::expect_read({cuda::motion_source(system.device_code, options, workers),
                     cuda::observation_source(system.device_code, options, workers, options.fields)});
}

std::vector<const System*> large_systems() {
  std::vector<const System*> all;
  for (const System& system : catalogue()) {
    if (test::is_first(system) && !is_small(system)) all.push_back(&system);
  }
  return all;
}

INSTANTIATE_TEST_SUITE_P(Systems, LargeKernels, testing::ValuesIn(large_systems()),
                         [](const auto& test) { return conformance::system_label(*test.param); });

/// Fast-path steps, with the general path in the same kernel, allow four blocks on a multiprocessor with 65,536
/// registers.
TEST(FastKernels, LeaveRoomForOthers) {
  const System& pendulum = find_system("spherical_pendulum");
  try {
    const KernelResources advance = kernel_resources(pendulum, default_options(pendulum), architecture).front();
    EXPECT_LE(advance.registers, 65536 / (4 * cuda::block_threads));
    EXPECT_EQ(advance.spilled_bytes, 0);
  } catch (const Error& error) {
    if (error.code() == ExitCode::no_backend) GTEST_SKIP() << error.what();
    throw;
  }
}

/// Kernels between cuSOLVER's decompositions, for a thread and for a tile.
TEST(PipelineKernels, AreRead) {
  const System& particles = find_system("two_particles_incline");
  Options options = default_options(particles);
  options.method.pseudo_inverse = PseudoInverse::cusolver;
  std::vector<std::string> texts;
  for (const int threads : {1, 4}) {
    options.precision = threads == 1 ? Precision::double_precision : Precision::single_precision;
    texts.push_back(cuda::pipeline_source(particles.device_code, options, threads));
  }
  cuda::expect_read(texts);
}

struct Columned {
  const char* system;
  Integrator integrator;
  bool watches;
};
class KernelsWithColumns : public testing::TestWithParam<Columned> {};

TEST_P(KernelsWithColumns, AreRead) {
  const auto& [name, integrator, watches] = GetParam();
  const System& system = find_system(name);
  Options options = default_options(system);
  options.method.integrator = integrator;
  options.fields = {Field::q_sensitivity, Field::multipliers_sensitivity};
  options.sensitivities.of = {0, static_cast<int>(system.info.parameters.size())};
  options.sensitivities.follows.assign(system.info.coordinates.size() + system.info.rates.size(), 1);
  if (watches) {
    options.watch = watch_of({{.name = "late", .when = "t - 0.5", .action = EventAction::record}}, system.info);
  }
  cuda::expect_read({cuda::observation_source(system.device_code, options, 1, options.fields),
                     cuda::motion_source(system.device_code, options, 1)});
}

INSTANTIATE_TEST_SUITE_P(, KernelsWithColumns,
                         testing::Values(Columned{"two_particles_incline", Integrator::rk4, false},
                                         Columned{"rolling_disk", Integrator::rk4, false},
                                         Columned{"spherical_pendulum", Integrator::rk4, true},
                                         Columned{"spherical_pendulum", Integrator::dopri5, false}),
                         [](const auto& info) {
                           return std::string(info.param.system) + "_" +
                                  std::string(integrator_name(info.param.integrator)) +
                                  (info.param.watches ? "_watched" : "");
                         });

/// Kernels that observe states between steps, and kernels that detect events, for a thread and for a tile. NVRTC reads
/// the code of events once for each, with the integrators that compile fastest: the events of every integrator run on
/// the emulated GPU (events_run_test).
TEST(WatchedKernels, AreRead) {
  const System& pendulum = find_system("spherical_pendulum");
  Options options = default_options(pendulum);
  const std::vector<Event> events = {{.name = "low", .when = "z + 0.5", .action = EventAction::record},
                                     {.name = "late", .when = "t - m"},
                                     {.name = "slack", .when = "lambda_1 < 0 and energy > m"}};
  std::vector<std::string> texts;
  const auto add = [&](const auto& source, int threads, Integrator integrator) {
    options.method.integrator = integrator;
    texts.push_back(source(threads));
  };
  const auto between = [&](int threads) {
    return cuda::between_source(pendulum.device_code, options, threads, options.fields);
  };
  const auto motion = [&](int threads) { return cuda::motion_source(pendulum.device_code, options, threads); };
  add(between, 1, Integrator::rk4);
  add(between, 4, Integrator::dopri5);
  add(between, 1, Integrator::dop853);
  options.watch = watch_of(events, pendulum.info);
  add(motion, 1, Integrator::rk4);
  add(motion, 4, Integrator::dopri5);
  add(between, 4, Integrator::dopri5);
  cuda::expect_read(texts);
}

}  // namespace
}  // namespace kalaba
