#include <gtest/gtest.h>

#include <ostream>

#include "output/netcdf/netcdf_file.hpp"
#include "output/run_files.hpp"
#include "output_data/fake_run.hpp"
#include "output_data/same_file.hpp"
#include "scenario/scenario.hpp"

namespace kalaba {
namespace {

struct Broken {};

/// Interrupts a run in the middle of a block, like a kill: no sink's finish is called.
class Breaker final : public Sink {
 public:
  explicit Breaker(long blocks) : blocks_left_(blocks) {}
  void begin(const RunInfo& run) override { last_frame_ = static_cast<long>(run.times.size()) - 1; }
  void write(const Frame& frame) override {
    if (blocks_left_ == 0 && frame.index == last_frame_) throw Broken();
  }
  void end_block(const Block&) override { --blocks_left_; }
  void finish(const Summary&) override {}

 private:
  long blocks_left_;
  long last_frame_ = 0;
};

struct Case {
  const char* name;
  const char* system;
  std::vector<std::string> overrides;
  std::vector<std::string> statistics = {};  // empty: some
};
void PrintTo(const Case& given, std::ostream* out) { *out << given.name; }

const std::vector<Case> cases = {
    {"rk4", "two_particles_incline", {"time.end=0.3", "time.save_every=100"}},
    {"rk4_between_steps", "two_particles_incline", {"time.end=0.3", "time.save_at=[0.01, 0.12345, 0.2]"}},
    {"single_precision", "spherical_pendulum", {"time.end=0.2", "time.save_every=100", "solver.precision=single"}},
    {"statistics_of_inputs",
     "spherical_pendulum",
     {"time.end=0.2", "time.save_every=100", "parameters.m={values=[1, 2, 3]}",
      "correlated=[{variables=['parameters.L', 'initial.p_y'], mean=[1, 0], covariance=[[0.01, 0.01], [0.01, 0.04]]}]"},
     {"output.statistics=['max', 'histogram', 'correlation']", "output.histogram={bins=5, z=[-2, 2]}",
      "output.group_by=parameters.m"}},
    {"histograms_without_ranges",
     "spherical_pendulum",
     {"time.end=0.2", "time.save_every=100", "parameters.L={uniform=[0.5, 2]}"},
     {"output.statistics=['histogram']"}},
    {"dopri5",
     "spherical_pendulum",
     {"time.end=2", "time.save_every=500", "solver.integrator=dopri5", "parameters.L={uniform=[0.1, 2]}"}},
    {"dopri5_save_at",
     "spherical_pendulum",
     {"time.end=2", "time.save_at=[0.1, 0.33333, 1.7]", "solver.integrator=dopri5",
      "parameters.L={log_uniform=[0.01, 2]}"}},
    {"dop853_save_at",
     "spherical_pendulum",
     {"time.end=2", "time.save_at=[0.1, 0.33333, 1.7]", "solver.integrator=dop853",
      "parameters.L={log_uniform=[0.01, 2]}"}},
    {"events",
     "spherical_pendulum",
     {"time.end=0.5", "time.save_every=100", "parameters.L={uniform=[0.5, 2]}",
      "events=[{name='low', when='x - 0.2*L'}, {name='half', when='x - 0.5*L', action='record'}]"}},
    {"dopri5_events",
     "spherical_pendulum",
     {"time.end=0.5", "time.save_every=100", "parameters.L={uniform=[0.5, 2]}", "solver.integrator=dopri5",
      "events=[{name='low', when='x - 0.2*L'}, {name='half', when='x - 0.5*L', action='record'}]"}},
    {"lyapunov_exponents",
     "spherical_pendulum",
     {"time.end=2", "time.save_every=500", "parameters.L={uniform=[0.5, 2]}", "sensitivities.lyapunov=true"}},
    {"components",
     "spherical_pendulum",
     {"time.end=0.3", "time.save_every=100", "output.fields=['z', 'energy', 'lambda_1']"}},
    {"components_of_agents",
     "swarm",
     {"structure.agents=12", "initial.agents={disk=4}", "parameters.kappa={uniform=[1, 3]}", "time.end=0.2",
      "time.dt=0.01", "time.save_every=5", "output.fields=['y', 'radius']"}},
    {"swarm",
     "swarm",
     {"structure.agents=12", "initial.agents={disk=4}", "parameters.kappa={uniform=[1, 3]}", "time.end=0.2",
      "time.dt=0.01", "time.save_every=5"}},
    {"swarm_in_space",
     "swarm",
     {"structure.agents=7", "structure.dimension=3", "initial.agents={normal=3}", "parameters.kappa={uniform=[1, 3]}",
      "time.end=0.2", "time.dt=0.01", "time.save_every=\"final\"", "output.fields=[\"q\", \"invariants\"]"}},
};

class ResumedRun : public testing::TestWithParam<std::tuple<Case, const char*>> {
 protected:
  static Scenario scenario() {
    std::vector<std::string> overrides = {"ensemble.members=30", "solver.block_members=7", "solver.backend=cpu"};
    const Case& given = std::get<0>(GetParam());
    if (given.statistics.empty()) overrides.emplace_back("output.statistics=['mean', 'std', 'quantiles']");
    overrides.insert(overrides.end(), given.statistics.begin(), given.statistics.end());
    overrides.insert(overrides.end(), given.overrides.begin(), given.overrides.end());
    return load_scenario(given.system, overrides);
  }

