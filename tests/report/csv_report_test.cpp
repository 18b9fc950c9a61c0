// The page of a run's CSV tables, compared with the page of its netCDF file.

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <map>
#include <string>

#include "output/csv/csv_import.hpp"
#include "output_data/fake_tables.hpp"
#include "report/data/sensitivity_json.hpp"
#include "report/page/report.hpp"
#include "statistics/all_kinds.hpp"

namespace kalaba {
namespace {

std::string text_of(const std::string& path) {
  std::ifstream stream(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

/// Sections of a page by heading. The ids of pictures count from 1 in each section.
std::map<std::string, std::string> sections_of(const std::string& page) {
  std::map<std::string, std::string> sections;
  std::size_t at = page.find("<h2>");
  while (at != std::string::npos) {
    const std::size_t end = page.find("</h2>", at);
    const std::string heading = page.substr(at + 4, end - at - 4);
    at = page.find("<h2>", end);
    std::string text = page.substr(end, at == std::string::npos ? page.find("<footer>") - end : at - end);
    for (std::size_t id = 0; (id = text.find("picture", id)) != std::string::npos; id += 7) {
      while (std::isdigit(static_cast<unsigned char>(text[id + 7])) != 0) text.erase(id + 7, 1);
    }
    sections[heading] = text;
  }
  return sections;
}

/// Cells that a table of events has no text for.
std::string without_conditions(std::string text, const FakeRun& run) {
  for (const Event& event : run.events) {
    const std::string begin = "<tr><td>" + event.name + "</td><td>";
    const std::size_t at = text.find(begin);
    if (at != std::string::npos) text.erase(at + begin.size(), text.find('<', at + begin.size()) - at - begin.size());
  }
  return text;
}

/// Run of a system without units, which tables do not contain.
FakeRun unitless() {
  FakeRun run;
  for (auto* variables :
       {&run.system.parameters, &run.system.coordinates, &run.system.rates, &run.system.constraints}) {
    for (Variable& each : *variables) each.unit = "";
  }
  return run;
}

FakeRun with_statistics_and_events() {
  FakeRun run = unitless();
  run.members = 120;
  run.fields.add(Field::energy);
  ask_for_everything(run);
  for (Variable& each : run.system.sensitivities) each.unit = "";
  run.events = {{"landed", "a"}, {"far", "b - 3", Crossing::any, EventAction::record}};
  return run;
}

class ReportOfTables : public testing::Test {
 protected:
  void SetUp() override {
    if (std::system("gnuplot --version > /dev/null 2>&1") != 0) GTEST_SKIP() << "gnuplot is not installed";
  }

  std::string page_of_netcdf(const FakeRun& run) const {
    write_outputs(run, folder_ / "run.nc");
    return text_of(write_report(folder_ / "run.nc", {folder_ / "nc.html", {"b", "spin"}}));
  }

  std::string page_of_tables(const FakeRun& run) const {
    write_outputs(run, folder_ / "run.csv");
    ReportOptions options;
    options.tables = import_csv(folder_ / "run.csv", folder_ / "imported.nc");
    options.sampled = options.tables->varied_starts;
    options.output = folder_ / "csv.html";
    return text_of(write_report(folder_ / "imported.nc", options));
  }

  /// Compares all sections but those of the origin; returns the number of those with pictures or tables.
  int compare_pages(const FakeRun& run) const {
    const auto expected = sections_of(page_of_netcdf(run));
    const auto found = sections_of(page_of_tables(run));
    int compared = 0;
    for (const auto& [heading, text] : expected) {
      if (heading == "Scenario" || heading == "Origin") continue;
      const auto same = found.find(heading);
      EXPECT_NE(same, found.end()) << heading;
      if (same == found.end()) continue;
      EXPECT_TRUE(without_conditions(text, run) == without_conditions(same->second, run))
          << heading << ": the page of the tables differs";
      ++compared;
    }
    for (const auto& [heading, text] : found) EXPECT_EQ(expected.count(heading), 1U) << heading;
    EXPECT_EQ(found.count("Scenario"), 0U) << "a table has no scenario";
    return compared;
  }

  TemporaryFolder folder_;
};

TEST_F(ReportOfTables, IsThatOfTheNetcdfFile) { EXPECT_EQ(compare_pages(unitless()), 6); }

TEST_F(ReportOfTables, OfStatisticsAndEventsIsThatOfTheNetcdfFile) {
  EXPECT_GE(compare_pages(with_statistics_and_events()), 9);
}

TEST_F(ReportOfTables, OfSomeComponentsIsThatOfTheNetcdfFile) {
  FakeRun run = unitless();
  run.fields = {Field::energy};
  run.fields.add_component(Field::q, "a");
  run.fields.add_component(Field::w, "x_dot");
  run.system.rates[0].name = "x_dot";
  run.fields.add_component(Field::multipliers, "lambda_2");
  EXPECT_GE(compare_pages(run), 4);
}

TEST_F(ReportOfTables, WithoutFieldsIsThatOfTheNetcdfFile) {
  FakeRun run = unitless();
  run.fields = {};
  EXPECT_GE(compare_pages(run), 1);
}

TEST_F(ReportOfTables, OfInfiniteNumbersIsThatOfTheNetcdfFile) {
  FakeRun run = unitless();
  run.value = [](Field field, std::size_t component, long member, double time) {
    if (time > 0 && member == 3) return std::numeric_limits<double>::quiet_NaN();
    if (time > 0 && member == 4) return component == 0 ? HUGE_VAL : -HUGE_VAL;
    return fake_value(field, component, member, time);
  };
  EXPECT_EQ(compare_pages(run), 6);
}

/// Statistics of a run that saved no trajectories: the table is the output itself.
TEST_F(ReportOfTables, OfStatisticsAloneShowsThem) {
  FakeRun run = with_statistics_and_events();
  run.events.clear();
  run.trajectories = false;
  const auto expected = sections_of(page_of_netcdf(run));
  const std::string page = page_of_tables(run);
  const auto found = sections_of(page);
  for (const char* heading : {"Over time", "Gradients of statistics", "Correlation", "Values at the last saved time"}) {
    ASSERT_EQ(expected.count(heading), 1U) << heading;
    ASSERT_EQ(found.count(heading), 1U) << heading;
    if (std::string(heading) == "Over time") continue;  // its introduction is about the status of members
    EXPECT_EQ(expected.at(heading), found.at(heading)) << heading;
  }
  EXPECT_EQ(found.count("Members"), 0U) << "the table has no members";
  EXPECT_NE(page.find("the number of its members is unknown"), std::string::npos);
}

TEST_F(ReportOfTables, StatesWhatTheyDoNotContain) {
  const std::string page = page_of_tables(with_statistics_and_events());
  for (const char* part : {"<h1>run.csv</h1>", "CSV tables do not contain units, the scenario and its seed",
                           "run.csv, run.members.csv, run.events.csv, run.statistics.csv"}) {
    EXPECT_NE(page.find(part), std::string::npos) << part;
  }
  for (const char* part : {"wall time</span>", "18446744073709551615", "<td>seed</td>", "<td>created</td>", ">nan<"}) {
    EXPECT_EQ(page.find(part), std::string::npos) << part;
  }
}

TEST_F(ReportOfTables, AsJsonIsThatOfTheNetcdfFile) {
  const FakeRun run = with_statistics_and_events();
  write_outputs(run, folder_ / "run.nc");
  write_outputs(run, folder_ / "run.csv");
  const ImportedTables tables = import_csv(folder_ / "run.csv", folder_ / "imported.nc");
  EXPECT_EQ(tables.varied_starts, (std::vector<std::string>{"b", "spin"}));
  const std::string json = report_json(folder_ / "imported.nc", tables.varied_starts, tables);
  EXPECT_EQ(json, report_json(folder_ / "run.nc", {"b", "spin"}));
  EXPECT_NE(json.find("\"gradients\""), std::string::npos);
}

}  // namespace
}  // namespace kalaba
