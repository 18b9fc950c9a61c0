// Members that count in pictures and tables of runs with failed or stopped members: the same everywhere.

#include <gtest/gtest.h>

#include <cmath>

#include "output/netcdf/netcdf_statistics.hpp"
#include "output_data/fake_run.hpp"
#include "report/data/event_times.hpp"
#include "report/data/member_numbers.hpp"
#include "report/data/statistics.hpp"
#include "report/figure/plot_data.hpp"
#include "report/page/final_values.hpp"
#include "scenario/scenario.hpp"
#include "support/error_of.hpp"

namespace kalaba {
namespace {

/// Forty members, of which an event stops those whose x reaches 0.2 before the end.
class Counted : public testing::Test {
 protected:
  void SetUp() override {
    const Scenario scenario =
        load_scenario("projectile_polar",
                      {"ensemble.members=40", "initial.r_dot={uniform=[1, 6]}", "time.end=1.2", "time.save_every=100",
                       "events=[{name=\"landed\", when=\"r*sin(theta)\", direction=\"falling\"}]",
                       "output.statistics=[\"mean\", \"quantiles\"]", "solver.backend=\"cpu\""});
    const auto sink = open_sink(folder_ / "run.nc", {scenario.text, 1, "1", "a"});
    std::vector<Sink*> sinks = {sink.get()};
    summary_ = run(*scenario.system, *scenario.source, scenario.options, sinks);
  }

  TemporaryFolder folder_;
  Summary summary_;
};

TEST_F(Counted, PicturesTablesAndStatisticsAgree) {
  const long stopped = summary_.by_status[static_cast<std::size_t>(Status::stopped)];
  ASSERT_GT(stopped, 0);
  ASSERT_LT(stopped, 40);
  const Archive archive(folder_ / "run.nc");
  const EnsembleStatistics statistics = statistics_of(archive);
  const PlotData data = read_plot_data(folder_ / "run.nc", {});
  const auto reader = open_reader(folder_ / "run.nc");
  const MemberSample members(archive, *reader);
  for (std::size_t t = 0; t < data.times.size(); ++t) {
    const std::size_t at = static_cast<std::size_t>(data.times[t]);
    const auto moving = static_cast<std::size_t>(statistics.ok_members[at]);
    EXPECT_EQ(finite_values(data.row(0, t)).size(), moving) << "the picture, t = " << data.time(t);
    EXPECT_EQ(finite_values(members.values({0U}, data.times[t])[0]).size(), moving) << "the sample";
  }
  EXPECT_EQ(statistics.ok_members.back(), 40 - stopped);
  const std::string table = final_values(members, {});
  EXPECT_NE(table.find("<td class=\"n\">" + std::to_string(40 - stopped) + "</td>"), std::string::npos) << table;
  EXPECT_NE(data.left_out.find(std::to_string(stopped) + " were stopped by events"), std::string::npos);
}

/// A member that an event stops exactly at a saved time does not count at that time.
TEST(CountedUntil, EndsBeforeTheSavedTimeOfAStop) {
  const TemporaryFolder folder;
  const Scenario scenario =
      load_scenario("projectile_polar", {"ensemble.members=3", "time.end=1", "time.save_every=250",
                                         "events=[{name=\"half\", when=\"t - 0.5\"}]", "output.statistics=[\"mean\"]",
                                         "solver.backend=\"cpu\""});
  const auto sink = open_sink(folder / "run.nc", {scenario.text, 1, "1", "a"});
  std::vector<Sink*> sinks = {sink.get()};
  run(*scenario.system, *scenario.source, scenario.options, sinks);
  const Archive archive(folder / "run.nc");
  const EnsembleStatistics statistics = statistics_of(archive);
  const PlotData data = read_plot_data(folder / "run.nc", {});
  ASSERT_EQ(data.times.size(), 5U);
  EXPECT_EQ(statistics.ok_members, (std::vector<long>{3, 3, 0, 0, 0}));
  for (std::size_t t = 0; t < 5; ++t) {
    EXPECT_EQ(static_cast<long>(finite_values(data.row(0, t)).size()), statistics.ok_members[t]) << data.time(t);
  }
}

TEST_F(Counted, EventTimesAreOfEveryone) {
  const Archive archive(folder_ / "run.nc");
  const auto reader = open_reader(folder_ / "run.nc");
  const MemberSample members(archive, *reader);
  const std::vector<EventTimes> all = event_times(members);
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(static_cast<long>(all[0].times.size()), summary_.events[0].members);
  EXPECT_EQ(all[0].members(), 40);
  EXPECT_EQ(all[0].times.front(), summary_.events[0].earliest);
  const Survival curve = survival(all[0]);
  EXPECT_NEAR(curve.shares.back(), static_cast<double>(40 - summary_.events[0].members) / 40, 1e-12);
  const MemberColumn theta = member_number(members, "theta@landed");
  EXPECT_EQ(static_cast<long>(finite_values(theta.values).size()), summary_.events[0].members);
  for (const double value : finite_values(theta.values)) EXPECT_NEAR(value, 0, 1e-9);
}

TEST(Survival, CountsThoseWhoLeftUntilThen) {
  // By hand: 1 of 5 at risk at 1 s; one leaves at 1.5 s; 1 of 3 at 2 s.
  const Survival curve = survival({"e", {1, 2}, {1.5, 9, 9}});
  EXPECT_EQ(curve.times, (std::vector<double>{1, 2}));
  EXPECT_NEAR(curve.shares[0], 0.8, 1e-15);
  EXPECT_NEAR(curve.shares[1], 0.8 * 2 / 3, 1e-15);
  EXPECT_TRUE(survival({"e", {}, {1}}).times.empty());
}

TEST(MemberNumbers, AreNamedAndRefusedWithTheNearestWord) {
  const TemporaryFolder folder;
  FakeRun run;
  run.events = {{"low", "a", Crossing::any, EventAction::record}};
  run.write(folder / "run.nc");
  const Archive archive(folder / "run.nc");
  const auto reader = open_reader(folder / "run.nc");
  const MemberSample members(archive, *reader);
  const MemberColumn greatest = member_number(members, "max(b)");
  EXPECT_EQ(greatest.unit, "m");
  for (std::size_t i = 0; i < 10; ++i) {
    double expected = -1e9;
    for (const double time : {0.0, 0.5, 1.0}) {
      if (i == 1 && time > 0.25) continue;  // failed then
      expected = std::max(expected, fake_value(Field::q, 1, static_cast<long>(i), time));
    }
    EXPECT_EQ(greatest.values[i], expected);
  }
  EXPECT_EQ(member_number(members, "m").values[3], 3.5);
  EXPECT_EQ(input_number(members, "initial.b").values[3], fake_value(Field::q, 1, 3, 0));
  EXPECT_TRUE(std::isnan(member_number(members, "b").values[1]));
  EXPECT_NEAR(member_number(members, "change(b)").values[2],
              fake_value(Field::q, 1, 2, 1) - fake_value(Field::q, 1, 2, 0), 1e-15);
  const auto refusal = [&](const std::string& text) -> std::string {
    return test::message_of([&] { member_number(members, text); });
  };
  EXPECT_NE(refusal("angel").find("did you mean angle?"), std::string::npos);
  EXPECT_NE(refusal("mox(a)").find("did you mean max?"), std::string::npos);
  EXPECT_NE(refusal("time(lo)").find("did you mean low?"), std::string::npos);
  EXPECT_NE(refusal("a@lov").find("did you mean low?"), std::string::npos);
}

}  // namespace
}  // namespace kalaba
