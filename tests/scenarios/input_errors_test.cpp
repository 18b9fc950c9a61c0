#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <string>
#include <vector>

#include "scenarios/failure.hpp"

namespace kalaba {
namespace {

struct CsvCase {
  const char* csv;
  const char* distribution;
  const char* message;
};
const char* const from_file = "{ file = 'm.csv' }\n";
const CsvCase csv_cases[] = {
    {"", from_file, "s.toml:3: parameters.L.file: m.csv:1: expected a line of column names"},
    {"L\n", from_file, "s.toml:3: parameters.L.file: m.csv:2: expected a row for every member, found none"},
    {"m,g\n1,2\n", from_file, "s.toml:3: parameters.L.file: m.csv:1: expected a column \"L\", found m, g"},
    {"m,length\n1,2\n", "{ file = 'm.csv', column = 'lenght' }",
     "s.toml:3: parameters.L.file: m.csv:1: expected a column \"lenght\", found m, length; did you mean length?"},
    {"length\n1\n", from_file, "s.toml:3: parameters.L.file: m.csv:1: expected a column \"L\", found length"},
    {"0.5\n1\n", from_file,
     "s.toml:3: parameters.L.file: m.csv:1: expected a line of column names, such as L, found numbers: 0.5"},
    {"0.5,-1e3\n1,2\n", "{ file = 'm.csv', column = '2' }",
     "s.toml:3: parameters.L.file: m.csv:1: expected a line of column names, such as 2, found numbers: 0.5, -1e3"},
    {"L,L\n1,2\n", from_file, "s.toml:3: parameters.L.file: m.csv:1: there are several columns \"L\""},
    {"m,L\n1,2\n1,two\n", from_file,
     "s.toml:3: parameters.L.file: m.csv:3: column L: expected a finite number, found \"two\""},
    {"L\n1\nnan\n", from_file,
     "s.toml:3: parameters.L.file: m.csv:3: column L: expected a finite number, found \"nan\""},
    {"L\n1e999\n", from_file,
     "s.toml:3: parameters.L.file: m.csv:2: column L: expected a finite number, found \"1e999\""},
    {"m,L\n1,2\n1\n", from_file, "s.toml:3: parameters.L.file: m.csv:3: expected 2 cells, as in line 1, found 1"},
    {"L\n1\n\n2\n", from_file, "s.toml:3: parameters.L.file: m.csv:3: expected a row, found a blank line"},
    {"L\n1\n2\n", "{ file = 'm.csv' }\n[ensemble]\nmembers = 3",
     "s.toml:5: ensemble.members: expected 2, the rows of parameters.L, found 3"},
    {"L\n1\n2\n", "{ file = 'm.csv' }\ng = { values = [1, 2, 3] }",
     "s.toml:3: parameters.L: expected a whole multiple of the 3 points of the grid (parameters.g is an axis), found 2 "
     "members"},
    {"L\n1\n", "{ file = 'x.csv' }", "s.toml:3: parameters.L.file: cannot read x.csv: No such file or directory"},
    {"L\n1\n", "{ file = '.' }", "s.toml:3: parameters.L.file: cannot read .: it is not a regular file"},
};

TEST(CsvError, NamesTheLine) {
  const ScratchFolder folder;
  for (const CsvCase& c : csv_cases) {
    folder.write("m.csv", c.csv);
    const std::string text = std::string("system = 'pendulum'\n[parameters]\nL = ") + c.distribution;
    EXPECT_EQ(first_message(folder, folder.write("s.toml", text)), c.message) << c.csv;
  }
}

TEST(CsvError, NamesTheFileThatHasOtherRows) {
  const ScratchFolder folder;
  folder.write("two.csv", "L\n1\n2\n");
  folder.write("three.csv", "m\n1\n2\n3\n");
  const std::string file = folder.write(
      "s.toml", "system = 'pendulum'\n[parameters]\nm = { file = 'three.csv' }\nL = { file = 'two.csv' }\n");
  EXPECT_EQ(first_message(folder, file), "s.toml:4: parameters.L: expected 3 rows, as parameters.m has, found 2");
}

struct OverrideCase {
  std::vector<std::string> overrides;
  const char* message;
};
const OverrideCase override_cases[] = {
    {{"time.edn=3"}, "-s time.edn=3: unknown key; did you mean time.end?"},
    {{"tiem.end=3"}, "-s tiem.end=3: tiem: unknown table; did you mean time?"},
    {{"time.dt=0.7"},
     "-s time.dt=0.7: the time from 0 to 3 is not a whole number of steps of 0.7; the nearest ends "
     "are 2.8 and 3.5"},
    {{"time.end"}, "-s time.end: expected key=value, such as time.end=3"},
    {{"=3"}, "-s =3: expected key=value, such as time.end=3"},
    {{"#time.end=3"}, "-s #time.end=3: expected key=value, such as time.end=3"},
    {{"time..end=3"}, "-s time..end=3: expected key=value, such as time.end=3"},
    {{"time.end=3\ntime.dt=1"}, "-s time.end=3\ntime.dt=1: expected key=value, such as time.end=3"},
    {{"time.end=three"}, "-s time.end=three: expected a number, found \"three\""},
    {{"time.end="}, "-s time.end=: expected a number, found \"\""},
    {{"output.file=\xFF"}, "-s output.file=\xFF: expected text in UTF-8"},
    {{"time=3"}, "-s time=3: expected a table, found 3"},
    {{"parameters.L={uniform=[0.5,2}"},
     "-s parameters.L={uniform=[0.5,2}: Error while parsing array: expected comma or closing ']', saw '}'"},
    {{"parameters.L={uniform=[2,1]}"},
     "-s parameters.L={uniform=[2,1]}: parameters.L.uniform: expected [low, high] "
     "with low <= high, found [2, 1]"},
    {{"parameters.L.uniform=[1,2]"}, "-s parameters.L.uniform=[1,2]: parameters.L is 1.5, not a table"},
    {{"time.end=3", "time.end=4"}, "-s time.end=4: another -s already sets time.end"},
    {{"time.end=3", "time={dt=1}"}, "-s time={dt=1}: another -s already sets time.end"},
    {{"time={dt=1}", "time.end=3"}, "-s time.end=3: another -s already sets time"},
    {{"system=swarm"}, "-s system=swarm: the scenario is of system \"pendulum\""},
};

TEST(OverrideError, NamesTheOverride) {
  const ScratchFolder folder;
  const std::string file = folder.write("s.toml", "system = 'pendulum'\n[parameters]\nL = 1.5\n[time]\nend = 3\n");
  for (const OverrideCase& c : override_cases) EXPECT_EQ(first_message(folder, file, c.overrides), c.message);
}

TEST(SystemError, IsNamed) {
  const ScratchFolder folder;
  EXPECT_EQ(first_message(folder, "pendulun"),
            "system: expected the name of a system, found \"pendulun\"; did you mean pendulum? (kalaba list shows "
            "them; the name of a file has a / or ends in .toml)");
  EXPECT_EQ(first_message(folder, folder.write("s.toml", "\nsystem = 'swram'")),
            "s.toml:2: system: expected the name of a system, found \"swram\"; did you mean swarm? (kalaba list shows "
            "them)");
  EXPECT_EQ(first_message(folder, folder.write("s.toml", "sytem = 'swarm'")),
            "s.toml:1: sytem: unknown key; did you mean system?");
  EXPECT_EQ(first_message(folder, folder.write("s.toml", "")),
            "s.toml: system is missing; add system = \"NAME\" (kalaba list shows the names), or the table [model]");
  EXPECT_EQ(first_message(folder, "swarm", {"structure.agents=7"}),
            "-s structure.agents=7: expected one of the sizes 2, 3, 5 that swarm is built for, found 7");
  EXPECT_EQ(first_message(folder, "swarm", {"structure.agent=5"}),
            "-s structure.agent=5: unknown key; did you mean structure.agents?");
  EXPECT_EQ(first_message(folder, "swarm", {"output.fields=[\"energy\"]"}),
            "-s output.fields=[\"energy\"]: swarm states no energy");
}

TEST(FileAccess, IsRefusedWithTheReason) {
  const ScratchFolder folder;
  const auto expect = [&](const std::string& path, const std::string& message) {
    const Failure failure = failure_of(folder, path);
    EXPECT_EQ(failure.message, message);
    EXPECT_EQ(failure.code, ExitCode::file_error);
  };
  expect(folder.path("none.toml"), "none.toml: cannot read the scenario: No such file or directory");
  std::filesystem::create_directory(folder.path("folder.toml"));
  expect(folder.path("folder.toml"), "folder.toml: cannot read the scenario: it is a directory");
  ASSERT_EQ(mkfifo(folder.path("pipe.toml").c_str(), 0600), 0);
  expect(folder.path("pipe.toml"), "pipe.toml: cannot read the scenario: it is not a regular file");
  expect(folder.write("large.toml", std::string((16 << 20) + 1, '\n')),
         "large.toml: cannot read the scenario: it has 16777217 bytes; at most 16777216 are read");
  EXPECT_EQ(
      first_message(folder, folder.write("allowed.toml", std::string(16 << 20, '\n'))),
      "allowed.toml: system is missing; add system = \"NAME\" (kalaba list shows the names), or the table [model]");
}

TEST(FileAccess, IsRefusedWithoutPermission) {
  if (geteuid() == 0) GTEST_SKIP() << "root may read everything";
  const ScratchFolder folder;
  const std::string file = folder.write("s.toml", "system = 'pendulum'");
  ASSERT_EQ(chmod(file.c_str(), 0), 0);
  EXPECT_EQ(first_message(folder, file), "s.toml: cannot read the scenario: Permission denied");
}

std::string repeated(const std::string& text, int times) {
  std::string result;
  for (int i = 0; i < times; ++i) result += text;
  return result;
}

/// Nesting that would overflow the stack of a recursive parser.
TEST(HostileFile, EndsInAnError) {
  const ScratchFolder folder;
  const auto message = [&](const std::string& text) { return first_message(folder, folder.write("s.toml", text)); };
  const std::string words = repeated("a.", 100'000);
  const std::string refusal = ": a key of more than 16 words";
  EXPECT_EQ(message("\n" + words + "b = 1"), "s.toml:2" + refusal);
  EXPECT_EQ(message("[" + words + "b]"), "s.toml:1" + refusal);
  EXPECT_EQ(message("x = { y = \"\"\"a\"\"\"\", " + words + "b = 1 }"), "s.toml:1" + refusal);
  EXPECT_EQ(message("x = { y = \"\\\"\", " + words + "b = 1 }"), "s.toml:1" + refusal);
  EXPECT_EQ(message("x = '\\' # '\n" + words + "b = 1"), "s.toml:2" + refusal);
  EXPECT_EQ(message(repeated("\"a,\".", 100'000) + "b = 1"), "s.toml:1" + refusal);
  EXPECT_EQ(first_message(folder, "pendulum", {"time.end={" + words + "b=1}"}).substr(0, 14), "-s time.end={a");
  EXPECT_NE(message("x = " + repeated("[", 100'000)).find("exceeded maximum nested value depth"), std::string::npos);
  EXPECT_NE(message("x = " + repeated("{a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a=", 250)).find("s.toml:1"), std::string::npos);
}

TEST(HostileFile, MayHoldDotsWhereTheyDoNotNest) {
  const ScratchFolder folder;
  const std::string text = "system = 'pendulum' # " + repeated(".", 1000) + "\n[output]\nfile = '" +
                           repeated(".", 1000) + "nc'\n[parameters]\nL = { values = [" + repeated("1.5, ", 1000) +
                           "] }\n";
  EXPECT_EQ(first_message(folder, folder.write("s.toml", text)), "(no error)");
}

/// Every way to cut a scenario short gives a scenario or an error, nothing else.
TEST(HostileFile, MayBeTruncatedAnywhere) {
  const ScratchFolder folder;
  const std::string text = scenario_template(fake_pendulum());
  for (std::size_t size = 0; size < text.size(); size += 7) {
    EXPECT_FALSE(first_message(folder, folder.write("s.toml", text.substr(0, size))).empty());
  }
}

}  // namespace
}  // namespace kalaba
