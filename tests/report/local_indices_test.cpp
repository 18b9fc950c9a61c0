#include "report/data/local_indices.hpp"

#include <cmath>
#include <vector>

#include "output/netcdf/netcdf_statistics.hpp"
#include "output_data/reported_run.hpp"
#include "report/data/sensitivity_json.hpp"
#include "report/data/shown_statistics.hpp"
#include "report/page/correlation_tables.hpp"
#include "text/nan.hpp"

namespace kalaba {
namespace {

TEST(LocalIndex, OfAPowerIsItsExponent) {
  std::vector<double> p, y, slopes;
  for (int i = 1; i <= 50; ++i) {
    p.push_back(i);
    y.push_back(-2 * std::pow(i, 3));
    slopes.push_back(-6 * std::pow(i, 2));
  }
  const LocalIndex index = local_index(p, y, slopes);
  EXPECT_NEAR(index.elasticity, 3, 1e-13);
  EXPECT_NEAR(index.elasticity_std, 0, 1e-7);
}

TEST(LocalIndex, OfALineIsOneBySpreadAndHasNoElasticityThroughZero) {
  const LocalIndex index = local_index({1, 2, 3, 4}, {3, 1, -1, -3}, {-2, -2, -2, -2});
  EXPECT_NEAR(index.by_spread, -1, 1e-15);
  EXPECT_EQ(index.by_spread_std, 0);
  EXPECT_TRUE(std::isnan(index.elasticity));
}

/// numpy: std([1, 2, 4])/std([1, 4, 16]) * mean([2, 4, 8]) and so on.
TEST(LocalIndex, CountsMembersThatHaveEveryNumber) {
  const LocalIndex index = local_index({1, 2, nan, 4, 5}, {1, 4, 9, 16, nan}, {2, 4, 6, 8, 10});
  EXPECT_NEAR(index.by_spread, 0.8981004187394178, 1e-14);
  EXPECT_NEAR(index.by_spread_std, 0.4800548665487303, 1e-12);
  EXPECT_NEAR(index.elasticity, 2, 1e-15);
  EXPECT_TRUE(std::isnan(local_index({1, 2}, {1, 2}, {nan, nan}).by_spread));
}

/// For an input that does not vary, only the elasticity is defined.
TEST(LocalIndex, OfOneValueHasNoSpread) {
  const LocalIndex index = local_index({2, 2, 2}, {1, 4, 9}, {1, 2, 3});
  EXPECT_TRUE(std::isnan(index.by_spread));
  EXPECT_NEAR(index.elasticity, (2 + 1 + 2.0 / 3) / 3, 1e-15);
}

class LocalIndicesOfARun : public ReportedRun {};

/// x goes with g as its first power; with c as c/(1 + c^2), whose elasticity is (1 - c^2)/(1 + c^2). m says nothing.
TEST_F(LocalIndicesOfARun, AreThoseOfTheMotion) {
  const Sensitivity data =
      of(straight_wire,
         {"ensemble.members=256", "ensemble.design=sobol", "parameters.c={uniform=[0.2, 0.4]}",
          "parameters.g={uniform=[9, 10]}", "sensitivities.of=[\"parameters.c\", \"parameters.g\", \"parameters.m\"]"});
  ASSERT_EQ(data.local.along.size(), 3U);
  ASSERT_GE(data.local.outputs.size(), 1U);
  EXPECT_EQ(data.local.outputs[0].name, "x");
  EXPECT_NEAR(data.local.at(0, 1).elasticity, 1, 1e-9);
  EXPECT_NEAR(data.local.at(0, 1).elasticity_std, 0, 1e-7);
  double mean = 0;
  ASSERT_EQ(data.inputs.at(0).name, "c");
  for (const double c : data.inputs[0].values) mean += (1 - c * c) / (1 + c * c) / 256;
  EXPECT_NEAR(data.local.at(0, 0).elasticity, mean, 1e-9);
  EXPECT_NEAR(data.local.at(0, 2).elasticity, 0, 1e-9);
  EXPECT_TRUE(std::isnan(data.local.at(0, 2).by_spread)) << "m does not vary";
  // Nearly linear: the squares add up to 1.
  EXPECT_NEAR(std::pow(data.local.at(0, 0).by_spread, 2) + std::pow(data.local.at(0, 1).by_spread, 2), 1, 0.02);
  EXPECT_LT(data.local.at(0, 0).by_spread, -0.9);
  EXPECT_NE(local_table(data.local).find("<td>values</td>"), std::string::npos);
  EXPECT_NE(sensitivity_json(data).find("\"local\": {\"x\": {\"by_spread\": {\"parameters.c\": -0.9"),
            std::string::npos)
      << sensitivity_json(data);
  EXPECT_TRUE(of(straight_wire, {"ensemble.members=5", "parameters.c={uniform=[0, 1]}"}).local.outputs.empty());
}

/// x = -g t^2/2 c/(1 + c^2): its statistics are proportional to g.
TEST_F(LocalIndicesOfARun, StandBesideGradientsOfStatistics) {
  of(straight_wire, {"ensemble.members=64", "ensemble.design=sobol", "parameters.c={uniform=[0.2, 0.4]}",
                     "parameters.g=10", "sensitivities.of=['parameters.g']", "output.quantiles=[0.5]",
                     "output.statistics=['mean', 'std', 'quantiles', 'gradient']"});
  const EnsembleStatistics statistics = statistics_of(Archive(path_));
  const std::vector<StatisticGradient> gradients = final_gradients(statistics);
  ASSERT_EQ(gradients.size(), 16U);  // of x, y and their rates: mean, variance, std and the median
  const FieldStatistics& q = statistics.fields[0];
  EXPECT_EQ(gradients[1].column.name, "x");
  EXPECT_EQ(gradients[1].statistic, "variance");
  EXPECT_NEAR(gradients[0].along[0], q.mean[0] / 10, 1e-13);
  EXPECT_NEAR(gradients[1].along[0], 2 * q.std[0] * q.std[0] / 10, 1e-13);
  EXPECT_NEAR(gradients[2].along[0], q.std[0] / 10, 1e-13);
  EXPECT_NEAR(gradients[3].along[0], q.quantiles[0] / 10, 1e-13);
  const std::string json = report_json(path_, {});
  EXPECT_NE(json.find("\"gradients\": {\"x\": {\"mean\": {\"parameters.g\": -"), std::string::npos) << json;
  EXPECT_NE(json.find("\"q0.5\": {\"parameters.g\": -"), std::string::npos) << json;
  EXPECT_NE(gradient_table(statistics).find("<td>q0.5</td>"), std::string::npos);
}

}  // namespace
}  // namespace kalaba
