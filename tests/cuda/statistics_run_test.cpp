// Runs that save statistics only: reduction on the device gives the same files as reduction of the saved members.
// Linked with nvcc's code (label `gpu`), and with the same algorithms for the host and the emulated GPU.

#include <gtest/gtest.h>

#include <fstream>
#include <limits>

#include "backend/backends.hpp"
#include "driver_help.hpp"
#include "kalaba/ensemble.hpp"
#include "kalaba/statistics.hpp"
#include "output/netcdf/archive.hpp"
#include "output/netcdf/netcdf_statistics.hpp"
#include "output/run_files.hpp"
#include "output_data/fake_run.hpp"
#include "statistics/same_bits.hpp"

namespace kalaba {
namespace {

/// Files of a run, and the calls that they received. They may require members.
class Watched final : public Sink, public ReducedSink {
 public:
  Watched(RunFiles& files, bool needs_members) : files_(files), needs_members_(needs_members) {}

  long frames = 0;
  long reduced_frames = 0;

  void begin(const RunInfo& run) override { files_.begin(run); }
  void begin_block(const Block& block) override { files_.begin_block(block); }
  void write(const Frame& frame) override {
    ++frames;
    files_.write(frame);
  }
  const StatisticsPlan* reduced_plan() const override { return needs_members_ ? nullptr : files_.reduced_plan(); }
  void write_reduced(ReducedFrame frame) override {
    ++reduced_frames;
    files_.write_reduced(std::move(frame));
  }
  void end_block(const Block& block) override { files_.end_block(block); }
  void block_finished(const Summary& so_far) override { files_.block_finished(so_far); }
  void finish(const Summary& summary) override { files_.finish(summary); }

 private:
  RunFiles& files_;
  bool needs_members_;
};

struct Outcome {
  std::string path;
  Summary summary;
  long frames = 0;
  long reduced_frames = 0;

  std::string bytes() const {
    std::ifstream stream(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), {}};
  }
};

class StatisticsRun : public testing::Test {
 protected:
  void SetUp() override {
    if (!cuda_available()) GTEST_SKIP() << "no GPU: " << cuda_unavailable_reason();
    ASSERT_EQ(cuda_statistics_text(), "reduced on the device");
    ensemble_.emplace(system_, members);
    for (std::size_t i = 0; i < members; ++i) ensemble_->parameter("L")[i] = 0.5 + 1e-4 * static_cast<double>(i % 1000);
    ensemble_->restart();
    ensemble_->initial("x")[7000] = std::numeric_limits<double>::quiet_NaN();
  }

  /// A chunk of 0 has the maximum size.
  Options options(long chunk) const {
    Options options = default_options(system_);
    options.backend = Backend::cuda;
    options.time = {.start = 0, .end = 0.02, .dt = 1e-2, .save_every = 1};
    options.fields = {Field::q, Field::energy};
    options.statistics.kinds = {Statistic::mean, Statistic::std, Statistic::min, Statistic::max, Statistic::quantiles};
    options.trajectories = false;
    options.block_members = chunk;
    return options;
  }

  Outcome run_to(const std::string& name, const Options& options, bool needs_members = false) const {
    Outcome outcome{.path = folder_ / name, .summary = {}};
    RunFiles files(std::make_unique<RunLock>(outcome.path), outcome.path, {}, options, std::nullopt);
    Watched sink(files, needs_members);
    Sink* const sinks[] = {&sink};
    outcome.summary = run(system_, *ensemble_, options, sinks);
    outcome.frames = sink.frames;
    outcome.reduced_frames = sink.reduced_frames;
    return outcome;
  }

  static void expect_same(const Summary& found, const Summary& expected) {
    EXPECT_EQ(found.worst_violation, expected.worst_violation);
    EXPECT_EQ(found.worst_residual, expected.worst_residual);
    EXPECT_EQ(found.by_status, expected.by_status);
    EXPECT_EQ(found.rank_changes, expected.rank_changes);
    EXPECT_EQ(found.member_steps, expected.member_steps);
    EXPECT_EQ(found.rejected_steps, expected.rejected_steps);
  }

