#include "report/sensitivity.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "output_data/fake_run.hpp"

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
  EXPECT_EQ(members.members(), 9);
  EXPECT_EQ(members.left_out(), 1);  // the fake run fails member 1
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
