#include <gtest/gtest.h>
#include <netcdf.h>

#include <array>
#include <cmath>

#include "kalaba/error.hpp"
#include "output_data/fake_run.hpp"
#include "report/data/heat_map.hpp"
#include "report/figure/heat_panels.hpp"
#include "report/figure/member_pictures.hpp"
#include "report/figure/panel_text.hpp"
#include "report/figure/scatter_panel.hpp"
#include "text/nan.hpp"

namespace kalaba {
namespace {

/// 4 x 3 points, x fastest.
MemberColumn grid_x() { return {"x", "m", {1, 2, 3, 4, 1, 2, 3, 4, 1, 2, 3, 4}}; }
MemberColumn grid_y() { return {"y", "s", {10, 10, 10, 10, 20, 20, 20, 20, 40, 40, 40, 40}}; }

TEST(HeatMap, OfAGridIsItsPoints) {
  MemberColumn value{"z", "J", {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, nan}};
  const HeatMap map = heat_map(grid_x(), grid_y(), value, 100);
  EXPECT_TRUE(map.is_grid);
  EXPECT_EQ(map.x.edges, (std::vector<double>{0.5, 1.5, 2.5, 3.5, 4.5}));
  EXPECT_EQ(map.y.edges, (std::vector<double>{5, 15, 30, 50}));
  ASSERT_EQ(map.values.size(), 12U);
  for (std::size_t i = 0; i < 11; ++i) EXPECT_EQ(map.values[i], static_cast<double>(i));
  EXPECT_TRUE(std::isnan(map.values[11]));
  EXPECT_EQ(map.members, 11);
  EXPECT_EQ(map.missing, 1);
}

TEST(HeatMap, JoinsPointsWhereThereAreTooMany) {
  MemberColumn value{"z", "J", {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}};
  const HeatMap map = heat_map(grid_x(), grid_y(), value, 2);
  EXPECT_EQ(map.x.edges, (std::vector<double>{0.5, 2.5, 4.5}));
  EXPECT_EQ(map.y.edges, (std::vector<double>{5, 30, 50}));
  EXPECT_EQ(map.values, (std::vector<double>{2.5, 4.5, 8.5, 10.5}));
  EXPECT_EQ(map.counts, (std::vector<long>{4, 4, 2, 2}));
}

TEST(HeatMap, BinsWhatIsNoGrid) {
  MemberColumn x{"x", "", {}};
  MemberColumn y{"y", "", {}};
  MemberColumn value{"z", "", {}};
  for (int i = 0; i < 1000; ++i) {
    x.values.push_back(std::fmod(i * 0.6180339887, 1.0));
    y.values.push_back(std::fmod(i * 0.7548776662, 1.0));
    value.values.push_back(x.values.back() + y.values.back());
  }
  const HeatMap map = heat_map(x, y, value, 200);
  EXPECT_FALSE(map.is_grid);
  EXPECT_EQ(map.x.cells(), 10U);
  long all = 0;
  for (std::size_t row = 0; row < map.y.cells(); ++row) {
    for (std::size_t column = 0; column < map.x.cells(); ++column) {
      const std::size_t cell = row * map.x.cells() + column;
      all += map.counts[cell];
      const double middle =
          (map.x.edges[column] + map.x.edges[column + 1] + map.y.edges[row] + map.y.edges[row + 1]) / 2;
      EXPECT_NEAR(map.values[cell], middle, 0.1);
    }
  }
  EXPECT_EQ(all, 1000);
}

TEST(HeatMap, DensityCountsEveryone) {
  const HeatMap map = density_map({"x", "", {0, 0, 1, nan}}, {"y", "", {0, 0, 1, 0}}, 100);
  EXPECT_EQ(map.members, 3);
  EXPECT_EQ(map.missing, 1);
  EXPECT_EQ(map.values.front(), 2);
  EXPECT_EQ(map.values.back(), 1);
  EXPECT_TRUE(std::isnan(map.values[1]));
}

TEST(HeatMap, PanelsSayOfHowManyMembers) {
  MemberColumn value{"z", "J", {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, nan}};
  EXPECT_EQ(heat_panel(heat_map(grid_x(), grid_y(), value, 100)).words,
            "z over x and y: 11 members, 1 without it, 4 × 3 cells");
  MemberColumn status{"status", "", {0, 0, 0, 0, 5, 5, 5, 5, 1, 1, 1, 1}};
  const std::string text = status_panel(grid_x(), grid_y(), status, 100).text({0, 100, 0, 100});
  for (const char* name : {"'ok'", "'stopped'", "'non_finite'"}) EXPECT_NE(text.find(name), std::string::npos);
  EXPECT_EQ(text.find("'interrupted'"), std::string::npos);
}

FakeRun run_of_a_grid() {
  FakeRun run;
  run.members = 12;
  run.parameter = [](std::size_t parameter, long member) {
    return static_cast<double>(parameter == 0 ? member / 4 : member % 4);
  };
  return run;
}

TEST(HeatMap, AConstantHasOneColourAndSaysSo) {
  const MemberColumn value{"z", "J", std::vector<double>(12, 0.25)};
  const DrawnPanel panel = heat_panel(heat_map(grid_x(), grid_y(), value, 100));
  EXPECT_EQ(panel.words, "z over x and y: 12 members, 4 × 3 cells, constant");
  const std::string text = panel.text({0, 400, 0, 300});
  EXPECT_NE(text.find("'constant: 0.25' at graph 0.75,"), std::string::npos) << text;
  EXPECT_NE(text.find("set palette defined (0 '#21918c', 1 '#21918c')"), std::string::npos) << text;
}

TEST(HeatMap, NumbersOfTheScaleDifferAndDoNotTouch) {
  MemberColumn value{"z", "J", {}};
  for (int i = 0; i < 12; ++i) value.values.push_back(0.41519 + 2e-6 * i);
  const auto text = [&](double width) {
    return heat_panel(heat_map(grid_x(), grid_y(), value, 100)).text({0, width, 0, 300});
  };
  for (const char* each : {"'0.41519' at graph 0.5,", "'0.4152' at graph 0.75,", "'0.41521' at graph 1,"}) {
    EXPECT_NE(text(1000).find(each), std::string::npos) << each << text(1000);
  }
  EXPECT_NE(text(1000).find("\n0.41519 0.415192 0.415194 0.415196\n"), std::string::npos) << "values are told apart";
  EXPECT_EQ(text(300).find("at graph 0.75,"), std::string::npos) << text(300);
  EXPECT_NE(text(300).find("'0.41521' at graph 1,"), std::string::npos);
}

TEST(Axis, NumbersOfAnAxisDoNotTouch) {
  EXPECT_EQ(range_text('x', {0, 10}), "set xrange [0:10]\n");
  EXPECT_EQ(range_text('x', {0.5, 0.5003}), "set xrange [0.5:0.5003]\nset xtics 0.0001\n");
  EXPECT_EQ(range_text('y', {0.5, 0.5003}), "set yrange [0.5:0.5003]\n");
  EXPECT_NE(range_text('x', {-1.25e-5, 2.3e-5}).find("set xtics 1e-05\n"), std::string::npos);
}

TEST(HeatMap, OfAFileTakesWhatWasVaried) {
  const TemporaryFolder folder;
  run_of_a_grid().write(folder / "run.nc");
  const MemberFile file(folder / "run.nc", 1000);
  PlotOptions options;
  options.variables = {"energy"};
  const auto panels = heatmap_panels(file.members, options, 100);
  ASSERT_EQ(panels.size(), 1U);
  EXPECT_EQ(panels[0].words, "energy over m and parameter_time: 11 members, 1 without it, 3 × 4 cells");  // 1 failed
  options.over = {"m", "initial.b"};
  EXPECT_NE(heatmap_panels(file.members, options, 100)[0].words.find("over m and b at the start"), std::string::npos);
  options.over = {"m"};
  EXPECT_THROW(heatmap_panels(file.members, options, 100), Error);
  options.over = {"m", "n"};
  EXPECT_THROW(heatmap_panels(file.members, options, 100), Error);
}

TEST(Scatter, SaysWhichMembersItDraws) {
  const MemberColumn x = {"m", "kg", {1, 2, 3, std::nan("")}};
  const MemberColumn y = {"max(y)", "m", {5, std::nan(""), 6, 7}};
  const MemberColumn c = {"g", "", {0.5, 1, 2, 3}};
  EXPECT_EQ(scatter_panel(x, y, std::nullopt).words, "max(y) over m: 2 members, 2 without a number");
  EXPECT_EQ(scatter_panel(x, y, c).words, "max(y) over m, coloured by g: 2 members, 2 without a number");
  const std::string text = scatter_panel(x, y, c).text(PanelFrame{.left = 0, .right = 1000, .bottom = 0, .top = 800});
  EXPECT_NE(text.find("1 5 0.5"), std::string::npos) << text;
  EXPECT_NE(text.find("3 6 2"), std::string::npos) << text;
  MemberColumn many = {"n", "", {}};
  for (int i = 0; i < 120'000; ++i) many.values.push_back(i);
  EXPECT_EQ(scatter_panel(many, many, std::nullopt).words, "n over n: 120,000 members, 50,000 of them drawn");
}

TEST(HeatMap, TakesTheAxesInTheFilesOrder) {
  const TemporaryFolder folder;
  run_of_a_grid().write(folder / "run.nc");
  int id = 0;
  ASSERT_EQ(nc_open(std::string(folder / "run.nc").c_str(), NC_WRITE, &id), NC_NOERR);
  std::array<const char*, 2> axes = {"parameter_time", "m"};
  ASSERT_EQ(nc_put_att_string(id, NC_GLOBAL, "grid", axes.size(), axes.data()), NC_NOERR);
  ASSERT_EQ(nc_close(id), NC_NOERR);
  const MemberFile file(folder / "run.nc", 1000);
  PlotOptions options;
  options.variables = {"energy"};
  EXPECT_NE(heatmap_panels(file.members, options, 100)[0].words.find("over parameter_time and m"), std::string::npos);
}

}  // namespace
}  // namespace kalaba