  static constexpr long members = 3 * leaf_members + 100;
  static constexpr long frames = 3;
  const System& system_ = find_system("spherical_pendulum");
  std::optional<Ensemble> ensemble_;
  TemporaryFolder folder_;
};

TEST_F(StatisticsRun, GivesTheSameFileAsThatOfMembersOnTheHostWhateverTheChunk) {
  const Outcome expected = run_to("host.csv", options(0), true);
  EXPECT_EQ(expected.reduced_frames, 0);
  EXPECT_EQ(expected.summary.failed(), 1);
  EXPECT_GT(expected.summary.worst_violation, 0);
  for (const long chunk : {0L, 4096L, 9000L}) {
    const Outcome found = run_to("device.csv", options(chunk));
    EXPECT_EQ(found.bytes(), expected.bytes()) << chunk;
    expect_same(found.summary, expected.summary);
    EXPECT_EQ(found.frames, 0);
    EXPECT_EQ(found.reduced_frames, frames * (chunk == 0 ? 1 : chunk == 4096 ? 4 : 2));
  }
}

TEST_F(StatisticsRun, OfSavedComponentsAreReducedOnTheDevice) {
  Options some = options(0);
  some.fields = {Field::energy};
  some.fields.add_component(Field::q, "z");
  some.fields.add_component(Field::w, "p_y");
  const Outcome expected = run_to("host.csv", some, true);
  const Outcome found = run_to("device.csv", some);
  EXPECT_EQ(found.bytes(), expected.bytes());
  EXPECT_EQ(found.frames, 0);
  EXPECT_EQ(found.reduced_frames, frames);
}

TEST_F(StatisticsRun, TakesMembersToTheHostWhereAChunkHoldsNoWholeLeaf) {
  const Outcome found = run_to("small.csv", options(4000));
  EXPECT_EQ(found.reduced_frames, 0);
  EXPECT_EQ(found.bytes(), run_to("whole.csv", options(0)).bytes());
}

TEST_F(StatisticsRun, TakesMembersToTheHostWhereTheyAreSaved) {
  Options saved = options(0);
  saved.trajectories = true;
  const Outcome found = run_to("all.nc", saved);
  EXPECT_EQ(found.reduced_frames, 0);
  EXPECT_EQ(found.frames, frames);
}

TEST_F(StatisticsRun, OfAnAdaptiveIntegratorBetweenStepsAndWithSmallSamplesIsTheSameInNetcdf) {
  Options adaptive = options(8192);
  adaptive.method.integrator = Integrator::dopri5;
  adaptive.save_at = {0.004, 0.013, 0.02};
  adaptive.fields = {Field::q, Field::residual, Field::energy};
  adaptive.statistics.quantiles = {0, 0.25, 0.5, 1};
  adaptive.memory_budget = 400e3;
  ASSERT_GT(plan_statistics(system_.info, adaptive, members, frames).rank_error, 0);  // samples are merged
  const Outcome host = run_to("host.nc", adaptive, true);
  const Outcome device = run_to("device.nc", adaptive);
  EXPECT_EQ(device.frames, 0);
  expect_same(device.summary, host.summary);
  EXPECT_GT(device.summary.member_steps, 0);
  const EnsembleStatistics found = statistics_of(Archive(device.path));
  EXPECT_EQ(found.fields.size(), 3U);
  expect_same_bits(found, statistics_of(Archive(host.path)));
}

TEST_F(StatisticsRun, OfTwoDevicesIsThatOfOne) {
  if (!has(cuda::device_info(0).name, "Emulated")) GTEST_SKIP() << "there may be one device";
  const Outcome one = run_to("one.csv", options(0));
  const cuda::Setting two_devices("KALABA_EMULATED_DEVICES", "2");
  for (const long chunk : {0L, 8192L}) {
    const Outcome two = run_to("two.csv", options(chunk));
    EXPECT_NE(two.summary.device.find("Emulated GPU 1"), std::string::npos) << two.summary.device;
    EXPECT_EQ(two.frames, 0);
    EXPECT_EQ(two.bytes(), one.bytes());
    expect_same(two.summary, one.summary);
  }
}

}  // namespace
}  // namespace kalaba
