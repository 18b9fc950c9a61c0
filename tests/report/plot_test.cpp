#include <gtest/gtest.h>
#include <stdlib.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "drawn_curves.hpp"
#include "kalaba/error.hpp"
#include "output/netcdf/netcdf_statistics.hpp"
#include "output_data/fake_run.hpp"
#include "report/data/shown_statistics.hpp"
#include "report/figure/panel_text.hpp"
#include "report/figure/panels.hpp"
#include "report/figure/plot.hpp"
#include "report/figure/plot_data.hpp"
#include "report/figure/statistics_panel.hpp"
#include "support/error_of.hpp"
#include "support/has.hpp"
#include "text/nan.hpp"

namespace kalaba {
namespace {

using Names = std::vector<std::string>;

bool is_png(const std::string& bytes) {
  return bytes.starts_with("\x89PNG") && bytes.find("IEND") != std::string::npos;
}

bool is_svg(const std::string& bytes) {
  return bytes.find("<svg") != std::string::npos && bytes.find("</svg>") != std::string::npos;
}

class Plot : public testing::Test {
 protected:
  void SetUp() override {
    if (std::system("gnuplot --version > /dev/null 2>&1") != 0) GTEST_SKIP() << "gnuplot is not installed";
  }
  std::string write(const FakeRun& run, const std::string& name = "run.nc") const {
    run.write(folder_ / name);
    return folder_ / name;
  }
  std::string svg_of(const std::string& data, PlotOptions options = {}) const {
    options.output = folder_ / "picture.svg";
    EXPECT_EQ(plot_file(data, options).path, options.output);
    const std::string svg = bytes_of(options.output);
    EXPECT_TRUE(is_svg(svg));
    return svg;
  }
  std::string refusal(const std::string& data, const PlotOptions& options) const {
    const Error error = test::error_of([&] { plot_file(data, options); });
    EXPECT_EQ(error.code(), ExitCode::bad_input);
    EXPECT_EQ(folder_.names().size(), 1U) << "a refused picture left a file";
    return error.what();
  }
  TemporaryFolder folder_;
};

TEST_F(Plot, DrawsBothFormatsBesideTheData) {
  EXPECT_EQ(plot_file(write({}, "a.nc"), {}).path, folder_ / "a.png");
  EXPECT_EQ(plot_file(write({}, "b.csv"), {}).path, folder_ / "b.png");
  EXPECT_EQ(plot_file(folder_ / "b.csv", {"", "fan", {}, -1}).path, folder_ / "b.fan.png");
  for (const char* name : {"a.png", "b.png", "b.fan.png"}) EXPECT_TRUE(is_png(bytes_of(folder_ / name))) << name;
  EXPECT_EQ(folder_.names().size(), 6U) << "the data, three pictures and the checksum of the table";
}

TEST_F(Plot, AutoShowsEverything) {
  FakeRun run;
  run.members = 100;
  run.value = [](Field field, std::size_t component, long member, double time) {
    return field == Field::violation && time == 0 ? 0 : fake_value(field, component, member, time);
  };
  const std::string svg = svg_of(write(run), {"", "auto", {}, 42});
  for (const char* part : {"cart", "100 members", "cpu: no threads at all", "a (m)", "b (m)", "angle (rad)", "time (s)",
                           "violation", "residual", "angle at t = 1 s", "paths in the plane of a and b", "member 42",
                           "zero is drawn on the lower edge", "25–75 %"}) {
    EXPECT_TRUE(has(svg, part)) << part;
  }
  EXPECT_EQ(drawn_curves(svg), 28);
}

TEST_F(Plot, EveryKindDrawsItsOwn) {
  const std::string data = write({});
  EXPECT_TRUE(has(svg_of(data, {"", "path", {}, -1}), "paths in the plane"));
  EXPECT_FALSE(has(svg_of(data, {"", "fan", {}, -1}), "paths in the plane"));
  EXPECT_TRUE(has(svg_of(data, {"", "histogram", {"force_spin", "energy"}, -1}), "energy (J)"));
  EXPECT_TRUE(has(svg_of(data, {"", "residual", {}, -1}), "largest error"));
}

/// A run whose discrete variable `mode` is 1 from member + 1 saved times on.
FakeRun run_with_mode() {
  FakeRun run;
  run.members = 3;
  run.times = {0, 1, 2, 3};
  run.system.parameters.push_back({"mode", "1", 0, ""});
  run.system.discrete = 1;
  run.system.invariants = {{"work", "J", 0, ""}, {"mode", "1", 0, ""}};
  run.system.invariance = {Invariance::free, Invariance::free};
  run.value = [](Field field, std::size_t component, long member, double time) {
    const bool is_mode = field == Field::invariants && component == 1;
    return is_mode ? (time > static_cast<double>(member) ? 1.0 : 0.0) : fake_value(field, component, member, time);
  };
  return run;
}

TEST_F(Plot, DiscreteVariablesHoldUntilTheNextSavedTime) {
  const FakeRun run = run_with_mode();
  for (const char* name : {"run.nc", "run.csv"}) {
    const PlotData data = read_plot_data(write(run, name), {"", "fan", {"mode", "work"}, -1});
    auto rows = rows_of(fan_panel(data, data.variables[0]), "$fan");
    for (std::vector<double>& row : rows) row.erase(row.begin() + 2);  // member 1 failed
    const std::vector<std::vector<double>> expected = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {2, 1, 0},
                                                       {2, 1, 0}, {3, 1, 0}, {3, 1, 1}};
    EXPECT_EQ(rows, expected) << name;
    EXPECT_EQ(rows_of(fan_panel(data, data.variables[1]), "$fan").size(), 4U) << name;
  }
  const PlotData data = read_plot_data(write(run), {"", "path", {"work", "mode"}, -1});
  EXPECT_TRUE(has(path_panel(data, data.paths.front(), panel_frame(500, 400)), "$paths using 1:2 with steps"));
  const PlotData turned = read_plot_data(write(run), {"", "path", {"mode", "work"}, -1});
  EXPECT_TRUE(has(path_panel(turned, turned.paths.front(), panel_frame(500, 400)), "$paths using 1:2 with fsteps"));
  const PlotData states = read_plot_data(write(run), {"", "path", {"a", "b"}, -1});
  EXPECT_TRUE(has(path_panel(states, states.paths.front(), panel_frame(500, 400)), "$paths using 1:2 with lines"));
}

TEST_F(Plot, AHeldValueEndsWithItsMember) {
  DataBlock block("$block", true);
  for (const auto& row : std::vector<std::vector<double>>{{0, 1, 5}, {1, 2, nan}, {2, 3, 7}}) block.add_row(row);
  const auto rows = rows_of(block.text(), "$block");
  ASSERT_EQ(rows.size(), 5U);
  EXPECT_EQ(rows[1][0], 1);
  EXPECT_EQ(rows[1][1], 1);
  EXPECT_TRUE(std::isnan(rows[1][2]));
  EXPECT_EQ(rows[3][1], 2);
  EXPECT_TRUE(std::isnan(rows[3][2]));
}

TEST_F(Plot, StatisticsOfDiscreteVariablesHold) {
  FakeRun run = run_with_mode();
  run.trajectories = false;
  run.statistics.kinds = {Statistic::mean};
  const std::string path = write(run);
  const EnsembleStatistics statistics = statistics_of(Archive(path));
  const auto found = std::ranges::find(statistics.fields, Field::invariants,
                                       [](const FieldStatistics& each) { return each.layout.field; });
  ASSERT_NE(found, statistics.fields.end());
  const std::vector<ShownComponent> shown = shown_components(found->layout);
  ASSERT_EQ(shown.size(), 2U);
  EXPECT_EQ(rows_of(statistics_panel(statistics, *found, shown[0]), "$band").size(), 4U);
  EXPECT_EQ(rows_of(statistics_panel(statistics, *found, shown[1]), "$band").size(), 7U);
}

TEST_F(Plot, SingleTimeOrMember) {
  FakeRun run;
  run.times = {2};
  const std::string last = svg_of(write(run));
  EXPECT_TRUE(has(last, "a at t = 2 s"));
  EXPECT_FALSE(has(last, "time (s)"));
  run.times = {0, 1, 2};
  run.members = 1;
  const std::string one = svg_of(write(run));
  EXPECT_TRUE(has(one, "1 member"));
  EXPECT_FALSE(has(one, "at t = 2 s"));
}

TEST_F(Plot, DrawsHardNumbers) {
  FakeRun run;
  run.members = 30;
  run.system.name = "it's `date` \"quoted\" @x {sub}_script";
  run.value = [](Field, std::size_t component, long member, double) {
    if (component == 0) return nan;
    if (component == 1) return 0.0;
    return member == 3 ? HUGE_VAL : member == 4 ? 1e308 : member == 5 ? -1e308 : 9.81;
  };
  const std::string svg = svg_of(write(run), {"", "auto", {"a", "b", "angle", "energy"}, 3});
  EXPECT_TRUE(has(svg, "`date`"));
  EXPECT_TRUE(has(svg, "no member at this time"));
  run.value = [](Field, std::size_t, long, double) { return 0.0; };
  EXPECT_TRUE(has(svg_of(write(run)), "exactly zero throughout"));
}

/// Errors that are not available are not drawn as zero.
TEST_F(Plot, ErrorsOfNobodyAreNotZero) {
  FakeRun run;
  run.value = [](Field field, std::size_t, long, double time) {
    return field == Field::violation || field == Field::residual || time > 0 ? nan : 0.0;
  };
  const std::string data = write(run);
  EXPECT_TRUE(has(svg_of(data, {"", "residual", {}, -1}), "no member at this time"));
  const PlotData energy = read_plot_data(data, {"", "fan", {"energy"}, -1});
  EXPECT_TRUE(has(drift_panel(energy, energy.variables.front()), "no member at this time"));
}

TEST_F(Plot, SaysWhatItLeavesOut) {
  FakeRun run;
  run.times.clear();
  for (int i = 0; i <= 2000; ++i) run.times.push_back(i);
  while (run.system.coordinates.size() < 8) run.system.coordinates.push_back({"more", "m", 0, ""});
  for (std::size_t i = 3; i < 8; ++i) run.system.coordinates[i].name += std::to_string(i);
  const std::string svg = svg_of(write(run));
  EXPECT_TRUE(has(svg, "first 6 of 8 coordinates"));
  EXPECT_TRUE(has(svg, "of 2,001 saved times"));
}

TEST_F(Plot, RefusesWhatItCannotDraw) {
  const std::string data = write({});
  EXPECT_TRUE(has(refusal(data, {"", "auto", {"angel"}, -1}), "did you mean angle?"));
  EXPECT_TRUE(has(refusal(data, {"", "histogramm", {}, -1}), "did you mean histogram?"));
  EXPECT_TRUE(has(refusal(data, {"", "path", {"a"}, -1}), "a path needs two variables"));
  EXPECT_TRUE(has(refusal(data, {"", "auto", {}, 10}), "expected 0 to 9"));
  EXPECT_TRUE(has(refusal(data, {"", "auto", {}, -2}), "expected 0 to 9"));
  EXPECT_TRUE(has(refusal(data, {folder_ / "x.pdf", "auto", {}, -1}), ".png or .svg"));
  FakeRun bare;
  bare.fields = {Field::q};
  bare.times = {1};
  EXPECT_TRUE(has(refusal(write(bare), {"", "residual", {}, -1}), "neither residual nor violation"));
  EXPECT_TRUE(has(refusal(write(bare), {"", "fan", {}, -1}), "a single saved time"));
}

TEST_F(Plot, AbsentGnuplotIsNamedAndLeavesNothing) {
  const std::string data = write({});
  const std::string path = ::getenv("PATH");
  ::setenv("PATH", "/nowhere", 1);
  const std::string message = test::error_of([&] { plot_file(data, {}); }).what();
  ::setenv("PATH", path.c_str(), 1);
  EXPECT_TRUE(has(message, "gnuplot-nox")) << message;
  EXPECT_EQ(folder_.names(), Names{"run.nc"});
}

/// The numbers that the panels draw, read from their gnuplot text.
class Panels : public testing::Test {
 protected:
  PlotData data_of(const FakeRun& run) const {
    run.write(folder_ / "run.nc");
    return read_plot_data(folder_ / "run.nc", {});
  }
  /// Checks that a number of a data block is the expected one; both may be missing.
  static void expect_drawn(double found, double expected) {
    if (std::isnan(expected)) {
      EXPECT_TRUE(std::isnan(found)) << found;
    } else {
      EXPECT_NEAR(found, expected, 1e-6 * std::abs(expected));
    }
  }
  /// A saved number of a fake run; member 1 fails at 0.25 s.
  static double saved(const FakeRun& run, std::size_t component, long member, double time) {
    return member == 1 && time > 0.25 ? nan : run.value(Field::q, component, member, time);
  }
  TemporaryFolder folder_;
};

TEST_F(Panels, FanDrawsEveryMemberOfAFew) {
  const FakeRun run;
  const PlotData data = data_of(run);
  const auto rows = rows_of(fan_panel(data, 2), "$fan");
  ASSERT_EQ(rows.size(), run.times.size());
  for (std::size_t t = 0; t < rows.size(); ++t) {
    ASSERT_EQ(rows[t].size(), 11U);
    EXPECT_EQ(rows[t][0], run.times[t]);
    for (long member = 0; member < 10; ++member) {
      expect_drawn(rows[t][static_cast<std::size_t>(1 + member)], saved(run, 2, member, run.times[t]));
    }
  }
}

TEST_F(Panels, FanDrawsQuantilesOfMany) {
  FakeRun run;
  run.members = 101;
  run.value = [](Field, std::size_t, long member, double time) { return static_cast<double>(member) + time; };
  const PlotData data = data_of(run);
  const auto rows = rows_of(fan_panel(data, 0), "$fan");
  ASSERT_EQ(rows.size(), 3U);
  EXPECT_EQ(rows[0], (std::vector<double>{0, 5, 25, 50, 75, 95}));
  // Without member 1: 0, 2, 3, ..., 100.
  EXPECT_EQ(rows[2][3], 51.5);
}

TEST_F(Panels, PathsAreThoseOfTheMembers) {
  const FakeRun run;
  const PlotData data = data_of(run);
  ASSERT_FALSE(data.paths.empty());
  const auto rows = rows_of(path_panel(data, data.paths[0], {0.1, 0.9, 0.1, 0.9}), "$paths");
  ASSERT_EQ(rows.size(), 30U);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const auto member = static_cast<long>(i / 3);
    expect_drawn(rows[i][0], saved(run, 0, member, run.times[i % 3]));
    expect_drawn(rows[i][1], saved(run, 1, member, run.times[i % 3]));
  }
}

