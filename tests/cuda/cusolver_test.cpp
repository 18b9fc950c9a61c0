// pseudo_inverse = "cusolver" compared with the cpu backend's pseudo-inverse: equal members, statuses, ranks and
// fields. Runs on a GPU with cuSOLVER if there is one (label `gpu`), and always on emulated ones.

#include <gtest/gtest.h>

#include <cstdlib>
#include <limits>
#include <map>

#include "backend/cuda/device.hpp"
#include "backend/cuda/driver.hpp"
#include "backend/cuda/member_kernels.hpp"
#include "backend/cuda/pipeline.hpp"
#include "conformance/cases.hpp"
#include "kalaba/ensemble.hpp"

namespace kalaba {
namespace {

using conformance::Simulation;
using conformance::Vector;

Options with(const System& system, Backend backend, PseudoInverse method, const Stabilization& held) {
  Options options = default_options(system);
  options.backend = backend;
  options.threads = 1;
  options.method.pseudo_inverse = method;
  options.method.stabilization = held;
  options.project_start = !system.info.servo;
  return options;
}

/// Reason why cuSOLVER cannot be used on this device; empty if it can.
std::string problem() {
  try {
    const System& system = find_system("spherical_pendulum");
    choose_backend(system, with(system, Backend::cuda, PseudoInverse::cusolver, Stabilization::none()));
  } catch (const Error& error) {
    if (error.code() == ExitCode::no_backend) return error.what();
    throw;
  }
  return "";
}

double difference(const Vector& x, const Vector& y) {
  return (x - y).cwiseAbs().maxCoeff() / std::max(1.0, y.cwiseAbs().maxCoeff());
}

struct Way {
  const char* system;
  std::map<std::string, int> structure;
  Stabilization stabilization;
  int threads_per_member;
  Precision precision;
  double tolerance;
};

std::ostream& operator<<(std::ostream& out, const Way& way) {
  constexpr const char* kinds[] = {"none", "projection", "feedback"};
  out << way.system;
  for (const auto& [name, size] : way.structure) out << '_' << size;
  return out << '_' << kinds[static_cast<int>(way.stabilization.kind)] << '_' << precision_name(way.precision) << '_'
             << way.threads_per_member;
}

class CuSolverPipeline : public testing::TestWithParam<Way> {
 protected:
  void SetUp() override {
    if (!cuda_available()) GTEST_SKIP() << "no GPU: " << cuda_unavailable_reason();
    ASSERT_EQ(problem(), "");  // with a device, a missing cuSOLVER is a failure
  }
};

TEST_P(CuSolverPipeline, AgreesWithTheCpuInEveryField) {
  const Way& way = GetParam();
  const System& system = find_system(way.system, way.structure);
  Options options = with(system, Backend::cuda, PseudoInverse::cusolver, way.stabilization);
  options.threads_per_member = way.threads_per_member;
  options.precision = way.precision;
  Options other = with(system, Backend::cpu, PseudoInverse::svd, way.stabilization);
  other.precision = way.precision;
  constexpr long members = 5;
  Simulation gpu = conformance::started(system, options, members);
  Simulation cpu = conformance::started(system, other, members);
  for (Simulation* each : {&gpu, &cpu}) {
    each->advance(1);
    each->advance(9);
  }
  for (long i = 0; i < members; ++i) {
    EXPECT_EQ(cpu.status(i), Status::ok);
    EXPECT_EQ(gpu.status(i), cpu.status(i));
    EXPECT_LE(difference(gpu.q(i), cpu.q(i)), way.tolerance);
    EXPECT_LE(difference(gpu.w(i), cpu.w(i)), way.tolerance);
    EXPECT_EQ(gpu.block.rank_changes[static_cast<std::size_t>(i)], cpu.block.rank_changes[static_cast<std::size_t>(i)]);
  }
  for (const Field field : all_fields) {
    if (!has_field(system.info, field)) continue;
    const auto found = gpu.observe(field);
    const auto expected = cpu.observe(field);
    ASSERT_EQ(found.size(), expected.size()) << field_name(field);
    for (long i = 0; i < members; ++i) {
      EXPECT_LE(difference(gpu.member(found, i), cpu.member(expected, i)), 100 * way.tolerance) << field_name(field);
    }
  }
}

std::vector<Way> ways() {
  constexpr auto none = Stabilization::none();
  constexpr auto held = Stabilization::baumgarte(5, 5);
  constexpr auto projection = Stabilization::projection();
  constexpr auto twice = Precision::double_precision;
  constexpr auto once = Precision::single_precision;
  return {{"spherical_pendulum", {}, none, 1, twice, 1e-12},
          {"spherical_pendulum", {}, projection, 1, twice, 1e-12},
          {"two_particles_incline", {}, held, 1, twice, 1e-12},        // rank 2 of 3
          {"two_particles_incline", {}, projection, 4, twice, 1e-12},  // by a tile
          {"two_particles_incline", {}, none, 1, once, 1e-4},
          {"rough_ring", {}, projection, 1, twice, 1e-12},          // a force that sees the constraint force
          {"perpendicular_velocities", {}, none, 1, twice, 1e-12},  // a servo
          {"split_oscillator", {}, none, 1, twice, 1e-12},          // a singular metric
          {"rolling_disk", {}, projection, 1, twice, 1e-12},        // q and w differ in length
          {"chain_redundant", {{"links", 4}}, none, 4, twice, 1e-10},
          {"chain", {{"links", 32}}, none, 0, twice, 1e-6}};  // beyond gesvdjBatched
}

std::string label(const testing::TestParamInfo<Way>& test) { return testing::PrintToString(test.param); }

INSTANTIATE_TEST_SUITE_P(Ways, CuSolverPipeline, testing::ValuesIn(ways()), label);

bool is_emulated() { return cuda::device_info(0).name.starts_with("Emulated"); }

class CuSolverRun : public testing::Test {
 protected:
  void SetUp() override {
    if (!cuda_available()) GTEST_SKIP() << "no GPU: " << cuda_unavailable_reason();
    ASSERT_EQ(problem(), "");  // with a device, a missing cuSOLVER is a failure
  }

