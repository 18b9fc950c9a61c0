// The CUDA backend compared with the cpu backend: equal members, fields and failures, for any chunk size and number of
// devices. Runs on a GPU if there is one (label `gpu`), and always on an emulated one.

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <map>
#include <vector>

#include "conformance/cases.hpp"
#include "kalaba/ensemble.hpp"
#include "support/error_of.hpp"

namespace kalaba {
namespace {

using conformance::Simulation;
using conformance::Vector;

struct Way {
  const char* system;
  std::map<std::string, int> structure;
  PseudoInverse pseudo_inverse;
  Stabilization stabilization;
  int threads_per_member;
  Integrator integrator = Integrator::rk4;
};

std::ostream& operator<<(std::ostream& out, const Way& way) {
  constexpr const char* kinds[] = {"none", "projection", "feedback"};
  return out << way.system << '_' << pseudo_inverse_name(way.pseudo_inverse) << '_'
             << kinds[static_cast<int>(way.stabilization.kind)] << '_' << way.threads_per_member << '_'
             << integrator_name(way.integrator);
}

Options options_of(const System& system, const Way& way, Backend backend) {
  Options options = default_options(system);
  options.backend = backend;
  options.threads = 1;
  options.method.pseudo_inverse = way.pseudo_inverse;
  options.method.stabilization = way.stabilization;
  options.method.integrator = way.integrator;
  options.project_start = way.stabilization.kind == Stabilization::Kind::projection;
  if (backend == Backend::cuda) options.threads_per_member = way.threads_per_member;
  return options;
}

class CudaBackend : public testing::TestWithParam<Way> {
 protected:
  void SetUp() override {
    if (!cuda_available()) GTEST_SKIP() << "no GPU: " << cuda_unavailable_reason();
  }
};

/// max |x - y| relative to the maximum of y, at least 1.
double difference(const Vector& x, const Vector& y) {
  return (x - y).cwiseAbs().maxCoeff() / std::max(1.0, y.cwiseAbs().maxCoeff());
}

TEST_P(CudaBackend, AgreesWithTheCpuInEveryField) {
  const Way& way = GetParam();
  const System& system = find_system(way.system, way.structure);
  constexpr long members = 5;
  Simulation gpu = conformance::started(system, options_of(system, way, Backend::cuda), members);
  Simulation cpu = conformance::started(system, options_of(system, way, Backend::cpu), members);
  const long steps = std::min(200L, cpu.time.steps());
  gpu.advance(steps);
  cpu.advance(steps);
  for (long i = 0; i < members; ++i) {
    EXPECT_EQ(gpu.status(i), cpu.status(i));
    EXPECT_LE(difference(gpu.q(i), cpu.q(i)), 1e-11);
    EXPECT_LE(difference(gpu.w(i), cpu.w(i)), 1e-11);
    const auto index = static_cast<std::size_t>(i);
    EXPECT_EQ(gpu.block.rank_changes[index], cpu.block.rank_changes[index]);
    EXPECT_EQ(gpu.block.accepted[index], cpu.block.accepted[index]);
    EXPECT_EQ(gpu.block.rejected[index], cpu.block.rejected[index]);
  }
  for (const Field field : all_fields) {
    if (!has_field(system.info, field)) continue;
    const auto found = gpu.observe(field);
    const auto expected = cpu.observe(field);
    ASSERT_EQ(found.size(), expected.size()) << field_name(field);
    for (long i = 0; i < members; ++i) {
      EXPECT_LE(difference(gpu.member(found, i), cpu.member(expected, i)), 1e-9) << field_name(field);
    }
  }
}

class BetweenSteps : public CudaBackend {};
TEST_P(BetweenSteps, AreSeenAsTheCpuSeesThem) {
  const Way& way = GetParam();
  const System& system = find_system(way.system, way.structure);
  Simulation gpu = conformance::started(system, options_of(system, way, Backend::cuda), 5);
  Simulation cpu = conformance::started(system, options_of(system, way, Backend::cpu), 5);
  const long step = std::min(20L, cpu.time.steps() - 1);
  const FieldSet fields = {Field::q, Field::w, Field::residual, Field::violation};
  Observation found;
  Observation expected;
  for (auto* simulation : {&gpu, &cpu}) {
    Observation& out = simulation == &gpu ? found : expected;
    simulation->advance(step);
    const Vector before = simulation->q();
    const double t = cpu.time.at(step) + 0.3 * cpu.time.dt;
    simulation->runner->observe_between(simulation->block, cpu.time, step, t, fields, out);
    simulation->runner->wait(out);
    simulation->runner->synchronize(simulation->block);
    EXPECT_EQ(simulation->q(), before);
  }
  for (const Field field : {Field::q, Field::w}) {
    const auto index = static_cast<std::size_t>(field);
    ASSERT_EQ(found.values[index].size(), expected.values[index].size());
    for (long i = 0; i < 5; ++i) {
      EXPECT_LE(difference(gpu.member(found.values[index], i), cpu.member(expected.values[index], i)), 1e-11);
    }
  }
}

std::vector<Way> ways() {
  constexpr auto svd = PseudoInverse::svd;
  constexpr auto qr = PseudoInverse::qr;
  constexpr auto none = Stabilization::none();
  constexpr auto projection = Stabilization::projection();
  return {{"spherical_pendulum", {}, svd, projection, 1},
          {"spherical_pendulum", {}, qr, Stabilization::baumgarte(5, 5), 4},
          {"two_particles_incline", {}, svd, none, 1},
          {"two_particles_incline", {}, svd, projection, 4},
          {"two_particles_incline", {}, qr, projection, 8},
          {"rolling_disk", {}, svd, projection, 0},
          {"rough_ring", {}, svd, projection, 1},
          {"split_oscillator", {}, qr, projection, 1},
          {"spherical_pendulum", {}, svd, projection, 1, Integrator::dopri5},
          {"two_particles_incline", {}, qr, projection, 4, Integrator::dopri5},
          {"spherical_pendulum", {}, svd, projection, 1, Integrator::dop853},
          {"two_particles_incline", {}, svd, none, 4, Integrator::dop853},
          {"two_particles_incline", {}, svd, projection, 1, Integrator::taylor},
          {"rough_ring", {}, svd, projection, 1, Integrator::taylor},
          {"two_particles_incline", {}, svd, projection, 1, Integrator::rodas5p},
          {"chain", {{"links", 8}}, svd, projection, 0},
          {"rolling_disk", {}, PseudoInverse::ldlt, projection, 0}};
}

std::string label(const testing::TestParamInfo<Way>& test) { return testing::PrintToString(test.param); }

INSTANTIATE_TEST_SUITE_P(Ways, CudaBackend, testing::ValuesIn(ways()), label);

std::vector<Way> ways_between_steps() {
  constexpr auto projection = Stabilization::projection();
  return {{"spherical_pendulum", {}, PseudoInverse::svd, projection, 1},
          {"spherical_pendulum", {}, PseudoInverse::svd, projection, 1, Integrator::dopri5},
          {"two_particles_incline", {}, PseudoInverse::qr, projection, 4, Integrator::dopri5},
          {"spherical_pendulum", {}, PseudoInverse::svd, projection, 1, Integrator::dop853},
          {"two_particles_incline", {}, PseudoInverse::qr, projection, 4, Integrator::dop853},
          {"spherical_pendulum", {}, PseudoInverse::svd, projection, 1, Integrator::taylor},
          {"spherical_pendulum", {}, PseudoInverse::svd, projection, 1, Integrator::rodas5p}};
}
INSTANTIATE_TEST_SUITE_P(Ways, BetweenSteps, testing::ValuesIn(ways_between_steps()), label);

class CudaRun : public testing::Test {
 protected:
  void SetUp() override {
    if (!cuda_available()) GTEST_SKIP() << "no GPU: " << cuda_unavailable_reason();
  }

