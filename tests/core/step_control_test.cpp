// Controller of adaptive steps: safety error^(-11/64) for dopri5, with the error of the previous step; for dop853
// without it, error^(-1/8).

#include "kalaba/core/methods/step_control.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "kalaba/core/methods/dop853.hpp"
#include "kalaba/core/methods/dopri5.hpp"

namespace kalaba {
namespace {

TEST(StepControlTest, TheRootIsThe64th) {
  for (const double error : {1e-10, 1e-4, 0.5, 1.0, 3.0, 1e30}) {
    EXPECT_NEAR(StepControl::root(error), std::pow(error, 1.0 / 64), 1e-14) << error;
  }
  EXPECT_EQ(StepControl::root(0.0), StepControl::root(1e-10));
}

TEST(StepControlTest, GrowsByBothErrors) {
  const auto growth = [](double error, double before) {
    return StepControl::growth<Dopri5Tableau>(StepControl::root(error), StepControl::root(before));
  };
  EXPECT_NEAR(growth(1.0, 1.0), 0.9, 1e-14);
  EXPECT_NEAR(growth(0.1, 0.2), 0.9 * std::pow(0.1, -11.0 / 64) * std::pow(0.2, 2.0 / 64), 1e-12);
  EXPECT_LT(growth(0.1, 0.01), growth(0.1, 0.1)) << "an error that rises is a warning";
  EXPECT_EQ(growth(0.0, 1.0), StepControl::most_factor);
  EXPECT_EQ(growth(StepControl::rejected_error, 1.0), StepControl::least_factor);
}

TEST(StepControlTest, ShrinksAfterARejectionAndNeverBelowAFifth) {
  EXPECT_NEAR(StepControl::shrink_after_rejection<Dopri5Tableau>(StepControl::root(2.0)),
              0.9 * std::pow(2.0, -11.0 / 64), 1e-14);
  EXPECT_EQ(StepControl::shrink_after_rejection<Dopri5Tableau>(StepControl::root(StepControl::rejected_error)), 0.2);
  for (double error = 1.0001; error < 1e6; error *= 3) {
    EXPECT_LT(StepControl::shrink_after_rejection<Dopri5Tableau>(StepControl::root(error)), 1.0) << error;
  }
}

TEST(StepControlTest, HasTheExponentsOfTheTableau) {
  for (const double before : {1e-3, 1.0}) {
    const double growth = StepControl::growth<Dop853Tableau>(StepControl::root(0.1), StepControl::root(before));
    EXPECT_NEAR(growth, 0.9 * std::pow(0.1, -1.0 / 8), 1e-14);
  }
  EXPECT_NEAR(StepControl::shrink_after_rejection<Dop853Tableau>(StepControl::root(2.0)), 0.9 * std::pow(2.0, -1.0 / 8),
              1e-14);
}

TEST(StepControlTest, TheScaleIsRelativeToTheLargerEndPlusAbsolute) {
  const Method method = {.relative_tolerance = 1e-3, .absolute_tolerance = 1e-6};
  EXPECT_DOUBLE_EQ(StepControl::scale(method, -3.0, 2.0), 3e-3 + 1e-6);
  EXPECT_DOUBLE_EQ(StepControl::scale(method, 1.0, 2.0), 2e-3 + 1e-6);
  EXPECT_DOUBLE_EQ(StepControl::scale(method, 0.0, 0.0), 1e-6);
}

TEST(StepControlTest, TheSmallestStepIsTheOneAskedForOrWhatTimeCanTell) {
  EXPECT_EQ(StepControl::smallest(Method{.smallest_step = 1e-3}, 5.0, 10.0), 1e-3);
  EXPECT_EQ(StepControl::smallest(Method{}, 100.0, 10.0), 16 * Limits<double>::epsilon * 100);
  EXPECT_EQ(StepControl::smallest(Method{}, 0.0, 10.0), 16 * Limits<double>::epsilon * 10);
}

}  // namespace
}  // namespace kalaba