TEST_F(Panels, ErrorsAreTheMedianAndTheLargest) {
  FakeRun run;
  run.members = 11;
  run.value = [](Field field, std::size_t, long member, double) {
    return (field == Field::violation ? 1e-12 : 1e-9) * static_cast<double>(member + 1);
  };
  const PlotData data = data_of(run);
  ASSERT_EQ(data.errors.size(), 2U);
  const auto rows = rows_of(residual_panel(data), "$errors");
  ASSERT_EQ(rows.size(), 3U);
  for (std::size_t i = 0; i < 2; ++i) {
    const double unit = data.column(data.errors[i]).field == Field::violation ? 1e-12 : 1e-9;
    expect_drawn(rows[0][1 + 2 * i], 6 * unit);
    expect_drawn(rows[0][2 + 2 * i], 11 * unit);
  }
}

TEST_F(Panels, DriftIsTheMedianAndTheLargestChange) {
  FakeRun run;
  run.members = 11;
  run.value = [](Field, std::size_t, long member, double time) { return 1 + time * static_cast<double>(member); };
  const PlotData data = data_of(run);
  const auto rows = rows_of(drift_panel(data, 0), "$drift");
  ASSERT_EQ(rows.size(), 3U);
  expect_drawn(rows[2][2], 10);
  expect_drawn(rows[2][1], 5.5);  // of 0, 2, 3, ..., 10
}

