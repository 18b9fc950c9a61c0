#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include <csignal>
#include <cstdio>
#include <fstream>

#include "kalaba/error.hpp"
#include "output/base/reader.hpp"
#include "output_data/fake_run.hpp"
#include "support/error_of.hpp"

namespace kalaba {
namespace {

using Names = std::vector<std::string>;
using test::error_of;

Selection everything(const Contents& contents) {
  Selection all;
  for (std::size_t i = 0; i < contents.columns.size(); ++i) all.columns.push_back(i);
  for (std::size_t i = 0; i < contents.times.size(); ++i) all.times.push_back(static_cast<long>(i));
  for (long i = 0; i < contents.members; ++i) all.members.push_back(i);
  return all;
}

class EveryFormat : public testing::TestWithParam<const char*> {
 protected:
  std::string path() const { return folder_ / ("run" + std::string(GetParam())); }
  std::string partial() const { return folder_ / ("run.partial" + std::string(GetParam())); }
  TemporaryFolder folder_;
};

TEST_P(EveryFormat, ReadsBackWhatWasWritten) {
  for (long block_members : {1L, 3L, 4L, 10L, 70L}) {
    SCOPED_TRACE(block_members);
    FakeRun run;
    run.members = 70;
    run.block_members = block_members;
    run.write(path());
    const auto reader = open_reader(path());
    const Contents& contents = reader->contents();
    EXPECT_EQ(contents.members, 70);
    EXPECT_EQ(contents.times, run.times);
    ASSERT_EQ(contents.columns.size(), 25U);
    const Selection all = everything(contents);
    const auto values = reader->read(all);
    for (std::size_t column = 0; column < values.size(); ++column) {
      const Column& about = contents.columns[column];
      std::size_t at = 0;
      for (double time : run.times) {
        for (long member : all.members) {
          ASSERT_EQ(values[column][at++],
                    fake_value(about.field, static_cast<std::size_t>(about.component), member, time))
              << about.name << " of member " << member << " at " << time;
        }
      }
    }
  }
}

TEST_P(EveryFormat, ReadsASelection) {
  const FakeRun run;
  run.write(path());
  const auto values = open_reader(path())->read({{1, 4}, {0, 2}, {0, 7, 9}});
  ASSERT_EQ(values.size(), 2U);
  for (std::size_t t = 0; t < 2; ++t) {
    for (std::size_t m = 0; m < 3; ++m) {
      const long member = std::array{0L, 7L, 9L}[m];
      EXPECT_EQ(values[0][t * 3 + m], fake_value(Field::q, 1, member, static_cast<double>(t)));
      EXPECT_EQ(values[1][t * 3 + m], fake_value(Field::w, 1, member, static_cast<double>(t)));
    }
  }
}

TEST_P(EveryFormat, HasTheSavedComponentsAlone) {
  FakeRun run;
  run.fields = some_components();
  run.write(path());
  const auto reader = open_reader(path());
  const Contents& contents = reader->contents();
  const auto values = reader->read(everything(contents));
  struct Expected {
    const char* name;
    Field field;
    std::size_t component;
  };
  constexpr std::array expected = {Expected{"a", Field::q, 0}, Expected{"angle", Field::q, 2},
                                   Expected{"spin", Field::w, 1}, Expected{"lambda_2", Field::multipliers, 1},
                                   Expected{"energy", Field::energy, 0}};
  ASSERT_EQ(values.size(), expected.size());
  for (std::size_t column = 0; column < expected.size(); ++column) {
    EXPECT_EQ(contents.columns[column].name, expected[column].name);
    for (std::size_t at = 0; at < values[column].size(); ++at) {
      const auto members = static_cast<std::size_t>(run.members);
      EXPECT_EQ(values[column][at], fake_value(expected[column].field, expected[column].component,
                                               static_cast<long>(at % members), run.times[at / members]));
    }
  }
}

TEST_P(EveryFormat, HasMembersAndTimesAloneIfNoFieldIsSaved) {
  FakeRun run;
  run.fields = {};
  run.write(path());
  const auto reader = open_reader(path());
  EXPECT_TRUE(reader->contents().columns.empty());
  EXPECT_EQ(reader->contents().members, run.members);
  EXPECT_EQ(reader->contents().times, run.times);
}

TEST_P(EveryFormat, AppearsOnlyWhenFinished) {
  {
    const auto sink = open_sink(path(), {});
    FakeRun().feed(*sink);
    EXPECT_FALSE(std::filesystem::exists(path()));
  }
  EXPECT_EQ(folder_.names(), Names{});  // the temporary went with the sink
  std::ofstream(path()) << "an older result";
  const auto sink = open_sink(path(), {});
  const Summary summary = FakeRun().feed(*sink);
  EXPECT_EQ(bytes_of(path()), "an older result");
  sink->finish(summary);
  EXPECT_EQ(sink->published_path(), path());
  EXPECT_EQ(open_reader(path())->contents().members, 10);
  EXPECT_EQ(folder_.names().size(), path().ends_with(".csv") ? 2U : 1U) << "a table has its checksum beside it";
}

TEST_P(EveryFormat, InterruptedRunIsPublishedAsPartial) {
  FakeRun run;
  run.stop_before_member = 8;
  const auto sink = open_sink(path(), {});
  sink->finish(run.feed(*sink));
  EXPECT_EQ(sink->published_path(), partial());
  EXPECT_EQ(folder_.names(), Names{std::filesystem::path(partial()).filename()});
  const auto reader = open_reader(partial());
  const auto values = reader->read({{0}, {2}, {0, 7}});
  EXPECT_EQ(values[0][1], fake_value(Field::q, 0, 7, 1));
}

TEST_P(EveryFormat, RefusesPlacesThatCannotBeWritten) {
  const std::string ending = GetParam();
  const Error absent = error_of([&] { open_sink(folder_ / ("no/such/run" + ending), {}); });
  EXPECT_EQ(absent.code(), ExitCode::file_error);
  EXPECT_NE(std::string(absent.what()).find("no/such"), std::string::npos);
  EXPECT_EQ(error_of([&] { open_sink("/proc/run" + ending, {}); }).code(), ExitCode::file_error);
  std::filesystem::create_directory(path());
  EXPECT_NE(std::string(error_of([&] { open_sink(path(), {}); }).what()).find("is a folder"), std::string::npos);
}

TEST_P(EveryFormat, RefusesToReadWhatIsNotItsOwn) {
  EXPECT_EQ(error_of([&] { open_reader(path()); }).code(), ExitCode::file_error);
  for (const char* content :
       {"", "\n", "member,time,x\n", "member,time,x\n0,0\n1", "not a data file", "a,b,c\n1,2,3\n"}) {
    std::ofstream(path()) << content;
    const Error error = error_of([&] {
      const auto reader = open_reader(path());
      reader->read(everything(reader->contents()));
    });
    EXPECT_EQ(error.code(), ExitCode::file_error) << content;
    EXPECT_NE(std::string(error.what()).find(path()), std::string::npos) << error.what();
  }
}

/// Runs a child that may write files of at most `limit` bytes; 0 when its sink threw the right Error.
int fill_the_disk(const std::string& path, rlim_t limit) {
  const rlimit file_size = {limit, limit};
  std::signal(SIGXFSZ, SIG_IGN);
  if (setrlimit(RLIMIT_FSIZE, &file_size) != 0) return 10;
  FakeRun run;
  run.members = 20'000;
  run.block_members = 5'000;
  try {
    run.write(path);
  } catch (const Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return error.code() == ExitCode::file_error ? 0 : 11;
  }
  return 12;
}

TEST_P(EveryFormat, FullDiskIsAnErrorAndLeavesNothing) {
  for (rlim_t limit : {rlim_t{500}, rlim_t{5'000}, rlim_t{100'000}, rlim_t{3'000'000}}) {
    EXPECT_EXIT(std::exit(fill_the_disk(path(), limit)), testing::ExitedWithCode(0), "File too large") << limit;
    EXPECT_EQ(folder_.names(), Names{}) << limit;
  }
}

INSTANTIATE_TEST_SUITE_P(Formats, EveryFormat, testing::Values(".nc", ".csv"),
                         [](const auto& info) { return std::string(info.param + 1); });

TEST(OpenSink, RefusesOtherEndings) {
  const TemporaryFolder folder;
  for (const char* name : {"run.txt", "run", "run.", ".csv", "run.nc.gz"}) {
    const Error error = error_of([&] { open_sink(folder / name, {}); });
    EXPECT_EQ(error.code(), ExitCode::bad_input);
    EXPECT_NE(std::string(error.what()).find(".nc or .csv"), std::string::npos) << error.what();
  }
  EXPECT_EQ(folder.names(), Names{});
}

TEST(Csv, Golden) {
  const TemporaryFolder folder;
  FakeRun run;
  run.members = 2;
  run.times = {0, 0.1};
  run.fields = {Field::energy, Field::rank, Field::w, Field::multipliers};
  run.value = [](Field field, std::size_t component, long member, double time) {
    if (field == Field::energy) return member == 0 ? -std::nan("") : -HUGE_VAL;
    if (field == Field::rank) return 2.0;
    if (field == Field::multipliers) return time > 0 ? 1e-300 / 3 : -0.0;
    return static_cast<double>(component) + static_cast<double>(member) / 3;
  };
  run.write(folder / "run.csv");
  EXPECT_EQ(bytes_of(folder / "run.csv"),
            "member,time,speed,spin,lambda_1,lambda_2,rank,energy\n"
            "0,0,0,1,-0,-0,2,NaN\n"
            "0,0.1,0,1,3.3333333333333334e-301,3.3333333333333334e-301,2,NaN\n"
            "1,0,0.3333333333333333,1.3333333333333333,-0,-0,2,-Inf\n"
            "1,0.1,0.3333333333333333,1.3333333333333333,3.3333333333333334e-301,3.3333333333333334e-301,2,-Inf\n");
}

TEST(Csv, BytesDoNotDependOnTheBlocks) {
  const TemporaryFolder folder;
  FakeRun run;
  run.members = 1000;
  run.block_members = 1000;
  run.write(folder / "one.csv");
  for (long block_members : {1L, 7L, 999L}) {
    run.block_members = block_members;
    run.write(folder / "many.csv");
    EXPECT_EQ(bytes_of(folder / "one.csv"), bytes_of(folder / "many.csv"));
  }
}

TEST(Csv, BadRowsAreNamedByLine) {
  const TemporaryFolder folder;
  const auto message = [&](const char* rows) {
    std::ofstream(folder / "run.csv") << "member,time,x,y\n" << rows;
    return std::string(error_of([&] {
                         const auto reader = open_reader(folder / "run.csv");
                         reader->read(everything(reader->contents()));
                       }).what());
  };
  EXPECT_NE(message("0,0,1,2\n1,0,1,two\n").find("line 3: expected a number, found \"two\""), std::string::npos);
  EXPECT_NE(message("0,0,1,2\n1,0,1\n").find("line 3: expected 4 columns, found 3"), std::string::npos);
  EXPECT_NE(message("0,0,1,2\n2,0,1,2\n1,0,1,2\n").find("line 3: member 2 is out of order"), std::string::npos);
  EXPECT_NE(message("0,0,1,2\n1,0,1,2\n1,1,1,2\n").find("line 4: member 1 has more rows"), std::string::npos);
  EXPECT_NE(message("0,0,1,2\n2,0,1,2\n").find("line 3: expected a row of member 1, found one of member 2"),
            std::string::npos);
  EXPECT_NE(
      message("0,0,1,2\n0,1,1,2\n1,1,1,2\n").find("line 4: expected the time 0, that of row 1 of the first member"),
      std::string::npos);
  EXPECT_NE(
      message("0,0,1,2\n0,1,1,2\n1,0,1,2\n2,0,1,2\n2,1,1,2\n").find("line 5: member 1 has 1 of 2 rows up to here"),
      std::string::npos);
  EXPECT_NE(message("0,0,1,2\n1,0,1,2,3\n").find("line 3: expected 4 columns, found more: \"3\""), std::string::npos);
  EXPECT_NE(message("0,0,1,2\n9223372036854775807,0,1,2\n").find("the last line"), std::string::npos);
}

TEST(Fields, LayoutNamesAndUnits) {
  const SystemInfo system = fake_system();
  EXPECT_EQ(field_layout(system, Field::constraint_force).components, (Names{"force_speed", "force_spin"}));
  EXPECT_EQ(field_layout(system, Field::constraint_force).units, (Names{"N", "N m"}));
  EXPECT_EQ(field_layout(system, Field::multipliers).components, (Names{"lambda_1", "lambda_2"}));
  EXPECT_EQ(field_layout(system, Field::residual).dimension, "");
  EXPECT_EQ(field_layout(system, Field::w).dimension, "rate");
  for (Field field : all_fields) EXPECT_EQ(field_layout(system, field).name, field_name(field));
}

}  // namespace
}  // namespace kalaba
