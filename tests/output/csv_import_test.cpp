// CSV tables of a run as a netCDF file, and tables that are refused.

#include "output/csv/csv_import.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <fstream>
#include <functional>
#include <iterator>
#include <limits>
#include <string>

#include "kalaba/error.hpp"
#include "output/base/reader.hpp"
#include "output/csv/statistics_csv.hpp"
#include "output/netcdf/archive.hpp"
#include "output_data/fake_tables.hpp"
#include "statistics/all_kinds.hpp"
#include "support/error_of.hpp"

namespace kalaba {
namespace {

std::string text_of(const std::string& path) {
  std::ifstream stream(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

void write_text(const std::string& path, const std::string& text) { std::ofstream(path, std::ios::binary) << text; }

bool same_bits(const std::vector<double>& a, const std::vector<double>& b) {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (std::isnan(a[i]) && std::isnan(b[i])) continue;
    if (std::memcmp(&a[i], &b[i], sizeof(double)) != 0) return false;
  }
  return true;
}

double awkward(Field field, std::size_t component, long member, double time) {
  if (member % 11 == 3 && time > 0) return std::numeric_limits<double>::quiet_NaN();
  if (member % 11 == 4) return component == 0 ? HUGE_VAL : -HUGE_VAL;
  if (member % 11 == 5) return -5e-324;
  return fake_value(field, component, member, time);
}

/// Variables of the imported file that differ from those of the netCDF file of the run, or are missing.
std::vector<std::string> different_variables(const std::string& expected_path, const std::string& found_path) {
  const Archive expected(expected_path);
  const Archive found(found_path);
  std::vector<std::string> different;
  for (const FileVariable& variable : expected.inventory().variables) {
    const bool is_text = variable.type == FileVariable::Type::text;
    if (is_text && (variable.name.ends_with("_unit") || variable.name.starts_with("event_"))) continue;
    const FileVariable* const same = found.inventory().find(variable.name);
    if (same == nullptr || same->shape != variable.shape ||
        (is_text ? expected.texts(variable.name) != found.texts(variable.name)
                 : !same_bits(expected.numbers(variable), found.numbers(*same)))) {
      different.push_back(variable.name);
    }
  }
  return different;
}

class Tables : public testing::Test {
 protected:
  std::string run_csv() const { return folder_ / "run.csv"; }
  std::string imported() const { return folder_ / "imported.nc"; }

  /// Message with which the tables are refused; "" if they are imported.
  std::string refusal() const {
    return test::message_of([&] { import_csv(run_csv(), imported()); }, ExitCode::file_error);
  }

  /// Refusal of the tables after the text of one of them was changed.
  std::string refusal(const std::string& table, const std::function<void(std::string&)>& change) const {
    const std::string path = folder_ / table;
    const std::string whole = text_of(path);
    std::string changed = whole;
    change(changed);
    EXPECT_NE(changed, whole) << "nothing was changed";
    write_text(path, changed);
    const std::string message = refusal();
    write_text(path, whole);
    return message;
  }

  TemporaryFolder folder_;
};

FakeRun run_with_tables() {
  FakeRun run;
  run.members = 23;
  run.events = {{"landed", "a"}, {"far", "b - 3"}};
  run.statistics = {{Statistic::mean, Statistic::quantiles}, {0.25, 0.5}};
  return run;
}

void replace(std::string& text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  if (at != std::string::npos) text.replace(at, from.size(), to);
}

void erase_line(std::string& text, long line) {
  std::size_t begin = 0;
  for (; line > 1; --line) begin = text.find('\n', begin) + 1;
  text.erase(begin, text.find('\n', begin) + 1 - begin);
}

/// Bit by bit, for blocks of any size.
TEST_F(Tables, HaveTheNumbersOfTheNetcdfFile) {
  FakeRun run = run_with_tables();
  run.statistics = {};  // the netCDF file contains its statistics itself
  run.value = awkward;
  run.system.sensitivities = {{"parameters.m", "kg", 0, ""}};
  for (const Integrator integrator : {Integrator::rk4, Integrator::dopri5}) {
    run.integrator = integrator;
    write_outputs(run, folder_ / "run.nc");
    write_outputs(run, run_csv());
    for (const std::size_t at_once : {std::size_t{1}, std::size_t{300}, std::size_t{1} << 22}) {
      import_csv(run_csv(), imported(), at_once);
      EXPECT_EQ(different_variables(folder_ / "run.nc", imported()), std::vector<std::string>()) << at_once;
    }
  }
}

/// A system with the coordinates and rates of one of the catalogue, but other constraints.
TEST_F(Tables, OfASystemLikeAnotherHaveTheirNumbers) {
  FakeRun run;
  for (const char* name : {"spherical_pendulum", "two_particles_incline"}) {
    const SystemInfo& like = find_system(name).info;
    run.system.coordinates = like.coordinates;
    run.system.rates = like.rates;
    run.system.constraints = {{"rail", "m", 0, ""}, {"slip", "m/s", 0, ""}, {"wheel", "rad", 0, ""}};
    write_outputs(run, folder_ / "run.nc");
    write_outputs(run, run_csv());
    import_csv(run_csv(), imported());
    EXPECT_EQ(different_variables(folder_ / "run.nc", imported()), std::vector<std::string>()) << name;
  }
}

TEST_F(Tables, OfSomeComponentsHaveTheirNumbers) {
  FakeRun run = run_with_tables();
  run.fields = some_components();
  run.statistics = {};
  run.value = awkward;
  write_outputs(run, folder_ / "run.nc");
  write_outputs(run, run_csv());
  import_csv(run_csv(), imported());
  const auto expected = open_reader(folder_ / "run.nc");
  const auto found = open_reader(imported());
  ASSERT_EQ(expected->contents().columns.size(), found->contents().columns.size());
  for (std::size_t i = 0; i < expected->contents().columns.size(); ++i) {
    EXPECT_EQ(expected->contents().columns[i].name, found->contents().columns[i].name);
    EXPECT_EQ(expected->contents().columns[i].field, found->contents().columns[i].field)
        << expected->contents().columns[i].name;
    const Selection all = {{i}, {0, 1, 2}, {0, 1, 2, 3, 4, 5, 22}};
    EXPECT_TRUE(same_bits(expected->read(all).front(), found->read(all).front())) << i;
  }
}

TEST_F(Tables, OfStatisticsHaveTheirNumbers) {
  FakeRun run;
  run.members = 60;
  ask_for_everything(run);
  write_outputs(run, run_csv());
  const EnsembleStatistics expected = statistics_of(run);
  const EnsembleStatistics found = read_statistics_table(folder_ / "run.statistics.csv");
  EXPECT_EQ(found.times, expected.times);
  EXPECT_EQ(found.ok_members, expected.ok_members);
  EXPECT_EQ(found.quantiles, expected.quantiles);
  EXPECT_EQ(found.inputs, expected.inputs);
  EXPECT_EQ(found.along, (std::vector<std::string>{"parameters.m", "parameters.time"}));
  ASSERT_EQ(found.fields.size(), expected.fields.size());
  for (std::size_t i = 0; i < expected.fields.size(); ++i) {
    const FieldStatistics& a = expected.fields[i];
    const FieldStatistics& b = found.fields[i];
    EXPECT_EQ(a.layout.components, b.layout.components);
    EXPECT_EQ(a.layout.field, b.layout.field) << a.layout.name;
    for (const auto member :
         {&FieldStatistics::count, &FieldStatistics::mean, &FieldStatistics::std, &FieldStatistics::min,
          &FieldStatistics::max, &FieldStatistics::quantiles, &FieldStatistics::correlation,
          &FieldStatistics::gradient_count, &FieldStatistics::mean_gradient, &FieldStatistics::variance_gradient,
          &FieldStatistics::std_gradient, &FieldStatistics::quantile_gradient}) {
      EXPECT_TRUE(same_bits(a.*member, b.*member)) << a.layout.name;
    }
  }
}

/// Every table of the run that another one announces, and every row and column, must be there.
TEST_F(Tables, ThatAreIncompleteAreRefused) {
  write_outputs(run_with_tables(), run_csv());
  remove_checksums(folder_ / "");
  ASSERT_EQ(refusal(), "");
  const auto expect = [&](const std::string& table, const std::function<void(std::string&)>& change,
                          const std::string& part) {
    const std::string message = refusal(table, change);
    EXPECT_NE(message.find(part), std::string::npos) << part << "\nfound: " << message;
  };
  const auto without_line = [](long line) { return [line](std::string& text) { erase_line(text, line); }; };
  const auto replaced = [](const std::string& from, const std::string& to) {
    return [=](std::string& text) { replace(text, from, to); };
  };
  expect(
      "run.csv", [](std::string& text) { text.pop_back(); }, "run.csv: the last line: expected a line end");
  expect(
      "run.csv", [](std::string& text) { text.resize(text.size() - 30); }, "the last line: expected a line end");
  expect("run.csv", without_line(1 + 3 * 23), "expected the last saved time, 1, found 0.5");
  expect("run.csv", without_line(9), "line 9: expected the time 0.5, that of row 2 of the first member, found 1");
  expect("run.csv", without_line(10), "line 10: member 2 has 2 of 3 rows up to here");
  expect(
      "run.csv",
      [](std::string& text) {
        for (int i = 0; i < 3; ++i) erase_line(text, 8);
      },
      "line 8: expected a row of member 2, found one of member 3");
  expect("run.csv", replaced(",energy\n", "\n"),
         "run.csv: line 1: expected the column energy, of which run.statistics.csv has statistics");
  expect("run.csv", replaced(",energy\n", ",enrgy\n"),
         "run.csv: line 1: expected the column energy, of which run.statistics.csv has statistics; found none of that "
         "name; did you mean enrgy?");
  expect("run.csv", replaced(",spin,", ",speed,"), "line 1: expected columns of different names, found speed twice");
  expect("run.csv", replaced(",spin,", ",,"), "line 1: expected the name of column 7, found none");
  expect("run.csv", replaced("\n0,0.5,", "\n0,0.5,7,"), "line 3: expected 27 columns, found more: \"");
  expect(
      "run.csv",
      [](std::string& text) {
        const std::size_t at = text.find("\n0,0.5,") + 6;
        text.erase(at, text.find('\n', at) - at);
      },
      "line 3: expected 27 columns, found 2");
  expect("run.members.csv", without_line(24), "run.members.csv: the last line: expected a row of member 22");
  expect("run.members.csv", without_line(5), "run.members.csv: line 5: expected member 3, found \"4\"");
}

TEST_F(Tables, WithoutTheirTableOfMembersAreRefused) {
  write_outputs(run_with_tables(), run_csv());
  std::filesystem::remove(folder_ / "run.members.csv");
  EXPECT_NE(refusal().find("run.csv: expected its table of members, " + (folder_ / "run.members.csv")),
            std::string::npos);
}

TEST_F(Tables, ThatKalabaDidNotWriteAreRefused) {
  write_outputs(run_with_tables(), run_csv());
  remove_checksums(folder_ / "");
  const auto expect = [&](const std::string& table, const std::function<void(std::string&)>& change,
                          const std::string& part) {
    const std::string message = refusal(table, change);
    EXPECT_NE(message.find(part), std::string::npos) << part << "\nfound: " << message;
  };
  const auto separated_by = [](const std::string& separator) {
    return [separator](std::string& text) {
      for (std::size_t at = 0; (at = text.find(',', at)) != std::string::npos; ++at) text.replace(at, 1, separator);
    };
  };
  const auto becomes = [](const std::string& other) { return [other](std::string& text) { text = other; }; };
  const std::string header = "run.csv: line 1: expected a header that begins member,time, found ";
  expect("run.csv", separated_by(";"), header + "\"member;time;a;b;angle;");
  expect("run.csv", separated_by("\t"), ": columns are separated by commas");
  expect("run.csv", becomes("date,price\n2020,5\n"),
         header + "\"date,price\": expected a table of kalaba run or kalaba export");
  expect("run.csv", becomes(""), header + "\"\"");
  expect("run.csv", becomes("member,time\n"), "line 2: expected the rows of a member, found none");
  expect(
      "run.csv", [](std::string& text) { text.insert(0, "\xEF\xBB\xBF"); }, "found a byte order mark");
  expect(
      "run.csv", [](std::string& text) { text.insert(text.find('\n'), "\r"); }, "found those of Windows");
  expect(
      "run.members.csv", [](std::string& text) { replace(text, "ok", "okk"); },
      "run.members.csv: line 2: expected a status, found \"okk\"; did you mean ok?");
  expect(
      "run.members.csv", [](std::string& text) { replace(text, "2,ok,NaN", "2,ok,never"); },
      "run.members.csv: line 4: failure_time: expected a number, found \"never\"");
  expect(
      "run.members.csv", [](std::string& text) { replace(text, ",rank_changes", ",rank"); },
      "line 1: expected the column rank_changes");
  expect(
      "run.events.csv", [](std::string& text) { erase_line(text, 4); },
      "run.events.csv: line 4: expected the event landed, found \"far\"");
  expect(
      "run.events.csv", [](std::string& text) { text.resize(text.find('\n') + 1); },
      "run.events.csv: the last line: expected a row of every member, found none");
  expect(
      "run.events.csv", [](std::string& text) { replace(text, ",spin\n", ",spin,spun\n"); },
      "run.events.csv: line 2: expected 11 columns, found 10");
  expect("run.statistics.csv", becomes("a,b\n"), "line 1: expected a header that begins time,ok_members");
  expect(
      "run.statistics.csv", [](std::string& text) { replace(text, ",b_mean", ",b_average"); },
      "run.statistics.csv: line 1: expected the column b_mean, as for a");
  expect(
      "run.statistics.csv", [](std::string& text) { erase_line(text, 4); },
      "expected the 3 saved times of " + run_csv());
}

/// A coordinate that the table of members has, and the table of events has not.
TEST_F(Tables, WithOtherStatesThanThatOfEventsAreRefused) {
  write_outputs(run_with_tables(), run_csv());
  remove_checksums(folder_ / "");
  const std::string message = refusal("run.members.csv", [](std::string& text) {
    replace(text, "initial_b,projected_b", "initial_height,projected_height");
  });
  EXPECT_NE(message.find("run.events.csv: line 1: expected 11 columns, for 6 coordinates and rates"), std::string::npos)
      << message;
}

/// A row that was changed is found by the checksum, whatever the change.
TEST_F(Tables, ThatWereChangedAreRefused) {
  write_outputs(run_with_tables(), run_csv());
  for (const char* table : {"run.csv", "run.members.csv", "run.events.csv", "run.statistics.csv"}) {
    const std::string message = refusal(table, [](std::string& text) { text[text.size() - 2] ^= 1; });
    EXPECT_NE(message.find("is damaged or was changed"), std::string::npos) << message;
    EXPECT_NE(message.find(table), std::string::npos) << message;
  }
}

}  // namespace
}  // namespace kalaba
