#include "report/data/sensitivity.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "output_data/fake_run.hpp"
#include "report/figure/sensitivity_panels.hpp"

namespace kalaba {
namespace {

TEST(Correlation, IsPearsons) {
  // numpy.corrcoef([1, 2, 3, 4], [1, 3, 2, 5])[0, 1]
  EXPECT_NEAR(correlation(std::vector{1.0, 2.0, 3.0, 4.0}, std::vector{1.0, 3.0, 2.0, 5.0}), 0.8315218406202999, 1e-15);
  EXPECT_NEAR(correlation(std::vector{1e9, 1e9 + 1, 1e9 + 2}, std::vector{3.0, 2.0, 1.0}), -1, 1e-12);
  EXPECT_TRUE(std::isnan(correlation(std::vector{1.0, 1.0}, std::vector{1.0, 2.0})));
}

TEST(Correlation, RanksShareTheMeanOfEqualValues) {
  EXPECT_EQ(ranks(std::vector{3.0, 1.0, 3.0, 2.0, 3.0}), (std::vector{4.0, 1.0, 4.0, 2.0, 4.0}));
  EXPECT_TRUE(ranks(std::vector<double>{}).empty());
}

TEST(Sensitivity, IsOfWhatVariesAndLeavesOutFailedMembers) {
  const TemporaryFolder folder;
  FakeRun run;
  run.value = [](Field field, std::size_t component, long member, double time) {
    if (field == Field::q && component == 0) return std::exp(-static_cast<double>(member) * time);
    if (field == Field::q && component == 1) return 7.0;
    return field == Field::q && member == 1 ? -1e9 : static_cast<double>(member);
  };
  run.write(folder / "run.nc");
  const Archive archive(folder / "run.nc");
  const auto reader = open_reader(folder / "run.nc");
  const MemberSample members(archive, *reader);
  EXPECT_EQ(members.members(), 10);
  const Sensitivity data = sensitivity_of(members, {"speed", "b"});
  ASSERT_EQ(data.inputs.size(), 3U);  // b does not vary
  EXPECT_EQ(data.inputs[0].name, "m");
  EXPECT_EQ(data.inputs[1].name, "parameter_time");
  EXPECT_EQ(data.inputs[2].name, "speed at the start");
  ASSERT_GE(data.outputs.size(), 2U);
  EXPECT_EQ(data.outputs[0].name, "a");
  EXPECT_EQ(data.outputs[1].name, "angle");
  EXPECT_NEAR(data.rank_correlation[0], -1, 1e-12);
  EXPECT_LT(std::abs(data.correlation[0]), 0.8);
  EXPECT_NEAR(data.correlation[3], 1, 1e-12) << "the failed member is in it";
  EXPECT_EQ(data.members[0], 9);  // the fake run fails member 1
}

TEST(Share, IsOfAnyShapeAndOfChanceNone) {
  std::vector<double> x;
  std::vector<double> valley;
  std::vector<double> noise;
  std::mt19937 random(1);
  for (int i = 0; i < 1000; ++i) {
    x.push_back(-1 + 2e-3 * (i + 0.5));
    valley.push_back(x.back() * x.back());
    noise.push_back(static_cast<double>(random()));
  }
  EXPECT_NEAR(correlation(ranks(x), ranks(valley)), 0, 0.01) << "which says nothing of a valley";
  const Share of_valley = share_of(x, valley);
  EXPECT_GT(of_valley.share, 0.97);
  const Share of_noise = share_of(x, noise);
  EXPECT_LT(of_noise.share, of_noise.chance);
  EXPECT_LT(of_noise.share, 0.008) << "as many groups explain 0.014 by chance";
  EXPECT_LT(of_noise.chance, 0.05);
  EXPECT_GT(share_of(x, x).share, 0.99);
  EXPECT_TRUE(std::isnan(share_of(std::vector{1.0, 2.0}, std::vector{1.0, 2.0}).share));
}

class SensitivityOf : public testing::Test {
 protected:
  Sensitivity of(const FakeRun& run, const std::vector<std::string>& starts = {}) {
    run.write(folder_ / "run.nc");
    const Archive archive(folder_ / "run.nc");
    const auto reader = open_reader(folder_ / "run.nc");
    return sensitivity_of(MemberSample(archive, *reader), starts);
  }
  TemporaryFolder folder_;
};

/// Outputs whose values differ by rounding only are omitted, both around a nonzero value and around zero.
TEST_F(SensitivityOf, RoundingIsNoOutput) {
  FakeRun run;
  run.members = 40;
  run.value = [](Field field, std::size_t component, long member, double) {
    const double noise = 1e-16 * static_cast<double>(member);
    if (field == Field::q && component == 0) return static_cast<double>(member);
    return field == Field::q && component == 1 ? noise : 3 + 10 * noise;
  };
  const Sensitivity data = of(run);
  ASSERT_EQ(data.outputs.size(), 1U);
  EXPECT_EQ(data.outputs[0].name, "a");
}

/// Member 0 rests; 1 to 5 vary m, 6 to 9 the parameter called time.
double one_at_a_time(std::size_t parameter, long member) {
  if (parameter == 0) return 1 + (member >= 2 && member <= 5 ? 0.5 * static_cast<double>(member) : 0);
  return 2 + (member >= 6 ? static_cast<double>(member - 5) : 0);
}

TEST_F(SensitivityOf, OneAtATimeIsNotPooled) {
  FakeRun run;
  run.parameter = one_at_a_time;
  run.value = [](Field field, std::size_t component, long member, double) {
    if (field != Field::q || component != 0) return 0.0;
    const double m = one_at_a_time(0, member);
    return (m - 1) * (m - 1) - 3 * (one_at_a_time(1, member) - 2);
  };
  const Sensitivity data = of(run);
  EXPECT_EQ(data.spread, Spread::one_at_a_time);
  EXPECT_TRUE(data.rank_correlation.empty());
  ASSERT_EQ(data.effects.size(), 2U);
  EXPECT_EQ(data.effects[0].low, 0);
  EXPECT_EQ(data.effects[0].high, 6.25);
  EXPECT_EQ(data.effects[1].low, -12);
  EXPECT_EQ(data.effects[1].high, 0);
  EXPECT_EQ(data.strength(0, 1), 1);
  EXPECT_LT(data.strength(0, 0), 1);
  run.parameter = [](std::size_t parameter, long member) {
    return static_cast<double>(parameter == 0 ? member % 3 : member / 3);
  };
  EXPECT_EQ(of(run).spread, Spread::together);
}

TEST_F(SensitivityOf, NoBarWhereThereIsNothingButChance) {
  FakeRun run;
  run.members = 500;
  run.parameter = [](std::size_t parameter, long member) {
    return static_cast<double>(parameter == 0 ? member : (member * 7919) % 500);
  };
  run.value = [](Field field, std::size_t component, long member, double) {
    const double m = static_cast<double>(member) - 250;
    return field == Field::q && component == 0 ? m * m : 0;
  };
  const Sensitivity data = of(run);
  ASSERT_EQ(data.inputs.size(), 2U);
  EXPECT_EQ(bars_of(data, 0), std::vector<std::size_t>{0}) << "m alone, though the rank correlation is about 0";
  EXPECT_STREQ(direction_of(data, 0, 0), "both ways");
}

TEST(Sensitivity, AParameterIsNoStart) {
  const TemporaryFolder folder;
  FakeRun run;
  run.system.parameters[0].name = "initial_a";
  run.value = [](Field, std::size_t, long member, double) { return -static_cast<double>(member); };
  run.write(folder / "run.nc");
  const Archive archive(folder / "run.nc");
  const auto reader = open_reader(folder / "run.nc");
  const Sensitivity data = sensitivity_of(MemberSample(archive, *reader), {"a"});
  ASSERT_EQ(data.inputs.size(), 3U);
  EXPECT_EQ(data.inputs[2].name, "a at the start");
  EXPECT_EQ(data.inputs[2].values.back(), -9);
}

}  // namespace
}  // namespace kalaba