  /// 200 pendulums of different lengths.
  Result run_pendulums(Options options) const {
    const System& system = find_system("spherical_pendulum");
    Ensemble ensemble(system, 200);
    for (std::size_t i = 0; i < 200; ++i) ensemble.parameter("L")[i] = 0.5 + 0.005 * static_cast<double>(i);
    ensemble.restart();
    if (poisoned_) ensemble.initial("x")[70] = std::numeric_limits<double>::quiet_NaN();
    return run(ensemble, options);
  }
  static Options options() {
    Options options = default_options(find_system("spherical_pendulum"));
    options.backend = Backend::cuda;
    options.time = {.start = 0, .end = 0.05, .dt = 1e-3, .save_every = 10};
    options.fields = {Field::q, Field::w, Field::energy, Field::violation};
    return options;
  }
  static void expect_same_bits(const Result& a, const Result& b) {
    for (std::size_t frame = 0; frame < a.times().size(); ++frame) {
      for (const char* column : {"x", "y", "z", "p_x", "p_y", "p_z", "energy", "violation"}) {
        const auto left = a.values(column, frame);
        const auto right = b.values(column, frame);
        for (std::size_t i = 0; i < left.size(); ++i) {
          if (a.status()[i] != Status::ok) continue;
          ASSERT_EQ(left[i], right[i]) << column << ' ' << frame << ' ' << i;
        }
      }
    }
  }

