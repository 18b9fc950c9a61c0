#include <gtest/gtest.h>

#include <cmath>

#include "engine/statistics/bin_counts.hpp"
#include "engine/statistics/co_moments.hpp"
#include "kalaba/error.hpp"
#include "kalaba/statistics.hpp"
#include "statistics/all_kinds.hpp"
#include "statistics/plain.hpp"
#include "statistics/same_bits.hpp"
#include "support/error_of.hpp"

namespace kalaba {
namespace {

/// A cart of which members fail, among them whole leaves, and whose energy follows a parameter and is not always a
/// number.
FakeRun cart_of_inputs(long members) {
  FakeRun run;
  run.members = members;
  run.block_members = members;
  run.fields = {Field::q, Field::energy};
  ask_for_everything(run);
  run.value = [](Field field, std::size_t component, long member, double time) {
    const double value = fake_value(field, component, member, time);
    if (field != Field::energy) return component == 1 ? 2.5 : value;
    if (member % 7 == 0) return nan_number;
    return value + 0.4 * time * std::fmod(0.7548776662466927 * static_cast<double>(member), 1);
  };
  run.status = fails_later;
  return run;
}

/// The members that count, in a group of the second parameter where one is named, and their numbers.
struct Counted {
  std::vector<double> inputs;
  std::vector<double> values;
};
Counted counted(const FakeRun& run, Field field, std::size_t component, double time, double group = nan_number) {
  Counted found;
  for (long member = 0; member < run.members; ++member) {
    const double value = run.value(field, component, member, time);
    if (run.status(member, time) != Status::ok || !std::isfinite(value)) continue;
    if (!std::isnan(group) && run.parameter(1, member) != group) continue;
    found.inputs.push_back(run.parameter(0, member));
    found.values.push_back(value);
  }
  return found;
}

TEST(Correlation, IsPearsonsOfTheMembersThatCount) {
  const FakeRun run = cart_of_inputs(12'345);
  const EnsembleStatistics found = statistics_of(run);
  EXPECT_EQ(found.inputs, std::vector<std::string>{"parameters.m"});
  const FieldStatistics& energy = found.fields[1];
  ASSERT_EQ(energy.correlation.size(), 3U);
  for (std::size_t time = 0; time < 3; ++time) {
    const Counted plain = counted(run, Field::energy, 0, run.times[time]);
    EXPECT_EQ(energy.count[time], static_cast<double>(plain.values.size()));
    EXPECT_NEAR(energy.correlation[time], plain_correlation(plain.inputs, plain.values), 1e-12);
  }
  EXPECT_LT(std::abs(energy.correlation[0]), 0.02);
  EXPECT_GT(energy.correlation[2], 0.4);
  const FieldStatistics& q = found.fields[0];
  EXPECT_TRUE(std::isnan(q.correlation[1]));  // a component that is the same for all
  EXPECT_FALSE(std::isnan(q.correlation[0]));
}

TEST(Correlation, IsOneOfWhatIsProportional) {
  FakeRun run = cart_of_inputs(9'000);
  run.value = [](Field, std::size_t component, long member, double) {
    const double number = std::fmod(0.7548776662466927 * static_cast<double>(member), 1);
    return component == 0 ? 3 * number : 7 - 1e-9 * number;
  };
  run.status = [](long, double) { return Status::ok; };
  const EnsembleStatistics found = statistics_of(run);
  EXPECT_NEAR(found.fields[0].correlation[0], 1, 1e-9);  // the parameter has lost digits to its offset of a million
  EXPECT_NEAR(found.fields[0].correlation[1], -1, 1e-7);
}

TEST(Correlation, TakesInitialValuesAsTheyWereGiven) {
  FakeRun run = cart_of_inputs(2);
  run.statistics.inputs = {"initial.angle", "initial.spin"};
  StatisticsSink sink;
  sink.begin(run.info());
  Block block(2, 3, 2, 2);
  block.assign(0, 2);
  block.coordinate(2)[0] = 1;
  block.rate(1)[1] = 1;
  sink.begin_block(block);
  block.q.assign(block.q.size(), 5);  // the members move on
  Observation seen;
  seen.status.resize(64);
  for (auto& values : seen.values) values.resize(3 * 64);
  seen.values[static_cast<std::size_t>(Field::energy)][0] = 8;
  sink.write({0, 0.0, block, seen});
  sink.finish({});
  EXPECT_DOUBLE_EQ(sink.result().fields[1].correlation[0], 1);
  EXPECT_DOUBLE_EQ(sink.result().fields[1].correlation[3], -1);
}

TEST(Groups, AreThoseOfTheMembersThatHaveAValue) {
  const FakeRun run = cart_of_inputs(12'345);
  const EnsembleStatistics found = statistics_of(run);
  EXPECT_EQ(found.group_by, "parameters.time");
  EXPECT_EQ(found.groups, (std::vector<double>{-1, 0, 1}));
  const FieldStatistics& energy = found.fields[1];
  ASSERT_EQ(energy.group_mean.size(), 9U);
  for (std::size_t group = 0; group < 3; ++group) {
    for (std::size_t time = 0; time < 3; ++time) {
      const Moments plain = plain_moments(counted(run, Field::energy, 0, run.times[time], found.groups[group]).values);
      const std::size_t place = group * 3 + time;
      const double deviation = std::sqrt(plain.squares / plain.count);
      EXPECT_EQ(energy.group_count[place], plain.count);
      EXPECT_NEAR(energy.group_mean[place], plain.mean, 1e-13);
      EXPECT_NEAR(energy.group_std[place], deviation, 1e-12);
      EXPECT_EQ(energy.group_min[place], plain.least);
      EXPECT_EQ(energy.group_max[place], plain.greatest);
    }
  }
}

TEST(Groups, LeaveOutMembersOfOtherValuesAndMayBeEmpty) {
  FakeRun run = cart_of_inputs(3'000);
  run.statistics.groups = {0.5, 1};
  const EnsembleStatistics found = statistics_of(run);
  const FieldStatistics& q = found.fields[0];
  EXPECT_EQ(q.group_count[0], 0);
  EXPECT_TRUE(std::isnan(q.group_mean[0]));
  EXPECT_EQ(q.group_count[9], 1000);
  EXPECT_EQ(q.count[0], 3000);
}

TEST(Histogram, CountsTheMembersOfEachBin) {
  const FakeRun run = cart_of_inputs(12'345);
  const EnsembleStatistics found = statistics_of(run);
  EXPECT_TRUE(found.fields[0].histogram.empty());  // no range of its components is given
  const FieldStatistics& energy = found.fields[1];
  ASSERT_EQ(energy.histogram.size(), 3U * 7U);
  ASSERT_EQ(energy.bin_edges.size(), 8U);
  EXPECT_EQ(energy.bin_edges.front(), 4.8);
  EXPECT_EQ(energy.bin_edges.back(), 5.1);
  for (std::size_t time = 0; time < 3; ++time) {
    const std::vector<double> values = counted(run, Field::energy, 0, run.times[time]).values;
    const auto count = [&](double low, double high) {
      return static_cast<double>(std::ranges::count_if(values, [&](double v) { return v >= low && v < high; }));
    };
    EXPECT_EQ(energy.below[time], count(-HUGE_VAL, 4.8));
    EXPECT_EQ(energy.above[time], count(5.1, HUGE_VAL));  // no value is just 5.1
    EXPECT_GT(energy.above[time], 0);
    for (std::size_t bin = 0; bin < 7; ++bin) {
      EXPECT_EQ(energy.histogram[time * 7 + bin], count(energy.bin_edges[bin], energy.bin_edges[bin + 1])) << bin;
    }
  }
}

TEST(Histogram, PutsEdgesWhereNumpyDoes) {
  FakeRun run = cart_of_inputs(44);
  run.statistics.bins = 10;
  run.statistics.histograms = {{"energy", 0, 1}};
  run.status = [](long, double) { return Status::ok; };
  // The very edges of the bins, four times each: a bin holds its lower one, and the last one both of its own.
  run.value = [](Field, std::size_t, long member, double) { return static_cast<double>(member % 11) / 10; };
  const FieldStatistics energy = statistics_of(run).fields[1];
  EXPECT_EQ(energy.below[0] + energy.above[0], 0);
  for (std::size_t bin = 0; bin < 10; ++bin) EXPECT_EQ(energy.histogram[bin], bin < 9 ? 4 : 8) << bin;
}

TEST(Histogram, PutsEveryEdgeIntoItsBinWhateverTheQuotientRoundsTo) {
  for (const double low : {-0.7, 0.1, 1e6}) {
    for (std::size_t bins = 1; bins < 100; ++bins) {
      const std::vector<double> edges = even_edges(low, low + 0.9, bins);
      BinCounts counts(bins);
      counts.add(edges, edges);
      for (std::size_t bin = 0; bin < bins; ++bin) EXPECT_EQ(counts.bins()[bin], bin + 1 < bins ? 1 : 2) << bins;
    }
  }
}

TEST(Histogram, OfSomeComponentsLeavesTheOthersWithoutEdges) {
  FakeRun run = cart_of_inputs(100);
  run.statistics.histograms = {{"b", 2, 3}};
  const FieldStatistics q = statistics_of(run).fields[0];
  EXPECT_TRUE(std::isnan(q.bin_edges[0]));
  EXPECT_EQ(q.bin_edges[8], 2);
  EXPECT_EQ(q.histogram[7 + 3], 100);  // of 2.5, in the middle
  EXPECT_EQ(q.histogram[3] + q.below[0] + q.above[0], 0);
}

TEST(Inputs, GiveTheSameBitsForAnyBlocksAndThreads) {
  const EnsembleStatistics whole = statistics_of(cart_of_inputs(12'345));
  for (const long block_members : {7L, 64L, 1000L, 4096L}) {
    SCOPED_TRACE(block_members);
    FakeRun run = cart_of_inputs(12'345);
    run.block_members = block_members;
    expect_same_bits(statistics_of(run), whole);
  }
}

TEST(Inputs, AreTakenOfTheBlockUnderWay) {
  const FakeRun run = cart_of_inputs(10);
  StatisticsSink sink;
  sink.begin(run.info());
  Block block(2, 3, 2, 5);
  block.assign(0, 5);
  Observation seen;
  seen.status.resize(64);
  for (auto& values : seen.values) values.resize(3 * 64);
  EXPECT_THROW(sink.write({0, 0.0, block, seen}), Error);  // members whose inputs are unknown
}

TEST(Inputs, CountInThePlan) {
  FakeRun run = cart_of_inputs(1'000'000);
  const auto bytes = [&] { return plan_statistics(run.system, run.info().options, run.members, 3).bytes; };
  run.statistics.kinds = {Statistic::mean};
  run.statistics.group_by = "";
  const double mean_alone = bytes();
  run.statistics.kinds = {Statistic::mean, Statistic::correlation};
  EXPECT_GT(bytes(), mean_alone + 12 * 8 * 8 * 6);
  run.statistics.kinds = {Statistic::mean, Statistic::histogram};
  run.statistics.bins = 100'000;
  EXPECT_GT(bytes(), mean_alone + 3 * 100'000 * 8);
  run.statistics.kinds = {Statistic::mean};
  run.statistics.group_by = "parameters.time";
  run.statistics.groups.resize(1000);
  for (std::size_t i = 0; i < 1000; ++i) run.statistics.groups[i] = static_cast<double>(i);
  EXPECT_GT(bytes(), mean_alone + 12 * 1000 * sizeof(Moments));
}

TEST(Inputs, AreRefusedWhereTheyMeanNothing) {
  const auto refusal = [](auto change) -> std::string {
    FakeRun run = cart_of_inputs(10);
    change(run.statistics);
    return test::message_of([&] { StatisticsSink().begin(run.info()); });
  };
  EXPECT_EQ(refusal([](StatisticsOptions& s) { s.inputs.clear(); }),
            "statistics: expected a parameter or initial value that varies, to correlate with; found none");
  EXPECT_EQ(refusal([](StatisticsOptions& s) { s.inputs = {"initial.m"}; }),
            "statistics: expected parameters.NAME or initial.NAME of cart, found initial.m");
  EXPECT_EQ(refusal([](StatisticsOptions& s) { s.group_by = "time"; }),
            "statistics: expected parameters.NAME or initial.NAME of cart, found time");
  EXPECT_EQ(refusal([](StatisticsOptions& s) {
              s.groups = {2, 1};
            }),
            "statistics: expected ascending values of parameters.time to group members by");
  EXPECT_EQ(refusal([](StatisticsOptions& s) { s.histograms[0].component = "speed"; }),
            "statistics: expected histograms of components of the saved fields, found speed");
  EXPECT_NE(refusal([](StatisticsOptions& s) { s.histograms[0].high = 1; }), "");
  EXPECT_NE(refusal([](StatisticsOptions& s) { s.bins = 0; }), "");
}

TEST(CoMoments, KeepTheirDigitsBesideLargeOffsets) {
  const std::vector<double> noise = numbers("normal", 30'000);
  const std::vector<double> other = numbers("uniform", 30'001);
  std::vector<double> y;
  std::vector<std::vector<double>> x(1);
  for (std::size_t i = 0; i < noise.size(); ++i) {
    x[0].push_back(1e6 + noise[i]);
    y.push_back(-1e5 + noise[i] + 2 * other[i]);
  }
  CoMomentsAccumulator accumulator(1);
  accumulator.add(y, {x[0].data()});
  EXPECT_NEAR(accumulator.total().correlations()[0], plain_correlation(x[0], y), 1e-11);
}

}  // namespace
}  // namespace kalaba
