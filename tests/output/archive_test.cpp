#include "output/netcdf/archive.hpp"

#include <gtest/gtest.h>

#include <fstream>

#include "kalaba/error.hpp"
#include "output_data/fake_run.hpp"
#include "report/data/outcomes.hpp"

namespace kalaba {
namespace {

using Names = std::vector<std::string>;
using Sizes = std::vector<std::size_t>;

std::string written(const TemporaryFolder& folder, const FakeRun& run) {
  run.write(folder / "run.nc");
  return folder / "run.nc";
}

TEST(Archive, ListsVariablesWithDimensionsUnitsAndMeaning) {
  const TemporaryFolder folder;
  const Archive archive(written(folder, {}));
  const Inventory& file = archive.inventory();
  ASSERT_NE(file.find("w"), nullptr);
  EXPECT_EQ(file.find("w")->dimensions, (Names{"time", "rate", "member"}));
  EXPECT_EQ(file.find("w")->shape, (Sizes{3, 2, 10}));
  EXPECT_EQ(file.find("w")->unit, "m/s, rad/s");
  EXPECT_EQ(file.find("energy")->unit, "J");
  EXPECT_EQ(file.find("energy")->meaning, "energy");
  EXPECT_EQ(file.find("status")->type, FileVariable::Type::integer);
  EXPECT_EQ(file.find("coordinate")->type, FileVariable::Type::text);
  EXPECT_EQ(archive.texts("coordinate"), (Names{"a", "b", "angle"}));
  EXPECT_EQ(file.find("no such variable"), nullptr);
}

TEST(Archive, KeepsEveryAttributeAsText) {
  const TemporaryFolder folder;
  const Archive archive(written(folder, {}));
  const Inventory& file = archive.inventory();
  EXPECT_EQ(file.attribute("seed"), "18446744073709551615");
  EXPECT_EQ(file.attribute("scenario"), "system = \"cart\"\n");
  EXPECT_EQ(file.attribute("kalaba_version"), "1.2.3");
  EXPECT_EQ(file.attribute("members_finished"), "10");
  EXPECT_EQ(file.attribute("worst_violation"), "0");
  EXPECT_EQ(file.attribute("no such attribute"), "");
}

TEST(Archive, ReadsAnyPartOfAVariable) {
  const TemporaryFolder folder;
  const Archive archive(written(folder, {}));
  const std::vector<double> part = archive.numbers("w", {1, 0, 3}, {1, 2, 4});
  ASSERT_EQ(part.size(), 8U);
  EXPECT_EQ(part[1], fake_value(Field::w, 0, 4, 0.5));
  EXPECT_EQ(part[4], fake_value(Field::w, 1, 3, 0.5));
}

TEST(Archive, RefusesWhatIsNotAnOutput) {
  const TemporaryFolder folder;
  const auto code_of = [](const std::string& path) {
    try {
      const Archive archive(path);
    } catch (const Error& error) {
      return error.code();
    }
    return ExitCode::ok;
  };
  std::ofstream(folder / "words.nc") << "words";
  EXPECT_EQ(code_of(folder / "words.nc"), ExitCode::file_error);
  EXPECT_EQ(code_of(folder / "absent.nc"), ExitCode::file_error);
  EXPECT_EQ(code_of(folder / "table.csv"), ExitCode::bad_input);
}

TEST(Outcomes, NameTheFirstFailedMembersOfEachReason) {
  const TemporaryFolder folder;
  const auto sink = open_sink(folder / "run.nc", {});
  Summary summary = FakeRun{}.feed(*sink);
  summary.by_status = {9, 1};
  sink->finish(summary);
  const Archive archive(folder / "run.nc");
  const std::vector<Outcome> outcomes = outcomes_of(archive, 3);
  ASSERT_EQ(outcomes.size(), 2U);
  EXPECT_EQ(outcomes[0].reason, "ok");
  EXPECT_EQ(outcomes[0].members, 9);
  EXPECT_EQ(members_text(outcomes[0]), "");
  EXPECT_EQ(outcomes[1].reason, "non_finite");
  EXPECT_EQ(members_text(outcomes[1]), "1");
  EXPECT_EQ(outcomes[1].earliest, 0.25);
  EXPECT_TRUE(outcomes_of(archive, 0)[1].first.empty());
  EXPECT_EQ(members_text({"x", 5, {1, 2}, 0, 0}), "1, 2, ...");
}

}  // namespace
}  // namespace kalaba
