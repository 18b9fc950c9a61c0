// Sobol' indices from the scenario to the report, for motions with known indices.

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <string>
#include <vector>

#include "output_data/reported_run.hpp"
#include "report/data/sensitivity_json.hpp"

namespace kalaba {
namespace {

class SobolRun : public ReportedRun {};

/// A bead slides down a straight wire of slope c: after 1 s its x is -g/2 times c/(1 + c^2), a product of two factors
/// that are drawn each on its own. With means m and variances v its variance is (v1 + m1^2)(v2 + m2^2) - m1^2 m2^2.
TEST_F(SobolRun, OfABeadOnASlopeAreThoseOfAProduct) {
  const Sensitivity data = of(straight_wire, {"ensemble.members=8192", "ensemble.design=saltelli",
                                              "parameters.c={uniform=[0, 1]}", "parameters.g={uniform=[2, 18]}"});
  const double mean_g = 10, variance_g = 16.0 * 16 / 12;
  const double mean_h = std::numbers::ln2 / 2;                              // of h = c/(1 + c^2) over 0 ... 1
  const double variance_h = std::numbers::pi / 8 - 0.25 - mean_h * mean_h;  // of h^2 the mean is pi/8 - 1/4
  const double all =
      (variance_g + mean_g * mean_g) * (variance_h + mean_h * mean_h) - mean_g * mean_g * mean_h * mean_h;
  const double by_c = variance_h * mean_g * mean_g / all;
  const double by_g = variance_g * mean_h * mean_h / all;
  ASSERT_EQ(data.drawn, (std::vector<std::string>{"c", "g"}));
  ASSERT_EQ(data.outputs.at(0).name, "x");
  const SobolIndices& x = data.sobol.at(0);
  EXPECT_EQ(x.points, 2048);
  EXPECT_NEAR(x.first[0].share, by_c, 3e-3);
  EXPECT_NEAR(x.first[1].share, by_g, 3e-3);
  EXPECT_NEAR(x.total[0].share, 1 - by_g, 3e-3);
  EXPECT_NEAR(x.total[1].share, 1 - by_c, 3e-3);
  EXPECT_LT(x.total[1].error, 0.02);
  EXPECT_EQ(data.members.at(0), 4096) << "correlations are of a and b";
  EXPECT_EQ(data.inputs.at(0).values.size(), 4096U);
}

/// A drawn start counts as one, in the order of the design; m, which is not drawn, does not.
TEST_F(SobolRun, AStartIsAnInput) {
  const Sensitivity data = of(straight_wire, {"ensemble.members=4096", "ensemble.design=saltelli",
                                              "initial.x={uniform=[0, 3]}", "parameters.g={uniform=[2, 4]}"});
  ASSERT_EQ(data.drawn, (std::vector<std::string>{"g", "x at the start"}));
  // c = 1: x = x0 - g/4, where the projection keeps the drawn x0 and moves y.
  const double by_x = 9.0 / 12;
  const double by_g = 4.0 / 12 / 16;
  EXPECT_NEAR(data.sobol.at(0).first[1].share, by_x / (by_x + by_g), 3e-3);
  EXPECT_NEAR(data.sobol.at(0).total[0].share, by_g / (by_x + by_g), 3e-3);
}

/// A part that begins within a point is of the whole points in it.
TEST_F(SobolRun, APartOfAnEnsembleIsOfItsWholePoints) {
  const std::vector<std::string> overrides = {"ensemble.members=400", "ensemble.design=saltelli",
                                              "parameters.c={uniform=[0, 1]}", "parameters.g={uniform=[2, 18]}"};
  const Sensitivity part = of(straight_wire, overrides, {.first = 201, .members = 198});
  EXPECT_EQ(part.sobol.at(0).points + part.sobol.at(0).left_out, 48);
  EXPECT_NEAR(part.sobol.at(0).first[0].share + part.sobol.at(0).first[1].share, 0.95, 0.05);
}

TEST_F(SobolRun, TheJsonHasWhatThePageShows) {
  const Sensitivity data = of(straight_wire, {"ensemble.members=400", "ensemble.design=saltelli",
                                              "parameters.c={uniform=[0, 1]}", "parameters.g={uniform=[2, 18]}"});
  const std::string json = report_json(path_, {});
  EXPECT_EQ(json, sensitivity_json(data));
  EXPECT_NE(json.find("\"sobol\": {\"points\": 100, \"left_out\": 0, \"first\": {\"c\": "), std::string::npos) << json;
  EXPECT_NE(json.find("\"rank_correlation\": {\"c\": "), std::string::npos) << json;
}

}  // namespace
}  // namespace kalaba
