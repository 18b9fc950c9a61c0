#include <gtest/gtest.h>

#include <fstream>

#include "kalaba/statistics.hpp"
#include "output/run_files.hpp"
#include "output_data/fake_run.hpp"
#include "scenario/document/text_difference.hpp"
#include "statistics/all_kinds.hpp"
#include "statistics/same_bits.hpp"
#include "support/error_of.hpp"

namespace kalaba {
namespace {

constexpr long leaf = leaf_members;

// --- statistics

FakeRun numbers(long members, double memory) {
  FakeRun run;
  run.members = members;
  run.fields = {Field::energy};
  run.times = {0.5};
  ask_for_everything(run);
  run.memory = memory;
  run.status = [](long member, double) {
    const bool failed = member % 5 == 2 || (member > 3 * leaf && member < 6 * leaf);
    return failed ? Status::not_converged : Status::ok;
  };
  return run;
}

/// Feeds members first ... end - 1.
void feed(const FakeRun& run, Sink& sink, long first, long end) {
  Block block(static_cast<int>(run.system.parameters.size()), 3, 2, leaf);
  for (; first < end; first += block.members) {
    block.assign(first, std::min(leaf, end - first));
    run.feed_block(block, sink);
  }
}

RunInfo part(const FakeRun& run, long first, long end) {
  RunInfo info = run.info();
  info.first_member = first;
  info.members = end - first;
  info.ensemble_members = run.members;
  return info;
}

class StatisticsState : public testing::TestWithParam<double> {};

TEST_P(StatisticsState, OfPartsIsThatOfTheWhole) {
  const FakeRun run = numbers(13 * leaf + 77, GetParam());
  StatisticsSink whole;
  whole.begin(run.info());
  feed(run, whole, 0, run.members);
  whole.finish({});
  for (const std::vector<long>& bounds : {std::vector<long>{7}, {1, 2, 3, 6, 11}, {5, 12, 13}}) {
    StatisticsSink merged;
    merged.begin(run.info());
    long first = 0;
    for (std::size_t i = 0; i <= bounds.size(); ++i) {
      const long end = i < bounds.size() ? bounds[i] * leaf : run.members;
      StatisticsSink sink;
      sink.begin(part(run, first, end));
      feed(run, sink, first, end);
      merged.absorb(sink.state());
      first = end;
    }
    merged.finish({});
    expect_same_bits(merged.result(), whole.result());
  }
}

TEST_P(StatisticsState, IsGoneOnWith) {
  const FakeRun run = numbers(5 * leaf + 5, GetParam());
  StatisticsSink whole;
  whole.begin(run.info());
  feed(run, whole, 0, run.members);
  whole.finish({});
  for (const long stop : {1L, leaf, 2 * leaf + 100, run.members}) {
    SCOPED_TRACE(stop);
    StatisticsSink before;
    before.begin(run.info());
    feed(run, before, 0, stop);
    StatisticsSink after;
    after.begin(run.info());
    after.absorb(before.state());
    EXPECT_EQ(after.state(), before.state());
    feed(run, after, stop, run.members);
    after.finish({});
    expect_same_bits(after.result(), whole.result());
  }
}

INSTANTIATE_TEST_SUITE_P(Memory, StatisticsState, testing::Values(256e6, 12e4),
                         [](const auto& info) { return info.param > 1e6 ? "exact" : "sketched"; });

TEST(StatisticsState, ThatDoesNotFitIsRefused) {
  const FakeRun run = numbers(3 * leaf, 256e6);
  StatisticsSink second;
  second.begin(part(run, leaf, 2 * leaf));
  feed(run, second, leaf, 2 * leaf);
  const std::string state = second.state();
  StatisticsSink sink;
  sink.begin(run.info());
  EXPECT_NE(test::message_of([&] { sink.absorb(state); }, ExitCode::file_error).find("members that come next"),
            std::string::npos);
  EXPECT_NE(test::message_of([&] { sink.absorb(state.substr(0, 40)); }, ExitCode::file_error).find("is damaged"),
            std::string::npos);
}

// --- files

class ResumedFile : public testing::TestWithParam<const char*> {
 protected:
  FakeRun run() const {
    FakeRun run;
    run.members = 20;
    run.statistics.kinds = {Statistic::mean, Statistic::quantiles};
    return run;
  }
  std::unique_ptr<RunFiles> files(const std::string& path, std::optional<Checkpoint> checkpoint = {}) const {
    return std::make_unique<RunFiles>(std::make_unique<RunLock>(path), path, Provenance{"system = 1\n", 7, "1", "c"},
                                      run().info().options, std::move(checkpoint));
  }
  TemporaryFolder folder_;
};

/// Most bytes in which two files differ: the time when they were made, and the checksums of it.
constexpr long most_differences = 20 + 16;

/// Bytes that differ.
long differences(const std::string& a, const std::string& b) {
  if (a.size() != b.size()) return -1;
  long count = 0;
  for (std::size_t i = 0; i < a.size(); ++i) count += a[i] != b[i] ? 1 : 0;
  return count;
}

TEST_P(ResumedFile, IsThatOfAnUnbrokenRun) {
  const std::string ending = GetParam();
  const std::string whole = folder_ / ("whole" + ending);
  {
    const auto sink = files(whole);
    sink->begin(run().info());
    sink->finish(run().feed_blocks(*sink, {}, 100));
  }
  const std::string path = folder_ / ("broken" + ending);
  for (long blocks = 0; blocks <= 5; ++blocks) {
    SCOPED_TRACE(blocks);
    Summary saved;
    {
      const auto sink = files(path);
      sink->begin(run().info());
      run().feed_blocks(*sink, {}, blocks);
      saved = sink->before();
      EXPECT_EQ(sink->has_progress(), blocks > 0);
      std::filesystem::copy(checkpoint_path(path), path + ".kept");
    }
    EXPECT_EQ(std::filesystem::exists(checkpoint_path(path)), blocks > 0);
    if (blocks > 0) {
      // Possible changes of an interrupted finish.
      std::fstream file(folder_ / ("broken.partial" + ending), std::ios::in | std::ios::out | std::ios::binary);
      if (ending == ".nc") file.write("no metadata any more", 20);
      file.seekp(0, std::ios::end);
      file << "more";
      file.close();
      std::filesystem::remove(path + ".kept");
      const auto sink = files(path, read_checkpoint(path));
      sink->begin(run().info());
      sink->finish(run().feed_blocks(*sink, saved, 100));
      const long bytes = differences(bytes_of(path), bytes_of(whole));
      EXPECT_GE(bytes, 0);
      EXPECT_LE(bytes, ending == ".nc" ? most_differences : 0);
      EXPECT_FALSE(std::filesystem::exists(checkpoint_path(path)));
    }
    std::filesystem::remove(path + ".kept");
  }
}

TEST_P(ResumedFile, InterruptedFileIsGoneOnWithToo) {
  const std::string ending = GetParam();
  const std::string whole = folder_ / ("whole" + ending);
  const std::string path = folder_ / ("stopped" + ending);
  {
    const auto sink = files(whole);
    sink->begin(run().info());
    sink->finish(run().feed_blocks(*sink, {}, 100));
  }
  {
    const auto sink = files(path);
    sink->begin(run().info());
    Summary summary = run().feed_blocks(*sink, {}, 3);
    summary.interrupted = true;
    sink->finish(summary);
    EXPECT_EQ(sink->published_paths().front(), folder_ / ("stopped.partial" + ending));
  }
  const std::optional<Checkpoint> checkpoint = read_checkpoint(path);
  ASSERT_TRUE(checkpoint.has_value());
  const auto sink = files(path, checkpoint);
  sink->begin(run().info());
  sink->finish(run().feed_blocks(*sink, checkpoint->summary, 100));
  EXPECT_LE(differences(bytes_of(path), bytes_of(whole)), ending == ".nc" ? most_differences : 0);
  EXPECT_FALSE(std::filesystem::exists(folder_ / ("stopped.partial" + ending)));
}

INSTANTIATE_TEST_SUITE_P(Formats, ResumedFile, testing::Values(".nc", ".csv"),
                         [](const auto& info) { return std::string(info.param + 1); });

TEST(RunLock, IsHeldByOneAtATime) {
  const TemporaryFolder folder;
  {
    const RunLock first(folder / "run.nc");
    EXPECT_NE(test::message_of([&] { RunLock(folder / "run.nc"); }, ExitCode::file_error).find("is writing it"),
              std::string::npos);
    const RunLock other(folder / "other.nc");
  }
  const RunLock again(folder / "run.nc");
}

TEST(TextDifference, NamesTheFirstKeyThatCounts) {
  const std::string text =
      "system = \"a\"\n\n[time]\nend = 3.0\n\n[solver]\nthreads = 1\n\n[output]\nfile = \"a.nc\"\n";
  const auto changed = [&](const std::string& from, const std::string& to) {
    std::string other = text;
    return text_difference(text, other.replace(other.find(from), from.size(), to));
  };
  EXPECT_EQ(text_difference(text, text), "");
  EXPECT_EQ(changed("threads = 1", "threads = 8"), "");
  EXPECT_EQ(changed("a.nc", "b.nc"), "");
  EXPECT_EQ(changed("end = 3.0", "end = 4.0"), "time.end was 3.0, is now 4.0");
  EXPECT_EQ(changed("end = 3.0\n", ""), "time.end was 3.0, is now not given");
  EXPECT_EQ(changed("end = 3.0\n", "end = 3.0\ndt = 1.0\n"), "time.dt was not given, is now 1.0");
}

}  // namespace
}  // namespace kalaba