  /// Integrates to the end, or until it breaks off behind so many blocks.
  static std::optional<Summary> integrate(const Scenario& scenario, const std::string& path, long blocks) {
    RunFiles files(std::make_unique<RunLock>(path), path, Provenance{scenario.text, scenario.seed, "1", "c"},
                   scenario.options, read_checkpoint(path));
    Breaker breaker(blocks);
    Sink* const sinks[] = {&files, &breaker};
    try {
      return run(*scenario.system, *scenario.source, scenario.options, sinks, {}, {}, {0, -1, files.before()});
    } catch (const Broken&) {
      return std::nullopt;
    }
  }

  TemporaryFolder folder_;
};

TEST_P(ResumedRun, EndsAsAnUnbrokenOne) {
  const Scenario scenario = ResumedRun::scenario();
  const std::string ending = std::get<1>(GetParam());
  const std::string whole = folder_ / ("whole" + ending);
  const std::string path = folder_ / ("broken" + ending);
  const Summary unbroken = integrate(scenario, whole, -1).value();
  EXPECT_EQ(unbroken.failed(), 0);
  EXPECT_FALSE(integrate(scenario, path, 0).has_value());
  EXPECT_FALSE(read_checkpoint(path).has_value());  // there was nothing to keep
  std::optional<Summary> resumed;
  int breaks = 0;
  for (; breaks < 10 && !resumed; ++breaks) resumed = integrate(scenario, path, 1);
  ASSERT_TRUE(resumed.has_value());
  EXPECT_EQ(breaks, 5);  // 30 members in blocks of 7, one each time

  EXPECT_EQ(resumed->by_status, unbroken.by_status);
  EXPECT_EQ(resumed->finished_members, unbroken.finished_members);
  EXPECT_EQ(resumed->member_steps, unbroken.member_steps);
  EXPECT_EQ(resumed->rejected_steps, unbroken.rejected_steps);
  EXPECT_EQ(resumed->rank_changes, unbroken.rank_changes);
  ASSERT_EQ(resumed->events.size(), scenario.options.events.size());
  for (std::size_t i = 0; i < resumed->events.size(); ++i) {
    EXPECT_GT(unbroken.events[i].members, 0);
    EXPECT_EQ(resumed->events[i].members, unbroken.events[i].members);
    EXPECT_EQ(resumed->events[i].crossings, unbroken.events[i].crossings);
    EXPECT_EQ(resumed->events[i].earliest, unbroken.events[i].earliest);
    EXPECT_EQ(resumed->events[i].latest, unbroken.events[i].latest);
  }
  EXPECT_EQ(resumed->worst_violation, unbroken.worst_violation);
  EXPECT_EQ(resumed->worst_residual, unbroken.worst_residual);
  if (ending == ".nc") {
    const NetcdfFile a = NetcdfFile::open(path);
    const NetcdfFile b = NetcdfFile::open(whole);
    EXPECT_EQ(numbers_of(a), numbers_of(b));
    EXPECT_EQ(attributes_of(a), attributes_of(b));
  } else {
    EXPECT_EQ(bytes_of(path), bytes_of(whole));
    EXPECT_EQ(bytes_of(folder_ / "broken.statistics.csv"), bytes_of(folder_ / "whole.statistics.csv"));
    if (!unbroken.events.empty()) {
      EXPECT_EQ(bytes_of(folder_ / "broken.events.csv"), bytes_of(folder_ / "whole.events.csv"));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Scenarios, ResumedRun,
                         testing::Combine(testing::ValuesIn(cases), testing::Values(".nc", ".csv")),
                         [](const auto& info) {
                           return std::string(std::get<0>(info.param).name) + "_" + (std::get<1>(info.param) + 1);
                         });

}  // namespace
}  // namespace kalaba
