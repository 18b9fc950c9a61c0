// Valid files of measured numbers, and the errors of invalid ones.

#include "fit/measurements.hpp"

#include <gtest/gtest.h>

#include "kalaba/error.hpp"
#include "scenarios/fake_systems.hpp"
#include "scenarios/scratch_folder.hpp"
#include "support/error_of.hpp"

namespace kalaba::fit {
namespace {

const SystemInfo& pendulum() {
  static const std::vector<System> systems = fake_systems();
  for (const System& each : systems) {
    if (each.info.name == "pendulum") return each.info;
  }
  throw std::runtime_error("there is no pendulum");
}

Measurements read(const std::string& text, const std::vector<std::string>& requested = {}) {
  const ScratchFolder folder;
  return read_measurements(folder.write("m.csv", text), pendulum(), requested);
}

std::string message(const std::string& text, const std::vector<std::string>& requested = {}) {
  const ScratchFolder folder;
  return folder.shorten(
      test::message_of([&] { read_measurements(folder.write("m.csv", text), pendulum(), requested); }));
}

TEST(Measurements, AreInOrderOfTime) {
  const Measurements data = read("x,t,p_x\n3,0.5,30\n1,0.25,10\n4,0.5,40\n");
  EXPECT_EQ(data.columns, (std::vector<std::string>{"x", "p_x"}));
  EXPECT_EQ(data.times, (std::vector<double>{0.25, 0.5}));
  ASSERT_EQ(data.readings.size(), 6U);
  EXPECT_EQ(data.readings[0].value, 1);
  EXPECT_EQ(data.readings[1].column, 1U);
  EXPECT_EQ(data.readings[2].time, 1U);
  EXPECT_EQ(data.readings[4].value, 4) << "measured again at the same time";
}

TEST(Measurements, MissingNumbersAreNoReadings) {
  const Measurements data = read("time,x,z\n0,1,\n1,nan,2\n2, NaN ,\"\"\n");
  ASSERT_EQ(data.readings.size(), 2U);
  EXPECT_EQ(data.readings[0].value, 1);
  EXPECT_EQ(data.readings[1].value, 2);
  EXPECT_TRUE(data.notes.empty());
  const Measurements half = read("t,x,z\n0,1,\n1,2,\n");
  ASSERT_EQ(half.notes.size(), 1U);
  EXPECT_NE(half.notes[0].find("column z has no number"), std::string::npos);
}

TEST(Measurements, ColumnsThatNobodyReadsHoldAnything) {
  const Measurements data = read("t,x,remark\n0,1,windy\n", {"x"});
  EXPECT_EQ(data.columns, std::vector<std::string>{"x"});
}

struct Case {
  const char* text;
  const char* message;
};

TEST(Measurements, AreRefusedWithTheirPlace) {
  const std::vector<Case> cases = {
      {"", "m.csv:1: expected a line of column names"},
      {"t,x\n", "m.csv:2: expected a row of measured numbers, found none"},
      {"0,1\n1,2\n", "m.csv:1: expected a line of column names, found numbers: 0, 1"},
      {"x,z\n0,1\n", "m.csv:1: expected one column t, of times in s, found 0 among x, z"},
      {"t,x,time\n0,1,0\n", "m.csv:1: expected one column t, of times in s, found 2 among t, x, time"},
      {"t\n0\n",
       "m.csv:1: expected a column of a coordinate or rate beside t (x, z, p_x, p_z, energy, lambda_1), found none"},
      {"t,p_q\n0,1\n",
       "m.csv:1: column \"p_q\": expected a coordinate or rate of pendulum, its energy, an invariant or a multiplier "
       "(x, z, p_x, "
       "p_z, energy, lambda_1); "
       "did you mean p_x?; --columns A,B names those to read"},
      {"t,L\n0,1\n", "m.csv:1: column \"L\" (a parameter, the same at all times): expected a coordinate or rate"},
      {"t,x,x\n0,1,1\n", "m.csv:1: there are several columns \"x\""},
      {"t,x\n0,1\n1,far\n",
       "m.csv:3: column x: expected a finite number, or nan or nothing where it is missing, found \"far\""},
      {"t,x\n0,inf\n", "m.csv:2: column x: expected a finite number"},
      {"t,x\n0,1,2\n", "m.csv:2: expected 2 cells, as in line 1, found 3"},
      {"t,x\n0,1\n,2\n", "m.csv:3: column t: expected a time in s, found none"},
      {"t,x,z\n0,,nan\n1,,\n", "m.csv: expected measured numbers of x, z, found every one of them missing"},
  };
  for (const Case& each : cases)
    EXPECT_EQ(message(each.text).substr(0, std::string(each.message).size()), each.message);
}

TEST(Measurements, ColumnsAreChosenByName) {
  EXPECT_EQ(message("t,x\n0,1\n", {"z"}).substr(0, 58), "m.csv:1: expected a column \"z\", as --columns has it, found");
  EXPECT_EQ(message("t,x\n0,1\n", {"x", "x"}), "--columns: \"x\" is there twice");
  EXPECT_EQ(message("t,x\n0,1\n", {"L"}).substr(0, 25), "--columns: column \"L\" (a ");
}

TEST(Measurements, FromMemory) {
  const double nan = std::nan("");
  const Measurements data = measurements_of("data", pendulum(), {1, 0}, {"x"}, {{5, nan}});
  EXPECT_EQ(data.times, (std::vector<double>{0, 1}));
  ASSERT_EQ(data.readings.size(), 1U);
  EXPECT_EQ(data.readings[0].time, 1U);
  EXPECT_THROW(measurements_of("data", pendulum(), {1, 0}, {"x"}, {{5}}), Error);
  EXPECT_THROW(measurements_of("data", pendulum(), {}, {"x"}, {{}}), Error);
}

}  // namespace
}  // namespace kalaba::fit