TEST_F(Panels, HistogramHoldsEveryMember) {
  FakeRun run;
  run.members = 200;
  const PlotData data = data_of(run);
  const auto rows = rows_of(histogram_panel(data, 0), "$bins");
  ASSERT_GT(rows.size(), 3U);
  double total = 0;
  for (const std::vector<double>& row : rows) total += row.at(5);  // %
  EXPECT_NEAR(total, 100, 1e-4);
  EXPECT_LE(rows.front()[2], -1.0 / 3 + 0.01);  // sin / 3
  EXPECT_GE(rows.back()[3], 1.0 / 3 - 0.01);
}

TEST(PlotData, LeavesOutWhoFailedFromThenOn) {
  const TemporaryFolder folder;
  FakeRun().write(folder / "run.nc");  // member 1 fails at 0.25 s
  const PlotData data = read_plot_data(folder / "run.nc", {});
  for (const std::size_t column : data.variables) {
    EXPECT_TRUE(std::isfinite(data.row(column, 0)[1]));
    for (const std::size_t time : {1U, 2U}) {
      EXPECT_TRUE(std::isnan(data.row(column, time)[1]));
      EXPECT_TRUE(std::isfinite(data.row(column, time)[0]));
    }
  }
  EXPECT_EQ(data.left_out, "1 failed, left out from then on");
  EXPECT_EQ(data.notes.back(), data.left_out);
}

