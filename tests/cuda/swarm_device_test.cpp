// Swarms on a device compared with the CPU: equal members, fields and failures, for any chunk size. Runs on a GPU if
// there is one (label `gpu`), and always on an emulated one.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include "backend/backends.hpp"
#include "kalaba/ensemble.hpp"
#include "kalaba/error.hpp"
#include "kalaba/swarm.hpp"
#include "kalaba/swarm/pair_kernel.hpp"
#include "kernels/swarm_batch.hpp"
#include "support/error_of.hpp"
#include "swarm_agreement.hpp"

namespace kalaba {
namespace {

constexpr long most_of_a_block = 1024;  // agents that one block moves; more are moved by many
/// Agents that take part where the number of all only has to choose the kernels of many blocks: the pairs of more than
/// one tile of sources, and so sums over several segments, at a fifteenth of the pairs of all agents.
constexpr long a_tile_and_more = SwarmCut::tile + 2;

const SwarmLaw& paper() { return swarm_laws()[0]; }
const SwarmLaw& morse() { return swarm_laws()[1]; }

Options options_of(const System& system, Backend backend) {
  Options options = default_options(system);
  options.backend = backend;
  options.threads = 1;
  options.pair_sum = PairSum::all_pairs;
  options.time = {.start = 0.5, .end = 0.5 + 3e-3, .dt = 1e-3, .save_every = 2};
  options.fields = {Field::q,        Field::w,    Field::constraint_force, Field::constraints,
                    Field::residual, Field::rank, Field::violation,        Field::invariants};
  return options;
}

/// Members with different parameters, whose agents move.
Ensemble swarms(const System& system, long members) {
  Ensemble ensemble(system, members);
  std::mt19937 engine(3);
  std::uniform_real_distribution<double> any(-1, 1);
  const char* const rates[] = {"x_dot", "y_dot", "z_dot"};
  for (std::size_t d = 0; d < system.info.rates.size(); ++d) {
    for (double& value : ensemble.initial(rates[d])) value = any(engine);
  }
  for (std::size_t i = 0; i < static_cast<std::size_t>(members); ++i) {
    ensemble.parameter("kappa")[i] = 1 + static_cast<double>(i);
    ensemble.parameter("strength")[i] = 1.5 / static_cast<double>(system.info.agents);
    ensemble.parameter("settled")[i] = 1e-1;
    ensemble.parameter("collision_distance")[i] = 0.1;
  }
  return ensemble;
}

/// Leaves agents out of a member that more than one block moves.
void let_few_take_part(Ensemble& ensemble, std::size_t member) {
  if (ensemble.system().info.agents <= most_of_a_block) return;
  ensemble.parameter("active")[member] = static_cast<double>(a_tile_and_more);
}

struct Way {
  const SwarmLaw* law;
  int dimension;
  long agents;
  Precision precision = Precision::double_precision;
  Stabilization stabilization = Stabilization::none();
};

std::ostream& operator<<(std::ostream& out, const Way& way) {
  constexpr const char* kinds[] = {"none", "projection", "feedback"};
  return out << way.law->name << '_' << way.dimension << "d_" << way.agents << '_' << precision_name(way.precision)
             << '_' << kinds[static_cast<int>(way.stabilization.kind)];
}

class NeedsGpu : public testing::Test {
 protected:
  void SetUp() override {
    if (!cuda_available()) GTEST_SKIP() << "no GPU: " << cuda_unavailable_reason();
  }
};

class SwarmOnDevice : public NeedsGpu, public testing::WithParamInterface<Way> {};

/// Only the pair terms are in single precision: their sums lose accuracy from rounding positions to 24 bits.
TEST_P(SwarmOnDevice, AgreesWithTheCpu) {
  const Way& way = GetParam();
  const System system = make_swarm(*way.law, way.agents, way.dimension);
  const bool large = way.agents > most_of_a_block;
  const long members = !large ? 3 : way.law == &paper() ? 2 : 1;
  Ensemble ensemble = swarms(system, members);
  if (way.agents > 50) ensemble.parameter("active")[0] = static_cast<double>(way.agents) - 37;
  // Agents in more than one chunk are those of the first member of one law: chunks do not depend on the law.
  let_few_take_part(ensemble, way.law == &paper() ? 1 : 0);
  Options options = options_of(system, Backend::cpu);
  // Several steps are those of fewer agents: the kernels of one block for many agents repeat the same step.
  if (way.agents > SwarmCut::tile) options.time = {.start = 0.5, .end = 0.5 + 1e-3, .dt = 1e-3, .save_every = 1};
  options.method.stabilization = way.stabilization;
  options.project_start = way.stabilization.kind == Stabilization::Kind::projection;
  const Result expected = run(ensemble, options);
  options.backend = Backend::cuda;
  options.precision = way.precision;
  const Result found = run(ensemble, options);
  const bool single = way.precision == Precision::single_precision;
  expect_agreement(found, expected, columns_of(system), single ? 2e-4 : 1e-12);
  EXPECT_EQ(found.summary.failed(), 0);
}

std::vector<Way> ways() {
  constexpr auto single = Precision::single_precision;
  constexpr auto twice = Precision::double_precision;
  return {{&paper(), 2, 1},
          {&paper(), 2, 2},
          {&paper(), 2, 5, twice, Stabilization::projection()},
          {&paper(), 2, 100, twice, Stabilization::feedback(2)},
          {&paper(), 2, 100, single},
          {&paper(), 3, 100},
          {&paper(), 3, 300, single, Stabilization::projection()},
          {&paper(), 3, 300, twice, Stabilization::projection()},
          {&morse(), 2, 100},
          {&morse(), 3, 100, single},
          {&paper(), 2, 1100, twice, Stabilization::projection()},
          {&paper(), 3, 1100, single},
          {&morse(), 2, 1100, single},
          {&morse(), 3, 1100}};
}
std::string label(const testing::TestParamInfo<Way>& test) { return testing::PrintToString(test.param); }
INSTANTIATE_TEST_SUITE_P(Ways, SwarmOnDevice, testing::ValuesIn(ways()), label);

class SwarmRun : public NeedsGpu {
 protected:
  static void expect_same_bits(const Result& a, const Result& b, const System& system) {
    for (const std::string& column : columns_of(system)) {
      for (std::size_t frame = 0; frame < a.times().size(); ++frame) {
        const auto left = a.values(column, frame);
        const auto right = b.values(column, frame);
        for (std::size_t i = 0; i < left.size(); ++i) ASSERT_TRUE(is_same(left[i], right[i])) << column << ' ' << i;
      }
    }
  }
  static bool is_same(double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); }
};

TEST_F(SwarmRun, GivesTheSameBitsWhateverTheChunkAndWhatItSaves) {
  for (const long agents : {40L, most_of_a_block + 1}) {
    const System system = make_swarm(paper(), agents);
    const bool large = agents > most_of_a_block;
    Ensemble ensemble = swarms(system, large ? 2 : 5);
    for (const std::size_t member : {0U, 1U}) let_few_take_part(ensemble, member);
    Options options = options_of(system, Backend::cuda);
    if (large) options.time.end = 0.5 + 2e-3;
    const Result whole = run(ensemble, options);
    for (const long chunk : large ? std::vector{1L} : std::vector{1L, 2L}) {
      options.block_members = chunk;
      expect_same_bits(run(ensemble, options), whole, system);
    }
    options.time.save_every = 1;
    const Result often = run(ensemble, options);
    const auto a = often.values("x_dot", 2);
    const auto b = whole.values("x_dot", 1);
    EXPECT_TRUE(std::equal(a.begin(), a.end(), b.begin(), b.end(), is_same));
  }
}

TEST_F(SwarmRun, BetweenStepsItIsAsTheCpuSeesIt) {
  for (const long agents : {30L, most_of_a_block + 1}) {
    const System system = make_swarm(paper(), agents);
    Ensemble ensemble = swarms(system, agents > most_of_a_block ? 1 : 2);
    let_few_take_part(ensemble, 0);
    Options options = options_of(system, Backend::cpu);
    const Result plain = run(ensemble, options);
    options.save_at = {0.5, 0.5 + 1.3e-3, 0.5 + 3e-3};
    const Result expected = run(ensemble, options);
    options.backend = Backend::cuda;
    const Result found = run(ensemble, options);
    expect_agreement(found, expected, columns_of(system), 1e-12);
    // Observations in between do not change the motion.
    EXPECT_LE(difference(found.values("x", 2), plain.values("x", plain.times().size() - 1)), 1e-14);
  }
}

TEST_F(SwarmRun, CoincidentAgentsAreNamed) {
  for (const long agents : {6L, most_of_a_block + 2}) {
    const System system = make_swarm(paper(), agents);
    Ensemble ensemble = swarms(system, 3);
    for (const std::size_t member : {0U, 2U}) let_few_take_part(ensemble, member);
    const auto n = static_cast<std::size_t>(agents);
    for (const char* axis : {"x", "y"}) ensemble.initial(axis)[(n - 1) * 3 + 1] = ensemble.initial(axis)[2 * 3 + 1];
    Options options = options_of(system, Backend::cuda);
    const Result result = run(ensemble, options);
    EXPECT_EQ(result.status(), (std::vector{Status::ok, Status::singular_constraints, Status::ok}));
    EXPECT_EQ(result.failure_time()[1], 0.5);
    EXPECT_TRUE(std::isnan(result.failure_time()[0]));
    const std::string& reason = result.summary.first_failure();
    EXPECT_NE(reason.find("member 1: agents 2 and " + std::to_string(agents - 1) +
                          " are at the same place, where the "
                          "law is singular, in the step from t = 0.5 s"),
              std::string::npos)
        << reason;
  }
}

/// In a head-on motion they collide in the middle of the step: at its second stage.
TEST_F(SwarmRun, AFailedSwarmKeepsTheStateBeforeItsStep) {
  const System system = make_swarm(paper(), 2);
  Ensemble ensemble(system, 2);
  for (const std::size_t member : {0U, 1U}) {
    ensemble.initial("x")[member] = -1;
    ensemble.initial("x")[2 + member] = 1;
    ensemble.initial("y")[member] = ensemble.initial("y")[2 + member] = 0;
    ensemble.initial("x_dot")[member] = member == 0 ? 2 : 0;
    ensemble.initial("x_dot")[2 + member] = member == 0 ? -2 : 0;
    ensemble.parameter("strength")[member] = 0;
  }
  Options options = options_of(system, Backend::cpu);
  options.project_start = false;
  options.time = {.end = 2, .dt = 1, .save_every = 1};
  const Result expected = run(ensemble, options);
  options.backend = Backend::cuda;
  const Result found = run(ensemble, options);
  EXPECT_EQ(found.status(), (std::vector{Status::singular_constraints, Status::ok}));
  EXPECT_EQ(found.status(), expected.status());
  EXPECT_EQ(found.failure_time()[0], 0);
  EXPECT_EQ(found.summary.first_failure(), expected.summary.first_failure());
  EXPECT_EQ(found.values("x", 2)[0], -1);
  EXPECT_EQ(found.values("x", 2)[0], expected.values("x", 2)[0]);
}

TEST_F(SwarmRun, ASwarmThatIsNotFiniteDisturbsNobody) {
  for (const long agents : {50L, most_of_a_block + 1}) {
    const System system = make_swarm(paper(), agents);
    Ensemble ensemble = swarms(system, 3);
    for (const std::size_t member : {0U, 1U, 2U}) let_few_take_part(ensemble, member);
    ensemble.initial("y")[7 * 3 + 1] = std::numeric_limits<double>::quiet_NaN();
    const Result result = run(ensemble, options_of(system, Backend::cuda));
    EXPECT_EQ(result.status(), (std::vector{Status::ok, Status::non_finite, Status::ok}));
    EXPECT_NE(result.summary.first_failure().find("member 1: agent 7 has no finite place"), std::string::npos)
        << result.summary.first_failure();
  }
}

TEST_F(SwarmRun, NoAgentsTakePartAndASwarmSettles) {
  const System system = make_swarm(paper(), 5);
  Ensemble ensemble = swarms(system, 2);
  ensemble.parameter("active")[0] = 0;
  ensemble.parameter("kappa")[1] = 40;
  Options options = options_of(system, Backend::cpu);
  options.project_start = false;
  options.time = {.end = 0.5, .dt = 1e-2, .save_every = 10};
  const Result expected = run(ensemble, options);
  options.backend = Backend::cuda;
  const Result found = run(ensemble, options);
  const std::size_t last = found.times().size() - 1;
  EXPECT_TRUE(std::isnan(found.values("x", last)[0]));
  EXPECT_GT(found.values("settled_time", last)[1], 0);
  EXPECT_LT(found.values("settled_time", last)[1], 0.5);
  EXPECT_EQ(found.values("settled_time", last)[1], expected.values("settled_time", last)[1]);
}

TEST_F(SwarmRun, WhatADeviceHasNotIsRefused) {
  const System system = make_swarm(morse(), 20);
  const auto refused = [&](const auto& change, const std::string& word) {
    Options options = options_of(system, Backend::cuda);
    change(options);
    const Error error = test::error_of([&] { run(swarms(system, 1), options); });
    EXPECT_EQ(error.code(), ExitCode::bad_input);
    EXPECT_NE(std::string(error.what()).find(word), std::string::npos) << error.what();
  };
  refused([](Options& options) { options.pair_sum = PairSum::cells; }, "pair_sum");
  refused([](Options& options) { options.threads_per_member = 4; }, "threads_per_member");
  refused([](Options& options) { options.method.pseudo_inverse = PseudoInverse::cusolver; }, "cusolver");
}

TEST_F(SwarmRun, AutoTakesTheDeviceForWhatItDoesBest) {
  const auto backend = [](const System& system, PairSum method) {
    Options options = options_of(system, Backend::automatic);
    options.pair_sum = method;
    return choose_backend(system, options).backend;
  };
  const System cut = make_swarm(morse(), 20);
  EXPECT_EQ(backend(cut, PairSum::automatic), Backend::cuda);
  EXPECT_EQ(backend(cut, PairSum::cells), Backend::cpu);
  EXPECT_EQ(backend(make_swarm(morse(), 60'000), PairSum::automatic), Backend::cpu);
  System host_only = cut;
  host_only.device_code = {};
  EXPECT_EQ(backend(host_only, PairSum::automatic), Backend::cpu);
}

}  // namespace
}  // namespace kalaba