  /// Five steps of three members, the second of which starts with the rate `first`.
  static Simulation stepped(Backend backend, PseudoInverse method, double first, const Stabilization& held) {
    const System& system = find_system("two_particles_incline");
    Simulation simulation = conformance::started(system, with(system, backend, method, held), 3);
    simulation.block.w[1] = first;
    simulation.start(false);
    simulation.advance(2);
    simulation.advance(3);
    return simulation;
  }
};

TEST_F(CuSolverRun, AFailedMemberDisturbsNobody) {
  for (const Stabilization& held : {Stabilization::none(), Stabilization::projection()}) {
    const Simulation clean = stepped(Backend::cuda, PseudoInverse::cusolver, 1, held);
    for (const double odd : {std::numeric_limits<double>::quiet_NaN(), 1e200}) {
      const Simulation gpu = stepped(Backend::cuda, PseudoInverse::cusolver, odd, held);
      const Simulation cpu = stepped(Backend::cpu, PseudoInverse::svd, odd, held);
      EXPECT_EQ(gpu.status(1), cpu.status(1));
      EXPECT_NE(gpu.status(1), Status::ok);
      EXPECT_EQ(gpu.block.failure_time[1], cpu.block.failure_time[1]);
      // On a GPU, members of a batch may share cuSOLVER's sweeps.
      for (const long i : {0L, 2L}) EXPECT_LE(difference(gpu.q(i), clean.q(i)), is_emulated() ? 0 : 1e-12);
    }
  }
}

/// After a step that is too long, the two holonomic constraints cannot be satisfied: the projection fails.
TEST_F(CuSolverRun, AMemberThatCannotBeProjectedKeepsItsState) {
  const System& system = find_system("spherical_pendulum");
  const auto run = [&](Backend backend, PseudoInverse method) {
    Options options = with(system, backend, method, Stabilization::projection());
    options.time.dt = 1e3;
    options.time.end = 1e4;
    Simulation simulation = conformance::started(system, options, 2);
    simulation.advance(2);
    return simulation;
  };
  const Simulation gpu = run(Backend::cuda, PseudoInverse::cusolver);
  const Simulation cpu = run(Backend::cpu, PseudoInverse::svd);
  for (const long i : {0L, 1L}) {
    EXPECT_EQ(cpu.status(i), Status::not_converged);
    EXPECT_EQ(gpu.status(i), cpu.status(i));
    EXPECT_EQ(gpu.block.failure_time[static_cast<std::size_t>(i)], cpu.block.failure_time[static_cast<std::size_t>(i)]);
    EXPECT_LE(difference(gpu.q(i), cpu.q(i)), 1e-12);
    EXPECT_LE(difference(gpu.w(i), cpu.w(i)), 1e-12);
  }
}

TEST_F(CuSolverRun, IsRecordedOnceAndReplayed) {
  const System& system = find_system("spherical_pendulum");
  const Options options = with(system, Backend::cuda, PseudoInverse::cusolver, Stabilization::none());
  const auto device = std::make_shared<const cuda::Device>(cuda::device_ordinals({}).front());
  device->make_current();
  const auto kernels = cuda::kernels_at_run_time(system, options, device);
  const auto advancer = kernels->advancer();
  auto& pipeline = dynamic_cast<cuda::Pipeline&>(*advancer);
  constexpr long members = 3;
  const cuda::Stream stream;
  const cuda::DeviceBuffer rows(64 * members * sizeof(double));
  cuda::check(cuda::driver().cuMemsetD8Async(rows.address(), 0, rows.bytes(), stream.get()), "clearing memory");
  pipeline.reserve(members);
  EXPECT_FALSE(pipeline.replays());
  pipeline.advance({rows.data<double>(), members, members}, options.time, 0, 3, stream);
  stream.synchronize();
  if (!pipeline.replays() && !is_emulated()) GTEST_SKIP() << "the cuSOLVER of this machine cannot be recorded";
  EXPECT_TRUE(pipeline.replays());
}

/// Faults that only the emulated cuSOLVER supports.
class CuSolverFaults : public CuSolverRun {
 protected:
  void SetUp() override {
    CuSolverRun::SetUp();
    if (testing::Test::IsSkipped()) return;
    if (!is_emulated()) GTEST_SKIP() << "this GPU is not an emulated one";
  }
  void TearDown() override { unsetenv("KALABA_EMULATED_FAULT"); }
};

TEST_F(CuSolverFaults, ADecompositionThatDoesNotConvergeFailsItsMember) {
  const Simulation clean = stepped(Backend::cuda, PseudoInverse::cusolver, 1, Stabilization::none());
  setenv("KALABA_EMULATED_FAULT", "svd:2", 1);
  const Simulation gpu = stepped(Backend::cuda, PseudoInverse::cusolver, 1, Stabilization::none());
  EXPECT_EQ(gpu.status(1), Status::not_converged);
  EXPECT_EQ(gpu.block.failure_time[1], 0.0);
  for (const long i : {0L, 2L}) {
    EXPECT_EQ(gpu.status(i), Status::ok);
    EXPECT_EQ(gpu.q(i), clean.q(i));
  }
}

TEST_F(CuSolverFaults, WhereNothingCanBeRecordedStepsAreTheSame) {
  const Simulation recorded = stepped(Backend::cuda, PseudoInverse::cusolver, 1, Stabilization::projection());
  setenv("KALABA_EMULATED_FAULT", "unrecordable", 1);
  const Simulation gpu = stepped(Backend::cuda, PseudoInverse::cusolver, 1, Stabilization::projection());
  for (const long i : {0L, 1L, 2L}) {
    EXPECT_EQ(gpu.status(i), Status::ok);
    EXPECT_EQ(gpu.q(i), recorded.q(i));
    EXPECT_EQ(gpu.w(i), recorded.w(i));
  }
}

}  // namespace
}  // namespace kalaba