/// With fixed steps a member fails in the step after its last state, which may be a saved one.
TEST(PlotData, KeepsWhereMembersLastWere) {
  const TemporaryFolder folder;
  FakeRun run;
  run.times = {0, 0.25, 1};
  run.write(folder / "run.nc");
  const PlotData data = read_plot_data(folder / "run.nc", {});
  EXPECT_TRUE(std::isfinite(data.row(0, 1)[1]));
  EXPECT_TRUE(std::isnan(data.row(0, 2)[1]));
}

TEST(PlotData, ThinsLongAndLargeRunsEvenly) {
  const TemporaryFolder folder;
  FakeRun run;
  run.members = 250'001;
  run.block_members = 100'000;
  run.fields = {Field::q};
  run.times = {0};
  run.write(folder / "run.nc");
  const PlotData data = read_plot_data(folder / "run.nc", {"", "auto", {"b"}, 123'457});
  EXPECT_LE(data.members.size(), 200'002U);
  EXPECT_TRUE(std::ranges::is_sorted(data.members));
  EXPECT_EQ(data.members.back(), 250'000);
  EXPECT_EQ(data.members[static_cast<std::size_t>(data.highlight)], 123'457);
  for (std::size_t i = 0; i < data.members.size(); i += 997) {
    EXPECT_EQ(data.row(1, 0)[i], fake_value(Field::q, 1, data.members[i], 0));
  }
  EXPECT_TRUE(has(data.notes[data.notes.size() - 2], "of them, evenly chosen"));
}

}  // namespace
}  // namespace kalaba
