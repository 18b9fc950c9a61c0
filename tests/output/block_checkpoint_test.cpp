#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <stop_token>

#include "output/netcdf/netcdf_file.hpp"
#include "output/run_files.hpp"
#include "output_data/fake_run.hpp"
#include "output_data/same_file.hpp"
#include "scenario/scenario.hpp"
#include "support/checkpoint_keeper.hpp"

namespace kalaba {
namespace {

using test::Keeper;

Scenario swarms(long members) {
  return load_scenario(
      "swarm", {"structure.agents=12", "initial.agents={disk=4}", "parameters.kappa=8", "parameters.settled=10",
                "time.end=0.4", "time.dt=0.01", "time.save_every=5", "ensemble.members=" + std::to_string(members),
                "initial.project=false", "output.statistics=[\"mean\", \"quantiles\"]"});
}

/// Compares numbers; NaN equals NaN.
bool same(const std::vector<double>& a, const std::vector<double>& b) {
  return std::ranges::equal(a, b, [](double x, double y) { return x == y || (std::isnan(x) && std::isnan(y)); });
}

TEST(BlockCheckpoint, ASwarmGoesOnFromEverySavedTimeWithTheSameBits) {
  const Scenario scenario = swarms(3);
  Keeper unbroken(nullptr);
  Sink* const sinks[] = {&unbroken};
  run(*scenario.system, *scenario.source, scenario.options, sinks);
  ASSERT_EQ(unbroken.places.size(), 8U);  // of 9 saved times
  for (std::size_t i = 0; i < unbroken.places.size(); ++i) {
    const BlockCheckpoint& place = unbroken.places[i];
    EXPECT_EQ(place.step, 5 * place.frame);
    Keeper resumed(&place);
    Sink* const resumed_sinks[] = {&resumed};
    run(*scenario.system, *scenario.source, scenario.options, resumed_sinks, {}, {}, {0, -1, unbroken.before[i]});
    EXPECT_EQ(resumed.frames.size(), 9U - static_cast<std::size_t>(place.frame));
    for (const auto& [frame, fields] : resumed.frames) {
      for (std::size_t field = 0; field < fields.size(); ++field) {
        EXPECT_TRUE(same(fields[field], unbroken.frames[frame][field])) << "frame " << frame << ", field " << field;
      }
    }
    EXPECT_EQ(resumed.end, unbroken.end);
    EXPECT_EQ(resumed.whole.member_steps, unbroken.whole.member_steps);
    EXPECT_EQ(resumed.whole.worst_violation, unbroken.whole.worst_violation);
  }
}

class StoppedSwarm : public testing::Test {
 protected:
  /// Resumes the integration and continues until it is stopped: at every saved time, or never.
  static Summary integrate(const Scenario& scenario, const std::string& path, bool stops) {
    RunFiles files(std::make_unique<RunLock>(path), path, Provenance{scenario.text, scenario.seed, "1", "c"},
                   scenario.options, read_checkpoint(path));
    Sink* const sinks[] = {&files};
    std::stop_source stop;
    const auto progress = [&](const Progress&) {
      if (stops) stop.request_stop();
    };
    return run(*scenario.system, *scenario.source, scenario.options, sinks, progress, stop.get_token(),
               {0, -1, files.before()});
  }

  TemporaryFolder folder_;
};

TEST_F(StoppedSwarm, EndsAsAnUnbrokenOne) {
  const Scenario scenario = swarms(1);
  const std::string whole = folder_ / "whole.nc";
  const std::string path = folder_ / "stopped.nc";
  const Summary unbroken = integrate(scenario, whole, false);
  Summary resumed = integrate(scenario, path, true);
  EXPECT_TRUE(resumed.interrupted);
  EXPECT_EQ(resumed.finished_members, 0);
  ASSERT_TRUE(read_checkpoint(path).has_value());
  EXPECT_EQ(read_checkpoint(path)->block_checkpoint->frame, 2);
  int stops = 1;
  for (; stops < 20 && resumed.interrupted; ++stops) resumed = integrate(scenario, path, true);
  EXPECT_EQ(stops, 8);
  EXPECT_FALSE(read_checkpoint(path).has_value());
  EXPECT_EQ(resumed.by_status, unbroken.by_status);
  EXPECT_EQ(resumed.member_steps, unbroken.member_steps);
  EXPECT_EQ(resumed.worst_violation, unbroken.worst_violation);
  const NetcdfFile a = NetcdfFile::open(path);
  const NetcdfFile b = NetcdfFile::open(whole);
  EXPECT_EQ(numbers_of(a), numbers_of(b));
  EXPECT_EQ(attributes_of(a), attributes_of(b));
}

/// An interrupt before new data is written loses no previous data.
TEST_F(StoppedSwarm, StoppedAgainAtOnceItIsWhereItWas) {
  const Scenario scenario = swarms(1);
  const std::string path = folder_ / "stopped.nc";
  integrate(scenario, path, true);
  const std::optional<Checkpoint> before = read_checkpoint(path);
  const auto numbers = numbers_of(NetcdfFile::open(folder_ / "stopped.partial.nc"));
  {
    RunFiles files(std::make_unique<RunLock>(path), path, before->provenance, scenario.options, before);
    Sink* const sinks[] = {&files};
    std::stop_source stop;
    stop.request_stop();
    run(*scenario.system, *scenario.source, scenario.options, sinks, {}, stop.get_token(), {0, -1, files.before()});
  }
  EXPECT_EQ(read_checkpoint(path)->block_checkpoint->state, before->block_checkpoint->state);
  EXPECT_EQ(numbers_of(NetcdfFile::open(folder_ / "stopped.partial.nc")), numbers);
}

/// A CSV file is written member by member: it has no data of a swarm before the swarm's end.
TEST_F(StoppedSwarm, InACsvItBeginsAnew) {
  EXPECT_TRUE(integrate(swarms(1), folder_ / "stopped.csv", true).interrupted);
  EXPECT_FALSE(read_checkpoint(folder_ / "stopped.csv").has_value());
}

}  // namespace
}  // namespace kalaba
