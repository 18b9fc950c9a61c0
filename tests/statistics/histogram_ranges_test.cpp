#include <gtest/gtest.h>

#include <algorithm>

#include "kalaba/statistics.hpp"
#include "scenario/scenario.hpp"

namespace kalaba {
namespace {

constexpr const char* some = "ensemble.members=30";
constexpr const char* end = "time.end=0.2";
constexpr const char* saved = "time.save_every=100";

Scenario asked(const std::vector<std::string>& more) {
  std::vector<std::string> all = {"solver.backend=reference", "parameters.L={uniform=[0.5, 2]}",
                                  "output.statistics=['histogram', 'min', 'max']", "output.trajectories=false"};
  all.insert(all.end(), more.begin(), more.end());
  return load_scenario("spherical_pendulum", all);
}

EnsembleStatistics statistics_of(const Scenario& scenario, const RunPart& part = {}) {
  StatisticsSink sink;
  Sink* const sinks[] = {&sink};
  run(*scenario.system, *scenario.source, scenario.options, sinks, {}, {}, part);
  return sink.result();
}

TEST(HistogramRanges, HoldWhatMembersGoThroughWhereNoneIsGiven) {
  const EnsembleStatistics found = statistics_of(asked({some, end, saved, "output.fields=['q', 'energy']"}));
  const FieldStatistics& q = found.fields[0];
  ASSERT_EQ(q.bin_edges.size(), 3U * 41U);
  for (std::size_t place = 0; place < q.count.size(); ++place) EXPECT_EQ(q.below[place] + q.above[place], 0) << place;
  double low = q.min[0];
  double high = q.max[0];
  for (std::size_t place = 0; place < q.count.size(); place += 3) {
    low = std::min(low, q.min[place]);
    high = std::max(high, q.max[place]);
  }
  EXPECT_EQ(q.bin_edges[0], low - 0.1 * (high - low));  // every member went ahead
  EXPECT_EQ(q.bin_edges[40], high + 0.1 * (high - low));
  EXPECT_TRUE(found.fields[1].histogram.empty());  // coordinates alone, where there are some
}

TEST(HistogramRanges, AreOfWhatIsAskedForWhereThatIsNoCoordinate) {
  const EnsembleStatistics found =
      statistics_of(asked({some, end, saved, "output.fields=['energy']", "output.histogram={bins=9}"}));
  ASSERT_EQ(found.fields[0].bin_edges.size(), 10U);
  EXPECT_EQ(found.fields[0].below[0] + found.fields[0].above[0], 0);
}

TEST(HistogramRanges, AreOfTheSavedCoordinates) {
  const EnsembleStatistics found = statistics_of(asked({some, end, saved, "output.fields=['z', 'energy']"}));
  ASSERT_EQ(found.fields.size(), 2U);
  EXPECT_EQ(found.fields[0].layout.components, std::vector<std::string>{"z"});
  EXPECT_EQ(found.fields[0].bin_edges.size(), 41U);
  EXPECT_TRUE(found.fields[1].bin_edges.empty());
}

TEST(HistogramRanges, OfAPartAreThoseOfTheWhole) {
  const Scenario scenario = asked({"ensemble.members=4100", "time.end=0.002", "time.save_every=1"});
  const EnsembleStatistics part = statistics_of(scenario, {.first = 4096, .members = 4});
  EXPECT_EQ(part.fields[0].bin_edges, statistics_of(scenario).fields[0].bin_edges);
  EXPECT_EQ(part.fields[0].count[0], 4);
}

}  // namespace
}  // namespace kalaba