  bool poisoned_ = false;
};

TEST_F(CudaRun, TakesTheDirectMethodWhereTheCpuDoes) {
  for (const char* name : {"spherical_pendulum", "two_particles_incline", "rolling_disk", "chain"}) {
    const System& system = find_system(name);
    Options options = default_options(system);
    options.backend = Backend::cpu;
    const PseudoInverse on_cpu = choose_pseudo_inverse(system, options);
    EXPECT_EQ(on_cpu == PseudoInverse::ldlt, name == std::string("rolling_disk") || name == std::string("chain"))
        << name;
    options.backend = Backend::cuda;
    EXPECT_EQ(choose_pseudo_inverse(system, options), on_cpu) << name;
    options.backend = Backend::reference;
    EXPECT_EQ(choose_pseudo_inverse(system, options), PseudoInverse::svd) << name;
  }
}

/// With a tile of threads per member, the predicted speed equals that of 16 CPU threads.
TEST_F(CudaRun, IsLeftToManyCpuThreadsWhereAMemberNeedsATile) {
  const auto reservation = [](const System& system, int threads, int threads_per_member) {
    Options options = default_options(system);
    options.method.pseudo_inverse = PseudoInverse::svd;
    options.threads = threads;
    options.threads_per_member = threads_per_member;
    return cuda_reservation(system, options);
  };
  const System& chain = find_system("chain", {{"links", 16}});
  EXPECT_NE(reservation(chain, 16, 0).find("slower than 16 threads"), std::string::npos);
  EXPECT_EQ(reservation(chain, 15, 0), "");
  EXPECT_EQ(reservation(chain, 16, 8), "");
  EXPECT_EQ(reservation(find_system("spherical_pendulum"), 16, 0), "");
}

TEST_F(CudaRun, GivesTheSameBitsWhateverTheChunk) {
  const Result whole = run_pendulums(options());
  EXPECT_EQ(whole.summary.failed(), 0);
  EXPECT_GT(whole.summary.worst_violation, 0);
  EXPECT_LT(whole.summary.worst_violation, 1e-13);
  for (const long chunk : {1L, 64L, 99L}) {
    Options cut = options();
    cut.block_members = chunk;
    expect_same_bits(whole, run_pendulums(cut));
  }
}

TEST_F(CudaRun, GivesTheSameBitsHoweverOftenItSaves) {
  Options often = options();
  often.time.save_every = 5;
  const Result ten = run_pendulums(options());
  const Result five = run_pendulums(often);
  const auto x = ten.values("x", 3);
  const auto y = five.values("x", 6);
  EXPECT_EQ(std::vector(x.begin(), x.end()), std::vector(y.begin(), y.end()));
}

TEST_F(CudaRun, AFailedMemberDisturbsNobody) {
  const Result clean = run_pendulums(options());
  poisoned_ = true;
  const Result poisoned = run_pendulums(options());
  EXPECT_EQ(poisoned.summary.failed(), 1);
  EXPECT_EQ(poisoned.status()[70], Status::non_finite);
  EXPECT_EQ(poisoned.failure_time()[70], 0.0);
  EXPECT_TRUE(std::isnan(poisoned.failure_time()[71]));
  expect_same_bits(poisoned, clean);
}

TEST_F(CudaRun, AgreesWithTheCpuInSinglePrecision) {
  Options single = options();
  single.precision = Precision::single_precision;
  single.method.rank_tolerance = 1e-4;
  const Result gpu = run_pendulums(single);
  single.backend = Backend::cpu;
  const Result cpu = run_pendulums(single);
  EXPECT_EQ(gpu.summary.failed(), 0);
  for (std::size_t i = 0; i < 200; ++i) EXPECT_NEAR(gpu.values("x", 5)[i], cpu.values("x", 5)[i], 2e-5);
}

TEST_F(CudaRun, ADeviceThatIsNotThereIsNamed) {
  Options elsewhere = options();
  elsewhere.devices = {77};
  const Error error = test::error_of([&] { run_pendulums(elsewhere); });
  EXPECT_EQ(error.code(), ExitCode::bad_input);
  EXPECT_NE(std::string(error.what()).find("77"), std::string::npos) << error.what();
}

TEST_F(CudaRun, CodeThatDoesNotCompileIsShownWithTheCompilersWords) {
  System broken = find_system("spherical_pendulum");
  broken.device_code = {"struct Broken { int x = no_such_name; };\n", "Broken"};
  Ensemble ensemble(broken, 4);
  const Error error = test::error_of([&] { run(ensemble, options()); });
  EXPECT_EQ(error.code(), ExitCode::internal_error);
  EXPECT_NE(std::string(error.what()).find("no_such_name"), std::string::npos) << error.what();
  EXPECT_NE(std::string(error.what()).find("spherical_pendulum"), std::string::npos) << error.what();
}

TEST_F(CudaRun, ASystemWithoutFormulasSaysSo) {
  System host_only = find_system("spherical_pendulum");
  host_only.device_code = {};
  Ensemble ensemble(host_only, 4);
  const Error error = test::error_of([&] { run(ensemble, options()); });
  EXPECT_EQ(error.code(), ExitCode::no_backend);
  EXPECT_NE(std::string(error.what()).find("formulas are not available"), std::string::npos) << error.what();
}

}  // namespace
}  // namespace kalaba
